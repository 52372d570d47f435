"""The papers say what the program does: commands, options, links, rooms, version.

docs_test.py PATH_OF_ZHUZI
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools" / "tidy"))

import table  # noqa: E402

PAPERS = [path for pattern in ("*.md", "docs/**/*.md", "src/*/README.md", "bench/**/*.md")
          for path in ROOT.glob(pattern)]
DEV = ROOT / "dev"
PROGRAM = ""


def said_by(*arguments):
    return subprocess.run((PROGRAM, *arguments), capture_output=True, text=True, check=True).stdout


def commands():
    help_text = said_by("--help")
    listed = help_text[help_text.lower().index("subcommands:"):].split("\n\n")[0]
    return re.findall(r"^ +([a-z][\w-]*) ", listed, re.MULTILINE)


def examples(path):
    """The lines of code blocks, comments cut off, and what stands in backticks."""
    text = path.read_text()
    for block in re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL):
        yield from (line.split(" # ")[0] for line in block.splitlines())
    yield from re.findall(r"`([^`\n]+)`", text)


class Papers(unittest.TestCase):
    def test_name_only_commands_and_options_that_exist(self):
        known = set(commands())
        for path in PAPERS:
            for line in examples(path):
                call = re.search(r"(build/release/|)(?:\bzhuzi|\./dev) +([a-z]+)\b([^|]*)", line)
                if call and call[2] in known:
                    help_text = said_by(call[2], "--help")
                    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", call[3]):
                        self.assertIn(option, help_text, f"{path.name}: {line}")
                elif call:  # a plan may speak of later commands, an example may not
                    self.assertEqual(call[1], "", f"{path.name}: {line}")

    def test_show_a_conversation_that_happens(self):
        told = re.search(r"^> (.*)\n((?:.+\n)+)```", (ROOT / "README.md").read_text(), re.MULTILINE)
        answer = subprocess.run((PROGRAM, "chat", "--temperature", "0"), input=told[1] + "\n",
                                capture_output=True, text=True)
        if "default model is not" in answer.stderr:
            self.skipTest("without the default model")
        self.assertEqual(told[2].split(), answer.stdout.split())

    def test_link_only_to_what_is_there(self):
        for path in PAPERS:
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text()):
                self.assertTrue((path.parent / target).exists(), f"{path.name}: {target}")

    def test_the_map_has_the_rooms_of_the_table(self):
        rows = re.findall(r"^\| (`[a-z`, ]+`) \|.*\| ([^|]*) \|$",
                          (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
        drawn = [name for row, _ in rows for name in re.findall(r"`(\w+)`", row)]
        self.assertEqual(drawn, list(table.ROOMS))
        for names, may_include in rows:
            for room in re.findall(r"`(\w+)`", names):
                named = set(re.findall(r"\w+", may_include)) & set(table.ROOMS)
                if named and "," not in names:
                    self.assertEqual(named, set(table.ROOMS[room]), room)

    def test_the_version_is_the_newest_of_the_changelog(self):
        newest = re.search(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
        self.assertEqual(said_by("--version").split(), ["zhuzi", newest])


class Door(unittest.TestCase):
    def test_passes_every_command_through(self):
        passed_on = re.findall(r"^  ([a-z |]+)\) zhuzi", DEV.read_text(), re.MULTILINE)
        words = set(re.findall(r"[\w-]+", " ".join(passed_on)))
        self.assertEqual(words, {*commands(), "serve"})

    def test_explains_every_word(self):
        told = subprocess.run((DEV, "help"), capture_output=True, text=True, check=True).stdout
        for words in re.findall(r"^  ([a-z |]+)(?: \||\))", DEV.read_text(), re.MULTILINE):
            for word in re.findall(r"[a-z]+", words):
                self.assertRegex(told, rf"\b{word}\b")

    def test_refuses_other_words(self):
        result = subprocess.run((DEV, "tset"), capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("./dev help", result.stderr)
        self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
