"""Rules about how a file reads. Each yields (line, message)."""

import re

import table

# What is indented behind the slashes may be a formula or a drawing; statements are code anywhere.
CODE_LIKE = re.compile(
    r"\s*(?:#include\b|(?:if|for|while|switch)\s*\(.*[{;)]$|(?:return|auto|const|static)\b.*;$)"
    r"|\s*[{}]$|\s*}.*[{;]$|\s?[\w:.>\-\[\]]+\(.*\);$"
    r"|\s?(?=\S)[\w:<>*&\s]*\b\w+(?:\[\w*\])?\s*[-+*/|&]?=\s.*;$")
# Spelled in parts, so that this file does not hold what it looks for.
HOSTS = [".".join(parts) for parts in (
    ("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"),
    ("deb", "debian", "org"), ("security", "debian", "org"), ("crates", "io"))]
HOST = re.compile("|".join(map(re.escape, HOSTS)))
MACHINE_PATH = re.compile(r"(?<![\w.~*\])}$])/(?:work|tmp|home|root|mnt)/")
OPEN_ITEM = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b(?!\(#\d+\))")


def line_width(source):
    for number, line in enumerate(source.lines, 1):
        if len(line) > table.LINE_WIDTH:
            yield number, f"{len(line)} columns; the limit is {table.LINE_WIDTH}"


def file_length(source):
    count = len(source.lines) - 1
    reason = re.search(r"\blines\b", source.first_comment)
    limit = table.FILE_LINES_WITH_REASON if reason else table.FILE_LINES
    if count > limit:
        hint = "" if reason else " (600 when the first comment says why, with the word 'lines')"
        yield limit + 1, f"{count} lines; the limit is {limit}{hint}"


def first_comment(source):
    """A .cpp file may leave it to the header that it implements and so includes first."""
    stem = source.path.split("/")[-1].rsplit(".", 1)[0]
    implements = source.path.endswith(".cpp") and source.lines[0].endswith(f'/{stem}.h"')
    if not source.first_comment and not implements:
        yield 1, "a file opens with a comment: what it is, its place, its invariant"


def pragma_once(source):
    if (source.path.endswith(".h") and "#pragma once" not in source.text
            and not source.is_fragment):
        yield 1, "a header has #pragma once; a text that is included inside a region says so"


def commented_code(source):
    for number, text in source.comment_lines:
        if CODE_LIKE.match(text) and "`" not in text:
            yield number, "this comment looks like code: delete it, the history keeps it"


def open_item(source):
    for number, line in enumerate(source.lines, 1):
        if OPEN_ITEM.search(line):
            yield number, "an open item names its issue, as in TO" "DO(#12)"


def machine_path(source):
    for number, line in enumerate(source.lines, 1):
        if MACHINE_PATH.search(line):
            yield number, "a path of one machine"


def registry_host(source):
    for number, line in enumerate(source.lines, 1):
        if HOST.search(line):
            yield number, "the host of a package registry: name the package, its client knows where"


FOR_CODE = (line_width, file_length, first_comment, pragma_once, commented_code)
FOR_EVERYTHING = (open_item, machine_path, registry_host)
