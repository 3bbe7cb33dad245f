#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A walk over the objects that heap.cs builds finds the same on Mono and on CoreCLR, whichever collector that has: the
same objects, and the same references in the same fields and elements (heap.c). With --full there are a million of them,
and collections in the background are at work on some walks.

Sizes are each runtime's own. On the CLR a walk gives what mono_object_get_size () answers, rounded up to eight; Mono
gives at least that. A Leaf has 20 bytes on Mono and 24 on the CLR; the other classes with fields are equally large.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import harness  # noqa: E402

SETTINGS = [{}, {"DOTNET_gcConcurrent": "0"}, {"DOTNET_gcServer": "1"},
            {"DOTNET_gcServer": "1", "DOTNET_gcConcurrent": "0"}]
ELSEWHERE = "monocle: mono_gc_walk_heap is for gc_event, when the world is about to start; elsewhere it fails\n"
BACKGROUND = "monocle: mono_gc_walk_heap: a collection in the background is at work on the heap; it failed\n"
OBJECTS = 500000 + 400000 + 20000 + 20000 + 20000  # leaves, nodes, holders, their two arrays; one more is pinned
PART = 20  # of them in the first tier; beside a collection in the background a quarter
# Bytes of one object: a header of 16 on Mono; of 8, and 8 before the object, on the CLR.
SIZES = {"mono": {"Leaf": 20, "Node": 48, "Holder": 72}, "clr": {"Leaf": 24, "Node": 48, "Holder": 72}}


class Heap(harness.Suite):
    def walk(self, runtime, settings, arguments=()):
        """What the module found, None when it found nothing."""
        what = " ".join([str(runtime), *("%s=%s" % item for item in settings.items()), *arguments])
        image, file = self.build.path / "test/conformance/heap/heap.exe", self.work / "found"
        file.unlink(missing_ok=True)
        env = harness.profile_environment(self.build, runtime, ["heap:%s" % file], settings)
        part = PART if not self.options.full else 4 if arguments else 1
        seen = harness.run(runtime.command(image) + [str(part), *arguments], env, cwd=self.work, timeout=400)
        self.check((seen.code, seen.out) == (3, "done\n"), what + ": the program does what it does", seen)
        if not self.check(file.exists(), what + ": the module wrote what it found", seen):
            return None
        found = dict(line.rsplit(" ", 1) for line in file.read_text().splitlines())
        for name in found:
            if name.startswith("BAD"):
                self.check(found[name] == "0", "%s: %s" % (what, name[4:]), found)
        self.check(int(found["walks"]) >= 2 and int(found["continued"]) >= 7000 // part,
                   what + ": all is collected twice, and long arrays come in batches", found)
        self.check(int(found["objects"]) == OBJECTS // part + 1, what + ": no object is missing", found)
        for name, size in SIZES["mono" if runtime.kind == "mono" else "clr"].items():
            self.check(int(found["size:" + name]) == size * int(found["class:" + name]),
                       "%s: the size of %s" % (what, name), found)
        self.said(runtime, what, seen.err, found)
        return found

    def said(self, runtime, what, err, found):
        """Why a walk failed is said once."""
        wanted = "" if runtime.kind == "mono" else ELSEWHERE
        if int(found["refused"]):
            wanted += BACKGROUND
        self.check(err == wanted, what + ": what was refused is said, and nothing else", err)

    def background(self, runtime, settings):
        """Walks fail while a collection in the background is under way, others do not."""
        found = self.walk(runtime, settings, ["background"])
        if found:
            self.check(int(found["young"]) >= 1, "%s: collections of a part are walked as well" % runtime, found)
            self.check(int(found["refused"]) >= 1, "%s: no walk besides another collection" % runtime, found)

    def compare(self, mono, other, reference, found):
        for name in reference:
            if name.partition(":")[0] in ("objects", "object-sum", "references", "reference-sum", "class"):
                self.check(found.get(name) == reference[name], "%s: %s" % (other, name),
                           "%s, on %s %s" % (found.get(name), mono, reference[name]))


def main():
    suite = Heap("heap", __doc__)
    suite.parser.add_argument("--runtimes")
    options = suite.parse()
    runtimes = suite.runtimes()
    if not (suite.build.path / "test/conformance/heap/heap.exe").exists():
        suite.skip("heap", "not compiled: mcs was absent", "mono")
        return suite.finish()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    reference = suite.walk(mono, {}) if mono else None
    for runtime in runtimes:
        if runtime is mono:
            continue
        for settings in SETTINGS if options.full else SETTINGS[::2]:
            found = suite.walk(runtime, settings)
            if found and reference:
                suite.compare(mono, " ".join([str(runtime), *settings]), reference, found)
        for settings in SETTINGS[::2] if options.full else ():
            suite.background(runtime, settings)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
