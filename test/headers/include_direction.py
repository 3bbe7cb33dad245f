#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Includes point one way (DESIGN, layout): each layer sees only what its row names.

Every layer but the headers may see lib/base, the ground floor. A quoted include is looked for next to its file first,
then everywhere in the tree; one that is nowhere is generated and counts as the layer's own.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)

# layer: (folders of the tree it may include besides its own, other libraries it may use)
LAYERS = {
    "include/mono":     ([], []),
    "include/monocle":  (["include/mono"], []),
    "lib/base":         ([], ["zlib.h"]),
    "lib/ecma":         ([], ["zlib.h"]),
    "lib/kit":          (["include/monocle/kit.h"], ["uv.h", "zlib.h"]),
    "lib/core":         (["include"], ["ffi.h"]),
    "lib/describe":          (["include", "lib/ecma"], []),
    "lib/clr":          (["include", "lib/describe", "lib/ecma"], []),
    "lib/mono":         (["include", "lib/core/log.h", "lib/core/load/begin.h", "lib/core/load/candidate.h",
                          "lib/core/control/control.h", "lib/core/control/control-stacks.h",
                          "lib/core/load/roster.h",
                          "lib/core/load/words.h", "lib/core/check/check.h", "lib/core/check/slots.h"], []),
    "lib/report":       (["include/monocle/kit.h", "lib/ecma"], ["uv.h", "zlib.h"]),
    "lib/live":         ([], ["uv.h"]),
    "modules":          (["include"], ["ffi.h"]),
    "examples":         (["include"], ["lua.h", "lualib.h", "lauxlib.h", "ffi.h"]),
    "tools":            (["include/monocle/kit.h", "lib/live", "lib/report"], ["uv.h", "zlib.h"]),
}
# One file with a rule of its own: modules' toolkit knows no runtime.
FILES = {"include/monocle/kit.h": ([], [])}
# Headers that come from a package rather than from libc.
PACKAGES = re.compile(r"^(uv|zlib|ffi|cmocka|lua|lualib|lauxlib)\.h$|^(glib|protobuf-c|libunwind|elfutils)")


def layer_of(path):
    for layer in sorted(LAYERS, key=len, reverse=True):
        if path.startswith(layer + "/"):
            return layer
    return None


def below(path, folder):
    return path == folder or path.startswith(folder + "/")


class Tree:
    def __init__(self, top):
        self.top = top
        self.files = [str(p.relative_to(top)) for layer in LAYERS for p in (top / layer).rglob("*") if p.is_file()]
        self.known = set(self.files)

    def sources(self):
        return sorted(f for f in self.known if f.endswith((".c", ".h", ".S", ".def")))

    def targets(self, path, bracket, name):
        """Files of the tree that the include may mean."""
        beside = (self.top / path).parent / name
        if bracket == '"' and beside.exists():
            return [str(beside.resolve().relative_to(self.top))]
        if "include/" + name in self.known:
            return ["include/" + name]
        return [f for f in self.known if f.endswith("/" + name)] if bracket == '"' else []

    def problems(self, path):
        layer = layer_of(path)
        folders, packages = FILES.get(path, LAYERS[layer])
        own = [] if path in FILES else [layer] if layer.startswith("include/") else [layer, "lib/base"]
        for bracket, name in INCLUDE.findall((self.top / path).read_text(errors="replace")):
            found = self.targets(path, bracket, name)
            seen = [f for f in found if any(below(f, folder) for folder in own + folders)]
            if found and not seen:
                yield "%s includes %s, which %s may not see" % (path, found[0], layer)
            if not found and bracket == "<" and (PACKAGES.match(name) or name.startswith(("mono/", "monocle/"))):
                if name not in packages:
                    yield "%s includes <%s>, which %s may not use" % (path, name, layer)


def main():
    tree = Tree(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else TOP)
    sources = tree.sources()
    problems = [problem for path in sources for problem in tree.problems(path)]
    for problem in problems:
        print("FAIL " + problem)
    print("%d files, %d problems" % (len(sources), len(problems)))
    return 1 if problems or len(sources) < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
