# SPDX-License-Identifier: MIT
"""Reads the declarations out of a set of headers, as the compiler sees them after preprocessing.

No parser of C: the public headers are regular enough to be cut at semicolons and braces of the outermost level.
"""
import pathlib
import re
import subprocess
import tempfile

# Included by others, mean nothing alone.
ROWS = {"mono/metadata/profiler-events.h", "monocle/ext-events.h", "monocle/event-rows.h"}


def public_headers(include, folder="mono"):
    """Paths below `include`, as one writes them in an #include."""
    include = pathlib.Path(include)
    found = (str(p.relative_to(include)) for p in (include / folder).glob("**/*.h"))
    return sorted(name for name in found if name not in ROWS)


def preprocess(compiler, include, headers, extra=()):
    """The text that comes from below `include`, without what system headers contribute."""
    source = "".join("#include <%s>\n" % h for h in headers)
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(source)
        file.flush()
        out = subprocess.run([*compiler, "-E", "-I", str(include), *extra, file.name], capture_output=True, text=True,
                             check=True).stdout
    kept, ours = [], False
    for line in out.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            ours = str(pathlib.Path(include).resolve()) in str(pathlib.Path(marker.group(1)).resolve())
        elif ours:
            kept.append(line)
    return "\n".join(kept)


def split(text):
    """One string per declaration, with single spaces."""
    pieces, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "{(") - (char in "})")
        if char == ";" and depth == 0:
            pieces.append(re.sub(r"\s+", " ", text[start:at]).strip())
            start = at + 1
    return [p for p in pieces if p]


def plain(declaration):
    """Without attributes and extension marks."""
    text = re.sub(r"__attribute__ \(\(.*?\)\)\)?(?=\s|$)", "", declaration)
    return re.sub(r"\s+", " ", text.replace("__extension__", "")).strip()


class Declarations:
    def __init__(self, compiler, include, headers):
        self.functions = {}   # name -> declaration
        self.callbacks = {}   # name of a function pointer type -> declaration
        self.opaque = {}      # name of a type without body -> declaration
        self.structs = {}     # type as one writes it -> names of its members
        self.constants = []   # enumerators, in order
        for piece in map(plain, split(preprocess(compiler, include, headers))):
            self.add(piece)
        self.macros = number_macros(compiler, include, headers)

    def add(self, piece):
        if "enum" in piece.split("{")[0].split() and "{" in piece:
            body = piece[piece.index("{") + 1:piece.rindex("}")]
            self.constants += [part.split("=")[0].strip() for part in body.split(",") if part.strip()]
        elif "{" in piece:
            self.add_struct(piece)
        elif piece.startswith("typedef"):
            pointer = re.search(r"\(\*\s*(\w+)\)", piece)
            if pointer:
                self.callbacks[pointer.group(1)] = piece
            else:
                self.opaque[piece.split()[-1].lstrip("*")] = piece
        elif "(" in piece:
            self.functions[re.search(r"(\w+) ?\(", piece).group(1)] = piece

    def add_struct(self, piece):
        head, body, tail = piece[:piece.index("{")], piece[piece.index("{") + 1:piece.rindex("}")], piece[
            piece.rindex("}") + 1:].strip()
        name = tail if head.startswith("typedef") else head.strip()
        self.structs[name] = list(members(body))


def members(body, prefix=""):
    """Names that offsetof () takes; those of nested structs and unions with their path. Bit fields have no offset."""
    for piece in split(body):
        nested = re.match(r"(?:struct|union) ?\{(.*)\} ?(\w*)$", piece)
        if nested:
            if nested.group(2):
                yield prefix + nested.group(2)
            yield from members(nested.group(1), prefix + (nested.group(2) + "." if nested.group(2) else ""))
        elif ":" not in piece:
            pointer = re.search(r"\(\*\s*(\w+)\)", piece)
            for part in [pointer.group(1)] if pointer else piece.split(","):
                yield prefix + re.search(r"(\w+)\s*(?:\[.*\])?$", part.strip()).group(1)


def number_macros(compiler, include, headers):
    """Names of macros of these headers whose value is one number."""
    text = preprocess([*compiler, "-dD"], include, headers)
    return re.findall(r"^#define (MONO_\w+) +(?:0x[0-9a-fA-F]+|\d+)(?:ULL)?$", text, re.M)
