#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where code comes from: Mono and CoreCLR say the same of the same image, and each agrees with its own stack traces.

sources.c asks for every IL offset of every method, and for the native offsets that frames.cs wrote down of its own
frames. Programs are compiled by mcs (.mdb) and by the SDK's compiler (portable PDBs: beside the image and embedded,
with checksums). Then symbols are broken in every way: the program must not notice, and one line must tell.
"""
import collections
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import harness  # noqa: E402

PROGRAMS = HERE.parent / "programs"
CSC = PROGRAMS / "csc.sh"
SOURCES = [HERE / "frames.cs", PROGRAMS / "language.cs", PROGRAMS / "generics.cs",
           harness.TEST / "unit/ecma/symbols_programs.cs"]
LIBRARY = "-r:/usr/lib/mono/4.5/System.Core.dll"
KINDS = {
    "mdb": ["-debug"],
    "portable": ["-debug:portable", "-deterministic"],
    "optimized": ["-debug:portable", "-optimize+"],
    "embedded": ["-debug:embedded", "-deterministic"],
}
# Debian's Mono reads no embedded symbols: what it says of the same sources beside the image holds for these.
ORACLE = {"embedded": "portable"}
SETTINGS = {"default": {}, "no-tiering": {"DOTNET_TieredCompilation": "0"}, "no-r2r": {"DOTNET_ReadyToRun": "0"}}
SAID = "monocle: "


class Answers:
    """What the module wrote, by kind of line."""

    def __init__(self, path):
        self.rows = collections.defaultdict(list)
        lines = path.read_text(errors="replace").splitlines() if path.exists() else []
        self.complete = bool(lines) and lines[-1] == "end"
        for line in lines[:-1]:
            kind, *rest = line.split("\t")
            self.rows[kind].append(rest)

    def locations(self):
        return {(row[0], int(row[1])): row[2:] for row in self.rows["L"]}


def following_file(locations, token, offset):
    """The file of the point behind the one that holds this offset, in one method's locations."""
    here = locations[token, offset]
    while (token, offset) in locations and locations[token, offset] == here:
        offset += 1
    return locations.get((token, offset), here)[-1]


