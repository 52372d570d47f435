"""Each rule of tools/tidy finds what it forbids and leaves alone what it allows.

A case is a small repository with something bad in it, and the same made good. The rule must find
something in the first and nothing in the second.
"""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools" / "tidy"))

import check  # noqa: E402
import table  # noqa: E402
from source import Source, parameters_of  # noqa: E402
from tree import Tree  # noqa: E402

CPP = "src/base/thing.cpp"
HEADER = "src/base/thing.h"


def long_function(lines):
    return "int f() {\n" + "  g();\n" * (lines - 2) + "}\n"


def room_with_test(source):
    return {"src/base/thing.cpp": source, "tests/base/thing_test.cpp": "// Tests.\n"}


# rule, what is bad, what is good. A string stands for the file CPP.
CASES = [
    ("line_width", "// " + "x" * 98 + "\n", "// " + "x" * 97 + "\n"),
    ("line_width", "// " + "字" * 98 + "\n", "// " + "字" * 97 + "\n"),
    ("file_length", "// A.\n" * 401, "// A.\n" * 400),
    ("file_length", "// Long: its lines are a table.\n" * 601, "// Its lines are a table.\n" * 600),
    ("first_comment", "int a();\n", "// Says a.\nint a();\n"),
    ("first_comment", '#include "base/other.h"\n', '#include "base/thing.h"\n'),
    ("pragma_once", {HEADER: "// A.\nint a();\n"}, {HEADER: "// A.\n#pragma once\nint a();\n"}),
    ("commented_code", "// A.\n// x = y + 1;\n", "// A.\n// x is y + 1; so it grows.\n"),
    ("commented_code", "// A.\n// call(it);\n", "// A.\n// `call(it);` does it.\n"),
    ("commented_code", "// A.\n// if (a) {\n", "// A.\n// if (a) is true, b is.\n"),
    ("commented_code", "// A.\n//     return x;\n", "// A.\n//     s[t] = q * k[t];\n"),
    ("commented_code", "// A.\n//   }\n", "// A.\n//   } else is a branch\n"),
    ("open_item", "// TO" "DO: more\n", "// TO" "DO(#12): more\n"),
    ("open_item", {"tools/x.sh": "# FIX" "ME\n"}, {"tools/x.sh": "# fix me\n"}),
    ("machine_path", {"docs/a.md": "see /ho" "me/me/x\n"}, {"docs/a.md": "see ~/home/x\n"}),
    ("machine_path", {"a.cmake": '"/wo' 'rk/x"\n'}, {"a.cmake": "${root}/wo" "rk/x\n"}),
    ("registry_host", {"docs/a.md": "https://py" "pi.org/x\n"}, {"docs/a.md": "PyPI\n"}),
    ("pragma_once", {HEADER: "// A.\nint a();\n"}, {HEADER: "// Included inside.\nint a();\n"}),
    ("function_length", long_function(71), long_function(70)),
    ("function_length", "namespace a {\nclass B {\n" + long_function(71) + "};\n}\n",
     "namespace a {\nclass B {\n" + long_function(35) * 3 + "};\n}\n"),
    ("parameters", "int f(int a, int b, int c, int d, int e, int g) {}", "int f(std::map<A, B> a, "
     "int b, int c, int d, int e) {}"),
    ("parameters", {"src/kernels/a.cpp": "void f(A a, A b, A c, A d, A e, A f, A g, A h, A i) {}"},
     {"src/kernels/a.cpp": "void f(A a, A b, A c, A d, A e, A f, A g, A h) {}"}),
    ("memory", "auto* a = new A();\n", "auto a = std::make_unique<A>();  // new\n"),
    ("memory", "auto* a = new A();\n", "return std::unique_ptr<A>(\n    new A());\n"),
    ("memory", "delete a;\n", "A(const A&) = delete;\n"),
    ("memory", "void* a = malloc(3);\n", 'say("malloc(3)");\n'),
    ("memory", "std::free(a);\n", "pool.free(block);\n"),
    ("exceptions", "throw Bad();\n", "// Does not throw.\n"),
    ("exceptions", "try { f(); } catch (...) {}\n", 'const char* a = "try";\n'),
    ("macro", "#define LIMIT 3\n", "constexpr int limit = 3;\n"),
    ("macro", "say(__FI" "LE__);\n", "say(place.file_name());\n"),
    ("mutable_global", "namespace a {\nint c = 0;\n}\n", "namespace a {\nconst int c = 0;\n}\n"),
    ("mutable_global", "std::vector<int> list{};\n", "std::vector<int> list(int a);\n"),
    ("mutable_global", "int f() {\n  static int calls = 0;\n}\n",
     "int f() {\n  static const int calls = 0;\n  int more = 0;\n}\n"),
    ("mutable_global", "int a;\n", "struct A {\n  int a;\n  static int f();\n};\nusing B = A;\n"),
    ("mutable_global", 'extern "C" {\nint a;\n}\n', 'extern "C" int f() {\n  int a;\n}\n'),
    ("environment", 'std::getenv("A");\n', {"src/cli/a.cpp": 'std::getenv("A");\n'}),
    ("family_name",
     {CPP: 'if (name == "bamboo") {}\n', "src/model/families/bamboo.cpp": ""},
     {CPP: 'if (name == "bamboo3") {}  // bamboo\n', "src/model/families/bamboo.cpp": "bamboo"}),
    ("libm", {"src/kernels/a.cpp": "x = std::exp(y);\n"},
     {"src/kernels/a.cpp": "x = math::exp(y); z = std::sqrt(y);\n"}),
    ("libm", {"src/forward/a.cpp": "x = expf(y);\n"}, {"src/cli/a.cpp": "x = expf(y);\n"}),
    ("co_await_alone", "if (co_await f()) {}\n", "const bool a = co_await f();\nif (a) {}\n"),
    ("co_await_alone", "bool a = b && co_await f();\n", "const auto a = co_await (f() || g());\n"),
    ("co_await_alone", "co_await f({.a = 1});\n", "co_await f(options);\n"),
    ("co_await_alone", "co_await f([] { g(); });\n", "co_return co_await f(g);\n"),
    ("co_await_alone", "auto a = h(co_await f());\n", "a.b = co_await f(h());\n"),
    ("room_arrow", '#include "text/a.h"\n', '#include "base/a.h"\n#include <text/a.h>\n'),
    ("room_arrow", {"src/kernels/a.cpp": '#include "model/spec.h"\n'},
     {"src/forward/a.cpp": '#include "model/spec.h"\n'}),
    ("room_arrow", {"src/scheduler/a.cpp": '#include "tensor/view.h"\n'},
     {"src/scheduler/a.cpp": '#include "cache/block_pool.h"\n'}),
    ("room_arrow", {"src/attic/a.cpp": '#include "base/a.h"\n'}, {"src/api/a.cpp": ""}),
    ("room_arrow", '#include "thing.h"\n', '#include "base/thing.h"\n'),
    ("private_header", {"src/text/a.cpp": '#include "base/internal/a.h"\n'},
     {"src/base/a.cpp": '#include "base/internal/a.h"\n'}),
    ("private_header", {"tests/text/a_test.cpp": '#include "base/internal/a.h"\n'},
     {"tests/base/a_test.cpp": '#include "base/internal/a.h"\n'}),
    ("build_arrow", {"CMakeLists.txt": "zhuzi_room(text ROOMS base model)\n"},
     {"CMakeLists.txt": "zhuzi_room(text ROOMS base formats LIBRARIES model)\n"}),
    ("compiler_flag", {"cmake/a.cmake": "-ffast-" "math\n"}, {"cmake/a.cmake": "-O2\n"}),
    ("room_readme", {CPP: ""}, {CPP: "", "src/base/README.md": "What lives here.\n"}),
    ("room_readme", {CPP: "", "src/base/README.md": "A.\n" * 31},
     {CPP: "", "src/base/README.md": "A.\n" * 30}),
    ("has_test", {CPP: ""}, room_with_test("")),
    ("has_test", {"src/base/thing_avx2.cpp": ""},
     {"src/base/thing_avx2.cpp": "", "tests/base/a_test.cpp": '#include "base/thing.h"\n'}),
    ("has_test", {"src/base/internal/a.cpp": ""},
     {"src/base/internal/a.cpp": "", "tests/base/other_test.cpp": ""}),
]


