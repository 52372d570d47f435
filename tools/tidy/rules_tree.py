"""Rules about where files stand and what they include. Each yields (path, line, message)."""

import re

import table

ROOM_OF_BUILD = re.compile(r"zhuzi_room\((\w+)(?:\s+ROOMS\s+([a-z\s]+?))?\s*(?:LIBRARIES|\))")
CHANGES_RESULTS = re.compile(
    r"-ffast-math|-Ofast|-march=native|-funsafe-math|-ffp-contract=fast")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
# Names that only say for which instruction set a file is.
VARIANT = re.compile(r"_(scalar|vector|avx2|avx512)$")


def includes(source):
    for match in INCLUDE.finditer(source.code_with_strings):
        yield source.line(match.start()), match[1]


def room_arrow(tree):
    for source in tree.cpp("src"):
        for line, header in includes(source):
            room = header.split("/")[0]
            if source.room not in table.ROOMS:
                yield source.path, line, f"{source.room} is no room of tools/tidy/table.py"
                break
            if "/" not in header or room not in table.ROOMS:
                yield source.path, line, f'"{header}": quoted includes start with a room'
            elif room != source.room and room not in table.ROOMS[source.room]:
                yield source.path, line, f"{source.room} may not include {room}"


def private_header(tree):
    for source in (*tree.cpp("src"), *tree.cpp("tests"), *tree.cpp("bench")):
        for line, header in includes(source):
            room = header.split("/")[0]
            if "/internal/" in header and room in table.ROOMS and room != source.room:
                yield source.path, line, f"{header} is private to {room}"


def build_arrow(tree):
    """CMakeLists.txt links no room to one that it may not include."""
    build = tree.text("CMakeLists.txt")
    for match in ROOM_OF_BUILD.finditer(build):
        for room in (match[2] or "").split():
            if room not in table.ROOMS.get(match[1], ()):
                line = build.count("\n", 0, match.start()) + 1
                yield "CMakeLists.txt", line, f"{match[1]} may not link {room}"


def compiler_flag(tree):
    for path in ("CMakeLists.txt", "CMakePresets.json", *tree.paths("cmake", ".cmake")):
        for number, line in enumerate(tree.text(path).split("\n"), 1):
            if CHANGES_RESULTS.search(line):
                yield path, number, "this flag changes results from machine to machine"


def room_readme(tree):
    for room in sorted({source.room for source in tree.cpp("src") if source.room}):
        path = f"src/{room}/README.md"
        lines = tree.text(path).count("\n")
        if not lines:
            yield path, 1, ("each room has a README.md: what lives here, what it may include, "
                            "which thread owns it, its invariants")
        elif lines > table.README_LINES:
            yield path, lines, f"{lines} lines; a room's README has at most {table.README_LINES}"


def stem(path):
    return VARIANT.sub("", path.split("/")[-1].rsplit(".", 1)[0])


def has_test(tree):
    """A source is named in tests/, itself or by the header that it implements.

    That header is the first that it includes. What is private to a room is tested through its
    public headers: there the room's tests are enough.
    """
    names, tested = set(), set()
    for source in tree.cpp("tests"):
        names.update(re.findall(r"\w+", source.text), [stem(source.path).removesuffix("_test")])
        tested.add(source.room)
    for source in tree.cpp("src"):
        if not source.path.endswith(".cpp") or source.path.endswith("/main.cpp"):
            continue
        own = {stem(source.path), *(stem(header) for _, header in list(includes(source))[:1])}
        private = "/internal/" in source.path and source.room in tested
        if not private and not own & names:
            yield source.path, 1, f"no file in tests/ includes or names {stem(source.path)}"


RULES = (room_arrow, private_header, build_arrow, compiler_flag, room_readme, has_test)