class Sources(harness.Suite):
    compared = later = 0

    def parse(self):
        self.asked = {}   # what Mono said, by image
        return super().parse()

    # --- compiling ------------------------------------------------------------------------------------------------

    def compile(self, source, kind):
        """The image in a folder of its own, or None where the compiler is not here."""
        folder = self.work / kind
        folder.mkdir(exist_ok=True)
        image = folder / (source.stem + ".exe")
        if image.exists():
            return image
        options = KINDS[kind] + ["-unsafe", "-warn:0", "-out:%s" % image, str(source)]
        if kind == "mdb":
            command = ["mcs"] + options
        else:
            command = [str(CSC), LIBRARY] + options
        if not shutil.which("mcs") or not subprocess.run([CSC, "--where"], capture_output=True).stdout.strip():
            return None
        done = subprocess.run(command, capture_output=True, text=True)
        if not self.check(done.returncode == 0, "%s %s is compiled" % (source.name, kind), done.stdout + done.stderr):
            return None
        shutil.copy(PROGRAMS / "runtimeconfig.json", folder / (source.stem + ".runtimeconfig.json"))
        return image

    # --- running --------------------------------------------------------------------------------------------------

    def ask(self, runtime, image, settings=None, modules=(), loader=None, arguments=None):
        """(Outcome, Answers, the queries that the program wrote). The loader, if any, is what is really run."""
        out, queries = self.work / "answers.tsv", self.work / "queries.txt"
        for path in (out, queries):
            path.unlink(missing_ok=True)
        desc = "sources:image=%s,output=%s,queries=%s,code" % (image.stem, out, queries)
        env = harness.profile_environment(self.build, runtime, [desc, *modules], settings)
        command = [*runtime.command(loader), image] if loader else runtime.command(image)
        seen = harness.run([*command, *(arguments or [queries])], env, cwd=self.work)
        lines = queries.read_text().splitlines() if queries.exists() else []
        return seen, Answers(out), [line.split() for line in lines]

    def bare(self, runtime, image, settings=None):
        return harness.run([*runtime.command(image), self.work / "bare.txt"], harness.bare_environment(settings),
                           cwd=self.work)

    def untouched(self, what, bare, seen):
        return self.check((bare.code, bare.out) == (seen.code, seen.out), what + ": the program is untouched",
                          "%s\n--- bare\n%s" % (seen, bare))

    def ask_once(self, mono, image):
        """Mono's (Outcome, Answers): the same of the same image, whoever is compared with it."""
        if image not in self.asked:
            self.asked[image] = self.ask(mono, image)[:2]
        return self.asked[image]

    # --- the same on both -----------------------------------------------------------------------------------------

    def compare(self, mono, runtime, source, kind):
        image = self.compile(source, kind)
        if image is None:
            return self.skip("%s %s" % (source.stem, kind), "no compiler", "mono")
        what = "%s %s on %s" % (source.stem, kind, runtime)
        oracle, theirs = self.ask_once(mono, self.compile(source, ORACLE.get(kind, kind)))
        seen, ours, _ = self.ask(runtime, image)
        self.untouched(what, self.bare(runtime, image), seen)
        complete = theirs.complete and ours.complete
        if not self.check(complete, what + ": the module answers", "%s\n%s" % (oracle.err, seen.err)):
            return None
        self.same_methods(what, theirs, ours)
        self.same_locations(what, theirs.locations(), ours.locations())
        self.check(SAID not in seen.err, what + ": nothing to complain of", seen.err)
        return None

    def same_methods(self, what, theirs, ours):
        for kind in "MV":
            self.check(theirs.rows[kind] == ours.rows[kind], "%s: %s lines as on Mono" % (what, kind),
                       [pair for pair in zip(theirs.rows[kind], ours.rows[kind]) if pair[0] != pair[1]][:5])
            self.compared += len(ours.rows[kind])

    def same_locations(self, what, theirs, ours):
        """The known deviation is asserted: where the document changes, Mono names the later point's."""
        bad = []
        for key in sorted(set(theirs) | set(ours)):
            a, b = theirs.get(key), ours.get(key)
            self.compared += 1
            if a == b:
                continue
            if a and b and a[:-1] == b[:-1] and a[-1] == following_file(ours, *key):
                self.later += 1
                continue
            bad.append((key, a, b))
        self.check(not bad and len(ours) > 600, "%s: %d locations as on Mono" % (what, len(ours)), bad[:5])

    # --- native offsets -------------------------------------------------------------------------------------------

    def native(self, runtime, kind, settings, modules=()):
        """
        The lines of the program's own stack traces. A return address is looked up as such on Mono and one before it on
        CoreCLR. CoreCLR's traces name IL offset 0 where its map has none, behind a finally: no line of these is right.
        """
        image = self.compile(HERE / "frames.cs", kind)
        if image is None:
            return self.skip("frames %s" % kind, "no compiler", "mono")
        what = "frames %s on %s %s%s" % (kind, runtime, settings, " with probes" if modules else "")
        seen, answers, frames = self.ask(runtime, image, SETTINGS[settings], modules)
        located = {(row[0], int(row[1])): row for row in answers.rows["Q"]}
        self.check(seen.code == 73 and len(frames) >= 25, what + ": the program writes frames", seen)
        bad, unknown = [], 0
        for token, native, il, line, _ in frames:
            rows = [located.get((token, int(native) - back)) for back in (0, 1)]
            lines = [row[4] for row in rows if row and len(row) > 4]
            if line in lines or (line == "0" and kind == "mdb"):
                self.compared += 1
            elif il == "0":
                unknown += 1
            else:
                bad.append((token, native, il, line, rows))
        self.check(not bad and unknown <= 1, what + ": lines of native offsets as in stack traces", bad[:5])
        self.check(answers.rows["C"] and all(row[1] == "1" for row in answers.rows["C"]), what + ": sound code",
                   answers.rows["C"][:5])
        bodies, others = answers.rows["J"][0] if answers.rows["J"] else ("0", "0")
        self.check(int(bodies) > 10 and others == "0", what + ": code that was just made is the newest",
                   answers.rows["J"])
        self.frames(what, answers)
        return None

    def hot(self, runtime):
        """Code that is compiled again and again: the newest body counts. It runs long enough to be found hot."""
        image = self.compile(PROGRAMS / "fib.cs", "mdb")
        if image is None:
            return self.skip("hot code", "no compiler", "mono")
        seen, answers, _ = self.ask(runtime, image, arguments=["41"])
        bodies, others = (int(n) for n in (answers.rows["J"] or [("0", "0")])[0])
        self.check(seen.code == 0 and bodies > len(answers.rows["M"]) and others == 0,
                   "%s: each of %d bodies was the newest when it was made" % (runtime, bodies), seen)
        return None

    def frames(self, what, answers):
        texts = {(row[0], row[1]): row[2] for row in answers.rows["F"]}
        bad = []
        for row in answers.rows["Q"]:
            text = texts[row[0], row[1]]
            end = " in %s:%s" % (row[6], row[4]) if len(row) > 6 else " <0x%05x>" % int(row[1])
            if not text.startswith("at ") or not text.endswith(end) or (len(row) > 6 and
                                                                        "[0x%05x]" % int(row[3]) not in text):
                bad.append((row, text))
        self.check(not bad and texts, what + ": frames as text", bad[:5])

    # --- broken symbols -------------------------------------------------------------------------------------------

    def moved(self, kind):
        """A copy of an image whose symbols are no longer where its compiler put them."""
        image = self.compile(HERE / "frames.cs", kind)
        if image is None:
            return None
        gone = self.work / ("gone-" + kind)
        folder = self.work / "broken"
        if not gone.exists():
            shutil.copytree(image.parent, gone)
        image.with_suffix(".pdb").unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(gone, folder)
        return folder / image.name

    def found_elsewhere(self, runtime):
        """Where the compiler put them is looked at last."""
        image = self.compile(HERE / "frames.cs", "optimized")
        if image is None:
            return self.skip("symbols elsewhere", "no compiler", "mono")
        folder = self.work / "elsewhere"
        folder.mkdir(exist_ok=True)
        copies = [shutil.copy(path, folder) for path in (image, image.with_suffix(".runtimeconfig.json"))]
        seen, answers, _ = self.ask(runtime, pathlib.Path(copies[0]))
        self.check(any(row[1] == "1" for row in answers.rows["M"]) and SAID not in seen.err,
                   "symbols elsewhere on %s: found by the path in the image" % runtime, seen)
        return None

    def from_memory(self, runtime):
        """An image without a file has the symbols that it embeds."""
        image, loader = self.compile(HERE / "frames.cs", "embedded"), self.compile(HERE / "loader.cs", "mdb")
        if image is None or loader is None:
            return self.skip("an image from memory", "no compiler", "mono")
        seen, answers, _ = self.ask(runtime, image, loader=loader)
        known = [row for row in answers.rows["M"] if row[1] == "1"]
        self.check(seen.code == 73 and len(known) > 20 and answers.rows["Q"] and SAID not in seen.err,
                   "an image from memory on %s: has the symbols that it embeds" % runtime, seen)
        return None

    def broken(self, runtime, name, prepare, lines=(1, 1), kind="portable", located=False):
        """`prepare (image, pdb)` breaks a copy; `lines`: how often the log may name it."""
        copy = self.moved(kind)
        if copy is None:
            return self.skip("broken: " + name, "no compiler", "mono")
        prepare(copy, copy.with_suffix(".pdb"))
        what = "%s on %s" % (name, runtime)
        seen, answers, _ = self.ask(runtime, copy)
        said = [line for line in seen.err.splitlines() if line.startswith(SAID)]
        self.untouched(what, self.bare(runtime, copy), seen)
        named = all("frames" in line for line in said)
        self.check(lines[0] <= len(said) <= lines[1] and named, what + ": says so once", seen.err)
        if not located:
            known = [row for row in answers.rows["M"] if row[1] == "1"]
            self.check(answers.complete and (not known or lines[0] == 0), what + ": no source", known[:3])
        return None


