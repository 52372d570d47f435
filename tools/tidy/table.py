"""The one table of tidy: what a room may include, the limits, every exception with its reason.

ARCHITECTURE.md explains the rooms; this is what the machine compares them with.
"""

# Room -> rooms whose public headers it may include. A room always may include itself. Arrows point
# down: every room named on the right stands above its own line.
ROOMS = {
    "base": (),
    "tensor": ("base",),
    "formats": ("base", "tensor"),
    "text": ("base", "formats"),
    "model": ("base", "tensor", "formats"),
    "kernels": ("base", "tensor"),
    "cache": ("base", "tensor"),
    "forward": ("base", "tensor", "kernels", "cache", "model"),
    "sampling": ("base", "kernels"),
    "grammar": ("base", "text"),
    "scheduler": ("base", "cache"),
    "engine": ("base", "tensor", "formats", "text", "model", "kernels", "cache", "forward",
               "sampling", "grammar", "scheduler"),
    "api": ("base", "engine", "text"),
    "server": ("base", "api", "engine"),
    "cli": ("base", "tensor", "formats", "text", "model", "kernels", "cache", "forward", "sampling",
            "grammar", "scheduler", "engine", "api", "server"),
}

LINE_WIDTH = 100
FILE_LINES = 400
FILE_LINES_WITH_REASON = 600  # when the first comment says why, with the word "lines"
FUNCTION_LINES = 70
PARAMETERS = 5
PARAMETERS_OF_OPS = 8  # in kernels: an op names every tensor that it reads and writes
README_LINES = 30

# On the way from weights to a token no function of the C library may round (NUMERICS, rule 4).
ROOMS_WITHOUT_LIBM = ("model", "kernels", "forward", "sampling")
# Tokenizers and templates have names of their own that look like families: "qwen2" is also the name
# of a way to split text.
ROOMS_THAT_NAME_FAMILIES = ("text",)
FAMILIES_FOLDER = "src/model/families/"
NO_FAMILIES = ("registry",)  # in that folder, beside them

# The files that may define macros, and which (None: any).
MACROS = {
    "src/base/result.h": {"TRY"},
    "src/kernels/isa.h": {"ZHUZI_UNROLL"},
    # Regions of a file for one instruction set are pragmas; emulated instructions have the names of
    # the real ones.
    "src/kernels/internal/simd.h": None,
}

# What the build defines, for the compiler that looks at one header alone.
DEFINITIONS = ("ZHUZI_VERSION", "ZHUZI_TEST_DATA", "ZHUZI_SOURCE", "ZHUZI_BINARY")

# Rule -> file -> reason. An entry that is no longer needed is itself a finding.
ALLOWED = {
    "exceptions": {
        "src/cli/main.cpp": "CLI11 reports what is wrong with a command line by throwing",
    },
    "mutable_global": {
        "src/cli/terminal.cpp": "the flag that the handler of Ctrl-C sets",
    },
}
