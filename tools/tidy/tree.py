"""The repository's files, read once."""

import os
from functools import cached_property
from pathlib import Path

from source import Source

SKIPPED = {"build", "__pycache__", "node_modules"}
DATA = "tests/data"  # foreign files, as they came
TEXT_MAX_BYTES = 1 << 20


class Tree:
    def __init__(self, root):
        self.root = Path(root)

    @cached_property
    def all_paths(self):
        result = []
        for folder, folders, files in os.walk(self.root):
            place = Path(folder).relative_to(self.root)
            folders[:] = [name for name in folders
                          if name not in SKIPPED and str(place / name) != DATA
                          and (not name.startswith(".") or name == ".ci")]
            result += [str(place / name) for name in files]
        return sorted(result)

    def paths(self, folder, ending):
        return [path for path in self.all_paths
                if path.startswith(folder.rstrip("/") + "/") and path.endswith(ending)]

    def text(self, path):
        file = self.root / path
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""

    @cached_property
    def sources(self):
        return {path: Source(path, self.text(path)) for path in self.all_paths
                if path.endswith((".h", ".cpp"))}

    def cpp(self, area):
        return [source for source in self.sources.values() if source.area == area]

    def everything(self):
        for path in self.all_paths:
            if (self.root / path).stat().st_size <= TEXT_MAX_BYTES:
                yield self.sources.get(path) or Source(path, self.text(path))