def rules_that_find(files):
    files = {CPP: files} if isinstance(files, str) else files
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return {rule for _, _, rule, _ in check.findings(Tree(folder))}


class EachRule(unittest.TestCase):
    def test_finds_what_is_bad_and_leaves_what_is_good(self):
        for rule, bad, good in CASES:
            with self.subTest(rule=rule, bad=bad):
                self.assertIn(rule, rules_that_find(bad))
            with self.subTest(rule=rule, good=good):
                self.assertNotIn(rule, rules_that_find(good))

    def test_has_a_case(self):
        rules = {rule.__name__ for module in (check.rules_text, check.rules_code, check.rules_tree)
                 for name in ("FOR_CODE", "FOR_EVERYTHING", "RULES")
                 for rule in getattr(module, name, ())} | {"family_name"}
        self.assertEqual(rules, {rule for rule, _, _ in CASES})


class Headers(unittest.TestCase):
    def test_a_header_that_needs_another_one_is_found_and_found_again(self):
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.dict(os.environ, XDG_CACHE_HOME=folder):
            file = Path(folder) / HEADER
            file.parent.mkdir(parents=True)
            file.write_text("#pragma once\nstd::string name();\n")
            for _ in range(2):
                found = list(check.headers.header_alone(Tree(folder)))
                self.assertEqual([path for path, _, _ in found], [HEADER])
            file.write_text("#pragma once\n#include <string>\nstd::string name();\n")
            for _ in range(2):
                self.assertEqual(list(check.headers.header_alone(Tree(folder))), [])