def flip(path, number, count=40):
    generator, data = harness.chance(number), bytearray(path.read_bytes())
    for _ in range(count):
        data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
    path.write_bytes(data)


def cut(size):
    return lambda image, pdb: os.truncate(pdb, size if size >= 0 else pdb.stat().st_size // -size)


def replace(make):
    def prepare(image, pdb):
        pdb.unlink()
        make(pdb)
    return prepare


def flip_embedded(image, pdb):
    """Bytes in the middle of the packed file: behind its magic, and far before its end."""
    data = bytearray(image.read_bytes())
    at = data.index(b"MPDB")
    for i in range(at + 40, at + 120):
        data[i] ^= 0x55
    image.write_bytes(data)


def another_build(suite):
    def prepare(image, pdb):
        shutil.copy(suite.compile(PROGRAMS / "language.cs", "portable").with_suffix(".pdb"), pdb)
    return prepare


def only_mdb(suite):
    """The image of one compiler and the symbols of another."""
    def prepare(image, pdb):
        pdb.unlink()
        shutil.copy(str(suite.compile(HERE / "frames.cs", "mdb")) + ".mdb", str(image) + ".mdb")
    return prepare


def break_all(suite, runtime):
    for size in (0, 16, -2, -3):
        suite.broken(runtime, "cut %d" % size, cut(size))
    for i in range(suite.options.flipped):
        suite.broken(runtime, "flipped %d" % i, lambda image, pdb, i=i: flip(pdb, i), (0, 1), located=True)
    suite.broken(runtime, "another build", another_build(suite))
    suite.broken(runtime, "a folder", replace(lambda pdb: pdb.mkdir()))
    suite.broken(runtime, "a circle of links", replace(lambda pdb: pdb.symlink_to(pdb.name)))
    if os.getuid():
        suite.broken(runtime, "unreadable", lambda image, pdb: pdb.chmod(0))
    suite.broken(runtime, "embedded, damaged", flip_embedded, kind="embedded")
    suite.broken(runtime, "another compiler's", only_mdb(suite))
    suite.broken(runtime, "none", lambda image, pdb: pdb.unlink(), (0, 0), located=True)


def main():
    suite = Sources("sources", __doc__)
    suite.parser.add_argument("--runtimes", default="mono,clr8,clr9,clr10")
    suite.parser.add_argument("--flipped", type=int, default=6, help="PDBs with flipped bytes")
    options = suite.parse()
    runtimes = suite.runtimes(options.runtimes.split(","))
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    for runtime in runtimes:
        for kind in KINDS:
            for settings in SETTINGS if runtime is not mono else ["default"]:
                if kind not in ORACLE or runtime is not mono:
                    suite.native(runtime, kind, settings)
        if runtime is mono:
            continue
        suite.native(runtime, "portable", "default", ["counter:image=frames,output=%s" % (suite.work / "counts")])
        suite.native(runtime, "optimized", "no-tiering", ["counter:image=frames,output=%s" % (suite.work / "counts")])
        for source in SOURCES if mono else []:
            for kind in KINDS:
                suite.compare(mono, runtime, source, kind)
        suite.hot(runtime)
        suite.found_elsewhere(runtime)
        suite.from_memory(runtime)
    # Last: from here on the programs have no symbols where their compiler put them.
    for runtime in runtimes:
        if runtime is not mono:
            break_all(suite, runtime)
    print("%d answers compared, of which Mono names the next document in %d" % (suite.compared, suite.later))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
