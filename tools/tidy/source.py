"""A C++ file as tidy sees it: its text, its code without comments, its functions and statements.

This is no parser. It follows quotes, comments and brackets exactly, and names the rest by the few
shapes that formatted code has.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property

LITERAL = re.compile(
    r'//(?:[^\n\\]|\\.|\\\n)*'            # a comment to the end of the line
    r'|/\*.*?\*/'                         # a comment in between
    r'|R"(?P<raw>[^()\s\\]{0,16})\(.*?\)(?P=raw)"'
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)+'"  # not the separator of 1'000
    r"|\b(?:u8|[uUL])'(?:[^'\\\n]|\\.)+'",
    re.DOTALL,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE | re.DOTALL)
PARAMETER_FREE = {"noexcept", "requires", "alignas", "decltype", "__attribute__", "operator"}


def blank(text):
    return re.sub(r"[^\n]", " ", text)


@dataclass
class Function:
    head: str
    begin: int
    body: int
    end: int


@dataclass
class Outline:
    functions: list = field(default_factory=list)
    statements: list = field(default_factory=list)  # (offset, text) in namespaces, not in classes


class Source:
    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.lines = text.split("\n")
        parts = path.split("/")
        self.area = parts[0]
        self.room = parts[1] if len(parts) > 2 and parts[0] in ("src", "tests", "bench") else ""

    def line(self, offset):
        return self.text.count("\n", 0, offset) + 1

    @cached_property
    def code_with_strings(self):
        """Comments are blank."""
        return LITERAL.sub(lambda m: blank(m[0]) if m[0][:2] in ("//", "/*") else m[0], self.text)

    @cached_property
    def code(self):
        """Comments and the insides of literals are blank."""
        def mask(match):
            literal = match[0]
            if literal[:2] in ("//", "/*"):
                return blank(literal)
            return literal[0] + blank(literal[1:-1]) + literal[-1]
        return LITERAL.sub(mask, self.text)

    @cached_property
    def first_comment(self):
        comment = []
        for line in self.lines:
            if not line.startswith("//"):
                break
            comment.append(line[2:].strip())
        return " ".join(comment)

    @cached_property
    def is_fragment(self):
        """A text that is included inside a region and namespace, and says so: not a header."""
        return (self.path.endswith(".h") and "#pragma once" not in self.text
                and re.search(r"\b[Ii]ncluded\b|\bincludes it\b", self.first_comment) is not None)

    @cached_property
    def comment_lines(self):
        """(line number, text behind the slashes) of each line that is a // comment."""
        return [(number, line.strip()[2:]) for number, line in enumerate(self.lines, 1)
                if line.lstrip().startswith("//")]

    @cached_property
    def outline(self):
        return outline_of(DIRECTIVE.sub(lambda m: blank(m[0]), self.code))


def closing(code, begin):
    """The offset of the bracket that closes the one at `begin`."""
    depth = 0
    for match in re.compile(r"[({\[)}\]]").finditer(code, begin):
        depth += 1 if match[0] in "({[" else -1
        if depth == 0:
            return match.start()
    return len(code) - 1


def outline_of(code):
    outline = Outline()
    scopes = []
    begin = at = 0
    while at < len(code):
        mark = code[at]
        if mark == "(":
            at = closing(code, at)
        elif mark == ";":
            if "class" not in scopes and code[begin:at].strip():
                outline.statements.append(trimmed(code, begin, at))
            begin = at + 1
        elif mark == "}":
            scopes = scopes[:-1]
            begin = at + 1
        elif mark == "{":
            kind = kind_of(code[begin:at])
            if kind in ("namespace", "class"):
                scopes.append(kind)
                begin = at + 1
            else:
                end = closing(code, at)
                if kind == "function":
                    start, head = trimmed(code, begin, at)
                    outline.functions.append(Function(head, start, at, end))
                    begin = end + 1
                at = end
        at += 1
    return outline


def trimmed(code, begin, end):
    text = code[begin:end]
    return begin + len(text) - len(text.lstrip()), text.strip()


def without_groups(head):
    """The head without what stands in parentheses: `f(int a) const` becomes `f() const`."""
    out, at = [], 0
    while at < len(head):
        if head[at] == "(":
            end = closing(head, at)
            out.append("()")
            at = end
        else:
            out.append(head[at])
        at += 1
    return "".join(out)


def kind_of(head):
    """What the brace after `head` opens: namespace, class, function, or initializer."""
    flat = without_groups(head).strip()
    flat = re.sub(r"^template\s*<[^{;]*?>\s*(?=class|struct|union)", "", flat)
    if re.match(r"(inline\s+)?namespace\b|extern\s*\"\s*\"$", flat):
        return "namespace"
    if re.match(r"(class|struct|union)\b", flat):
        return "class"
    named = re.sub(r"operator\s*(?:\(\)|[^\w\s(]+)", "operator", flat)
    if "()" not in named or re.search(r"[^=!<>]=[^=]|=$", named) or named.startswith("enum"):
        return "initializer"
    if re.search(r"\)[^:]*[^:]:[^:]", named) and not named.endswith((")", "}")):
        return "initializer"  # of a member, in a constructor: `A() : size_{`
    return "function"


def parameters_of(head):
    """How many parameters the function has whose head this is."""
    for match in re.finditer(r"(operator\s*(?:\(\s*\)|[^\w\s(]+)|[\w~]+)\s*\(", head):
        if match[1] in PARAMETER_FREE or re.match(r"[A-Z][A-Z_]+$", match[1]):
            continue
        open_at = match.end() - 1
        inside = head[open_at + 1:closing(head, open_at)].strip()
        if not inside or inside == "void":
            return 0
        depth = commas = 0
        for mark in inside:
            depth += (mark in "(<{[") - (mark in ")>}]")
            commas += mark == "," and depth == 0
        return commas + 1
    return 0