class Exceptions(unittest.TestCase):
    def test_an_exception_hides_its_finding_and_an_idle_one_is_a_finding(self):
        allowed = {"macro": {"a.h": "a reason"}}
        found = [("a.h", 1, "macro", "no"), ("b.h", 1, "macro", "no")]
        self.assertEqual(list(check.without_exceptions(found, allowed)), found[1:])
        idle = list(check.without_exceptions([], allowed))
        self.assertEqual([rule for _, _, rule, _ in idle], ["macro"])


class Table(unittest.TestCase):
    def test_arrows_point_down(self):
        above = set()
        for room, may_include in table.ROOMS.items():
            self.assertLessEqual(set(may_include), above, room)
            above.add(room)


class Reading(unittest.TestCase):
    def test_comments_and_literals_are_no_code(self):
        text = 'a("b // c"); // d\nchar e = \'"\'; /* f */ auto g = R"x(h ")" )x"; int i = 1\'000;'
        code = Source("a.cpp", text).code
        self.assertEqual(len(code), len(text))
        for word in "bcdfh":
            self.assertNotIn(word, code.replace("char", ""))
        self.assertIn("int i", code)

    def test_functions_are_told_from_what_looks_like_them(self):
        text = """
            struct A : B {
              A() : a_{1}, b_(2) { f(); }
              bool operator==(const A&) const = default;
              void operator()(int a, int b) const { }
              int a_ = 3;
            };
            constexpr int table[] = {f(1), 2};
            template <typename T> requires(sizeof(T) > 1) int g(T a = {}) noexcept { return 1; }
            auto h() -> std::vector<int> { return {}; }
        """
        source = Source("a.cpp", text)
        heads = [function.head.split("(")[0].split()[-1] for function in source.outline.functions]
        self.assertEqual(len(heads), 4, heads)
        self.assertEqual([parameters_of(f.head) for f in source.outline.functions], [0, 2, 1, 0])


if __name__ == "__main__":
    unittest.main()
