"""The rule that each header compiles alone.

A header that a source of its name includes first is proved by the build. The others cost a compiler
run each; what passed is remembered by the hash of everything of ours that the header includes, in
the user's cache, so that a repeated run compiles only what changed.
"""

import hashlib
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import table
from rules_tree import includes

COMMAND = ("g++", "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", "-x", "c++",
           "-Isrc", "-Itests", "-I.", *(f'-D{name}=""' for name in table.DEFINITIONS), "-")
REMEMBERED_MAX = 10_000


def notes_file():
    cache = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(cache) if cache.startswith("/") else Path.home() / ".cache"
    return folder / "zhuzi" / "tidy-headers"


def proved_by_the_build(tree):
    proved = set()
    for source in tree.sources.values():
        if source.path.endswith(".cpp"):
            first = next((header for _, header in includes(source)), "")
            if source.path == f"src/{first[:-2]}.cpp":
                proved.add(f"src/{first}")
    return proved


def closure(tree, source, seen):
    if source.path in seen:
        return
    seen[source.path] = source.text
    folder = source.path.rsplit("/", 1)[0]
    for _, header in includes(source):
        for path in (f"src/{header}", f"tests/{header}", f"{folder}/{header}"):
            if path in tree.sources:
                closure(tree, tree.sources[path], seen)


def key(tree, source, compiler):
    seen = {}
    closure(tree, source, seen)
    digest = hashlib.sha256(f"{compiler}{COMMAND}".encode())
    for path in sorted(seen):
        digest.update(f"\0{path}\0{seen[path]}".encode())
    return digest.hexdigest()


def compile_alone(root, path):
    result = subprocess.run(COMMAND, cwd=root, input=f'#include "{path}"\n', text=True,
                            capture_output=True)
    errors = [line for line in result.stderr.splitlines() if "error" in line]
    return "" if result.returncode == 0 else (errors or ["the compiler failed"])[0]


def header_alone(tree):
    compiler = subprocess.run(("g++", "-v"), capture_output=True, text=True).stderr
    proved = proved_by_the_build(tree)
    keys = {source.path: key(tree, source, compiler) for source in tree.sources.values()
            if source.path.endswith(".h") and not source.is_fragment
            and source.path not in proved}
    notes = notes_file()
    known = notes.read_text().split() if notes.is_file() else []
    remembered = set(known)
    todo = [path for path, value in keys.items() if value not in remembered]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = list(zip(todo, pool.map(lambda path: compile_alone(tree.root, path), todo)))
    passed = [keys[path] for path, error in results if not error]
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.write_text("\n".join((known + passed)[-REMEMBERED_MAX:]))
    for path, error in results:
        if error:
            yield path, 1, f"does not compile alone: {error}"


RULES = (header_alone,)
