"""Rules about what the code of one C++ file does. Each yields (line, message)."""

import re

import table
from source import blank, parameters_of

LIBM = ("exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan"
        "|atan2|erf|erfc|cbrt|hypot|tgamma|lgamma")


def found(source, pattern, message, code=None):
    for match in re.finditer(pattern, source.code if code is None else code, re.MULTILINE):
        yield source.line(match.start()), message.format(*match.groups())


def function_length(source):
    for function in source.outline.functions:
        first, last = source.line(function.begin), source.line(function.end)
        if last - first + 1 > table.FUNCTION_LINES:
            yield first, (f"a function of {last - first + 1} lines; more than "
                          f"{table.FUNCTION_LINES} do not fit on a screen")


def parameters(source):
    if source.area == "tests":
        return
    limit = table.PARAMETERS_OF_OPS if source.room == "kernels" else table.PARAMETERS
    for function in source.outline.functions:
        count = parameters_of(function.head)
        if count > limit:
            yield source.line(function.begin), (
                f"{count} parameters; beyond {limit} take an options struct")


def counts_allocations(source):
    """A test that replaces the global operators has to do what they do."""
    return source.area == "tests" and "operator new(" in source.code


def memory(source):
    if counts_allocations(source):
        return
    calls = r"\b(?:std::)?(malloc|calloc|realloc|aligned_alloc|posix_memalign|strdup)\s*\("
    owned = "`{}`: own it by value or by unique_ptr"
    code = re.sub(r"unique_ptr<[\w:<>]+>\(\s*new\b", lambda m: blank(m[0]), source.code)
    yield from found(source, r"(?<!operator )\b(new)\b(?!\s*\()", owned, code)
    yield from found(source, r"(?<!operator )(?<!= )\b(delete)\b", owned)
    yield from found(source, calls, owned)
    yield from found(source, r"(\bstd::free|^\s*free)\s*\(", owned)


def exceptions(source):
    if source.area == "tests":
        return
    yield from found(source, r"\b(throw|try|catch)\b",
                     "`{}`: errors are Result; exceptions of a library are caught at its boundary, "
                     "which is listed in tools/tidy/table.py")


def macro(source):
    allowed = table.MACROS.get(source.path, set())
    for match in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", source.code, re.MULTILINE):
        if allowed is not None and match[1] not in allowed:
            yield source.line(match.start()), f"macro {match[1]}: write a function or a constant"
    yield from found(source, r"\b__FILE__\b", "__FILE__: take std::source_location")


def mutable_global(source):
    if source.area == "tests":
        return
    no_variable = re.compile(
        r"(?:__extension__\s+)?(using|typedef|namespace|template|class|struct|enum|union|friend|static_assert|concept"
        r"|export|asm|return|extern)\b|.*\b(constexpr|consteval|const)\b|.*\boperator\b", re.DOTALL)
    for offset, text in source.outline.statements:
        declared = re.split(r"[={]", text, maxsplit=1)[0]
        if no_variable.match(text) or "(" in declared or " " not in declared.strip():
            continue
        yield source.line(offset), "a variable of the whole program: pass it where it is needed"
    for function in source.outline.functions:
        body = source.code[function.body:function.end]
        for match in re.finditer(r"\bstatic\s+(?!const\b|constexpr\b|inline const)", body):
            yield source.line(function.body + match.start()), (
                "a static variable that can change: pass it where it is needed")


def environment(source):
    if source.area == "src" and source.room != "cli":
        yield from found(source, r"\b(getenv|secure_getenv|environ|argv|argc)\b",
                         "`{}`: only cli reads arguments and the environment")


def family_name(source, families):
    if (source.area != "src" or source.path.startswith(table.FAMILIES_FOLDER) or not families
            or source.room in table.ROOMS_THAT_NAME_FAMILIES):
        return
    names = "|".join(map(re.escape, families))
    yield from found(source, rf"(?i)(?<![a-z])({names})(?![a-z0-9])",
                     "`{}` is a family: describe what is different about it in ModelSpec",
                     source.code_with_strings)


def libm(source):
    if source.area == "src" and source.room in table.ROOMS_WITHOUT_LIBM:
        yield from found(source, rf"\bstd::({LIBM})[fl]?\s*\(|(?<![\w:.>])({LIBM})[fl]\s*\(",
                         "a function of the C library that rounds differently elsewhere: take "
                         "kernels/math.h or base/math64.h")


def co_await_alone(source):
    """GCC 12 miscompiles `a && co_await f()` and braces or lambdas in the arguments."""
    for match in re.finditer(r"\bco_await\b", source.code):
        before = re.split(r"[;{}]", source.code[:match.start()])[-1]
        after = re.match(r"[^;{}]*", source.code[match.end():])
        end = source.code[match.end() + after.end():][:1]
        alone = re.fullmatch(r"\s*(?:co_return\s+|[\w:<>,&*\s\[\].\->]+?\s=\s*)?", before)
        if not alone or end != ";" or "co_await" in after[0]:
            yield source.line(match.start()), "co_await stands alone in its statement, without " \
                "braces or lambdas among the arguments"


RULES = (function_length, parameters, memory, exceptions, macro, mutable_global, environment,
         libm, co_await_alone)
