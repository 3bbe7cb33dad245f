#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No function is shared with other files for the tests alone.

  tests_only.py --build BUILD

A name that crosses files (monocle__*) is needed by another file of the product. Those that only tests reach are rows of
KEPT, each with its reason; the list may only shrink, so a row that is needed no more fails as well.
"""
import collections
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

# Switches and counts that exist to make a test possible.
KEPT = {
    "monocle__arena_set_budget": "memory that runs out",
    "monocle__clock_is_given": "time that a test gives",
    "monocle__codemap_count": "pieces that were given back",
    "monocle__native_count": "frames that are described",
    "monocle__spool_open_reset": "several profiles in one process",
    # Their own file needs them; tests call them as well, with input that no caller can make.
    "monocle__relation_interfaces": "a hierarchy that goes round",
    "monocle__describe_source_local": "fuzzing",
    "monocle__describe_source_locate": "fuzzing",
    "monocle__describe_source_scope": "fuzzing",
    "monocle__elf_each_needed_in": "a file in memory",
    "monocle__field_at": "a member that cannot be described",
    "monocle__clause_probe_function": "a probe without a runtime",
    # Tests read and write every signature and body of real images with the product's own readers.
    "monocle__ecma_skip_method": "each signature of an image",
    "monocle__ecma_skip_signature": "each signature of an image",
    "monocle__il_name": "bodies as text",
    # What coverage will be made of: stack-empty offsets, arms of branches, a state machine's source, changed sources.
}
# Slots of the runtime's table of callbacks: a weak definition that does nothing, or ours.
SLOTS = "monocle__callback_"


def product_objects(build):
    """Objects of what is installed; one that a source left behind is not among them."""
    for command in json.loads((build / "compile_commands.json").read_text()):
        folder = pathlib.Path(command["output"]).parts[0]
        if folder in ("lib", "modules", "tools") or folder.startswith("monocle."):
            yield build / command["output"]


def symbols(objects):
    """(object, name, nm's letter) of each global symbol."""
    out = subprocess.run(["nm", "-A", "-P", "-g"] + [str(path) for path in objects], capture_output=True, text=True,
                         check=True).stdout
    for line in out.splitlines():
        where, rest = line.split(": ", 1)
        name, letter = rest.split()[:2]
        yield where, name, letter


def unreached(objects):
    """How many names there are, and those that no other object of the product needs."""
    defined, needed = collections.defaultdict(set), collections.defaultdict(set)
    for where, name, letter in symbols(objects):
        (needed if letter == "U" else defined)[name].add(where)
    return len(defined), {name for name, files in defined.items() if not needed[name] - files}


def main():
    suite = harness.Suite("tests-only", __doc__)
    options = suite.parse()
    objects = list(product_objects(pathlib.Path(options.build)))
    count, alone = unreached(objects)
    suite.check(len(objects) > 200 and count > 1500, "the product's objects were found", (len(objects), count))
    for name in sorted(alone):
        if name.startswith("monocle__") and not name.startswith(SLOTS):
            suite.check(name in KEPT, "only tests reach %s: it goes, gets a caller, or is static" % name)
    for name in KEPT:
        suite.check(name in alone, "%s is needed by the product: its row goes" % name)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
