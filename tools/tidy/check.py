"""Checks the rules of STYLE.md and ARCHITECTURE.md that a machine can check.

python3 tools/tidy             everything that reads files
python3 tools/tidy --headers   and that each header compiles alone

Prints `path:line: rule: message` and ends with 1 when there is a finding. Exceptions stand with
their reasons in table.py.
"""

import sys
from pathlib import Path

import headers
import rules_code
import rules_text
import rules_tree
import table
from tree import Tree


def findings(tree, with_headers=False):
    """Every (path, line, rule, message), exceptions not yet taken out."""
    families = {path.split("/")[-1][:-4] for path in tree.paths(table.FAMILIES_FOLDER, ".cpp")}
    families -= set(table.NO_FAMILIES)
    for source in tree.sources.values():
        for rule in (*rules_text.FOR_CODE, *rules_code.RULES):
            for line, message in rule(source):
                yield source.path, line, rule.__name__, message
        for line, message in rules_code.family_name(source, families):
            yield source.path, line, "family_name", message
    for source in tree.everything():
        for rule in rules_text.FOR_EVERYTHING:
            for line, message in rule(source):
                yield source.path, line, rule.__name__, message
    for rule in (*rules_tree.RULES, *(headers.RULES if with_headers else ())):
        for path, line, message in rule(tree):
            yield path, line, rule.__name__, message


def without_exceptions(found, allowed):
    used = set()
    for path, line, rule, message in found:
        if path in allowed.get(rule, {}):
            used.add((rule, path))
        else:
            yield path, line, rule, message
    for rule, paths in allowed.items():
        for path in paths:
            if (rule, path) not in used:
                yield "tools/tidy/table.py", 1, rule, f"the exception for {path} is not needed"


def main(arguments):
    if arguments not in ([], ["--headers"]):
        print("tidy takes nothing or --headers.", file=sys.stderr)
        return 2
    tree = Tree(Path(__file__).resolve().parents[2])
    result = sorted(without_exceptions(findings(tree, bool(arguments)), table.ALLOWED))
    for path, line, rule, message in result:
        print(f"{path}:{line}: {rule}: {message}")
    print(f"tidy: {len(tree.sources)} C++ files, {len(result)} findings")
    return 1 if result else 0
