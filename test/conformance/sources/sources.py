#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where code comes from: Mono and CoreCLR say the same of the same image, and each agrees with its own stack traces.

sources.c asks for every IL offset of every method of four programs, which run one after the other in a process, and for
the native offsets that frames.cs wrote down of its own frames. Programs are compiled by mcs (.mdb) and by the SDK's
compiler (portable PDBs: beside the image and embedded, with checksums). Then symbols are broken, with --full in every
way: the program must not notice, and one line must tell.

  sources.py --build DIR [--full] [--runtimes mono,clr8,...] [--flipped N]
"""
import collections
import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import harness  # noqa: E402

IMAGES = ["frames", "language", "generics", "symbols_programs"]
KINDS = ["mdb", "portable", "optimized", "embedded"]
# Debian's Mono reads no embedded symbols: what it says of the same sources beside the image holds for these.
ORACLE = {"embedded": "portable"}
SETTINGS = {"default": {}, "no-tiering": {"DOTNET_TieredCompilation": "0"}, "no-r2r": {"DOTNET_ReadyToRun": "0"}}
SAID = "monocle: "


class Answers:
    """What the module wrote, by kind of line; of each image the lines as they are, half a million in all."""

    def __init__(self, path):
        self.rows, self.images = collections.defaultdict(list), {}
        lines = path.read_text(errors="replace").splitlines() if path.exists() else []
        self.complete = bool(lines) and lines[-1] == "end"
        for line in lines[:-1]:
            if line[0] in "MLV":
                image[line[0]].append(line)
            elif line[0] == "I":
                image = self.images[line.split("\t")[1]] = {kind: [] for kind in "MLV"}
            else:
                kind, *rest = line.split("\t")
                self.rows[kind].append(rest)

    def known(self):
        """Methods of the first image that have symbols."""
        return [line for line in next(iter(self.images.values()), {"M": []})["M"] if line.endswith("\t1")]


def locations(lines):
    rows = (line.split("\t") for line in lines)
    return {(row[1], int(row[2])): row[3:] for row in rows}


def following_file(locations, token, offset):
    """The file of the point behind the one that holds this offset, in one method's locations."""
    here = locations[token, offset]
    while (token, offset) in locations and locations[token, offset] == here:
        offset += 1
    return locations.get((token, offset), here)[-1]


class Sources(harness.Suite):
    compared = later = 0

    def image(self, name, kind=""):
        return self.build.path / "test/conformance/sources" / kind / (name + ".exe")

    # --- running --------------------------------------------------------------------------------------------------

    def ask(self, runtime, command, images, settings=None, modules=()):
        """(Outcome, Answers, the queries that the program wrote)."""
        out, queries = self.work / "answers.tsv", self.work / "queries.txt"
        for path in (out, queries):
            path.unlink(missing_ok=True)
        desc = "sources:images=%s,output=%s,queries=%s,code" % ("+".join(images), out, queries)
        env = harness.profile_environment(self.build, runtime, [desc, *modules], settings)
        seen = harness.run(command, env, cwd=self.work)
        lines = queries.read_text().splitlines() if queries.exists() else []
        return seen, Answers(out), [line.split() for line in lines]

    def untouched(self, what, command, seen, settings=None):
        bare = self.bare(command, settings)
        return self.check((bare.code, bare.out) == (seen.code, seen.out), what + ": the program is untouched",
                          "%s\n--- bare\n%s" % (seen, bare))

    # --- the same on both -----------------------------------------------------------------------------------------

    def all_programs(self, runtime, kind):
        """The answers about the programs of a kind, which must agree with the traces that frames.exe wrote."""
        listed = self.work / ("programs-" + kind)
        lines = ["%s\t%s" % (self.image(name, kind), self.work / "queries.txt") for name in IMAGES]
        listed.write_text("\n".join(lines) + "\n")
        command = runtime.command(self.image("each")) + [listed]
        what = "%s on %s" % (kind, runtime)
        seen, answers, queries = self.ask(runtime, command, IMAGES)
        self.native(what, kind, seen, answers, queries)
        self.untouched(what, command, seen)
        self.check(SAID not in seen.err, what + ": nothing to complain of", seen.err)
        return answers

    def compare(self, what, theirs, ours):
        if not self.check(theirs.complete and ours.complete, what + ": the module answers"):
            return
        for name in IMAGES:
            mine, monos = ours.images[name], theirs.images[name]
            self.same_methods("%s %s" % (name, what), monos, mine)
            self.same_locations("%s %s" % (name, what), monos["L"], mine["L"])

    def same_methods(self, what, theirs, ours):
        for kind in "MV":
            self.check(theirs[kind] == ours[kind], "%s: %s lines as on Mono" % (what, kind),
                       [pair for pair in zip(theirs[kind], ours[kind]) if pair[0] != pair[1]][:5])
            self.compared += len(ours[kind])

    def same_locations(self, what, theirs, ours):
        """The known deviation is asserted: where the document changes, Mono names the later point's."""
        bad = []
        self.compared += len(ours)
        if theirs != ours:
            theirs, ours = locations(theirs), locations(ours)
            for key in sorted({*theirs, *ours}):
                a, b = theirs.get(key), ours.get(key)
                if a == b:
                    continue
                if a and b and a[:-1] == b[:-1] and a[-1] == following_file(ours, *key):
                    self.later += 1
                else:
                    bad.append((key, a, b))
        self.check(not bad and len(ours) > 600, "%s: %d locations as on Mono" % (what, len(ours)), bad[:5])

    # --- native offsets -------------------------------------------------------------------------------------------

    def frames_alone(self, runtime, kind, settings, modules=()):
        what = "frames %s on %s %s%s" % (kind, runtime, settings, " with probes" if modules else "")
        command = runtime.command(self.image("frames", kind)) + [self.work / "queries.txt"]
        self.native(what, kind, *self.ask(runtime, command, ["frames"], SETTINGS[settings], modules))

    def native(self, what, kind, seen, answers, frames):
        """
        The lines of the program's own stack traces. A return address is looked up as such on Mono and one before it on
        CoreCLR. CoreCLR's traces name IL offset 0 where its map has none, behind a finally: no line of these is right.
        """
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

    def hot(self, runtime):
        """Code that is compiled again and again: the newest body counts. It runs long enough to be found hot."""
        seen, answers, _ = self.ask(runtime, runtime.command(self.build.exe("fib")) + ["41"], ["fib"])
        bodies, others = (int(n) for n in (answers.rows["J"] or [("0", "0")])[0])
        self.check(seen.code == 0 and bodies > len(answers.images["fib"]["M"]) and others == 0,
                   "%s: each of %d bodies was the newest when it was made" % (runtime, bodies), seen)

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

    # --- symbols elsewhere, and broken ones -----------------------------------------------------------------------

    def copy(self, kind, *suffixes, moved=False):
        """A copy of frames.exe; `moved`: where its compiler put the symbols is nothing."""
        image, folder = self.image("frames", kind), self.work / "copy"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for suffix in (".exe", ".runtimeconfig.json", *suffixes):
            shutil.copy(image.with_suffix(suffix), folder)
        copy = folder / image.name
        if moved:
            path = str(image.with_suffix(".pdb")).encode()
            data = copy.read_bytes()
            self.check(data.count(path) == 1, kind + ": the image names its symbols", path)
            copy.write_bytes(data.replace(path, path.replace(b"/frames.", b"/absent.")))
        return copy

    def ask_copy(self, runtime, copy, loader=()):
        command = runtime.command(*loader or [copy]) + [copy] * len(loader) + [self.work / "queries.txt"]
        return command, *self.ask(runtime, command, ["frames"])[:2]

    def found_elsewhere(self, runtime):
        """Where the compiler put them is looked at last."""
        _, seen, answers = self.ask_copy(runtime, self.copy("optimized"))
        self.check(answers.known() and SAID not in seen.err,
                   "symbols elsewhere on %s: found by the path in the image" % runtime, seen)

    def from_memory(self, runtime):
        """An image without a file has the symbols that it embeds."""
        _, seen, answers = self.ask_copy(runtime, self.image("frames", "embedded"), [self.image("loader", "mdb")])
        self.check(seen.code == 73 and len(answers.known()) > 20 and answers.rows["Q"] and SAID not in seen.err,
                   "an image from memory on %s: has the symbols that it embeds" % runtime, seen)

    def broken(self, runtime, name, prepare, lines=(1, 1), kind="portable", located=False):
        """`prepare (image, pdb)` breaks a copy; `lines`: how often the log may name it."""
        copy = self.copy(kind, *[".pdb"] * (kind == "portable"), moved=kind == "portable")
        prepare(copy, copy.with_suffix(".pdb"))
        what = "%s on %s" % (name, runtime)
        command, seen, answers = self.ask_copy(runtime, copy)
        said = [line for line in seen.err.splitlines() if line.startswith(SAID)]
        bare = harness.run(command, harness.bare_environment(), self.work)
        self.check((bare.code, bare.out) == (seen.code, seen.out), what + ": the program is untouched", (seen, bare))
        named = all("frames" in line for line in said)
        self.check(lines[0] <= len(said) <= lines[1] and named, what + ": says so once", seen.err)
        if not located:
            known = answers.known()
            self.check(answers.complete and (not known or lines[0] == 0), what + ": no source", known[:3])


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


def break_all(suite, runtime):
    def another_build(image, pdb):
        shutil.copy(suite.image("language", "portable").with_suffix(".pdb"), pdb)

    def only_mdb(image, pdb):
        """The image of one compiler and the symbols of another."""
        pdb.unlink()
        shutil.copy(str(suite.image("frames", "mdb")) + ".mdb", str(image) + ".mdb")

    suite.broken(runtime, "cut in half", cut(-2))
    suite.broken(runtime, "embedded, damaged", flip_embedded, kind="embedded")
    if not suite.options.full:
        return
    for size in (0, 16, -3):
        suite.broken(runtime, "cut %d" % size, cut(size))
    for i in range(suite.options.flipped):
        suite.broken(runtime, "flipped %d" % i, lambda image, pdb, i=i: flip(pdb, i), (0, 1), located=True)
    suite.broken(runtime, "another build", another_build)
    suite.broken(runtime, "a folder", replace(lambda pdb: pdb.mkdir()))
    suite.broken(runtime, "a circle of links", replace(lambda pdb: pdb.symlink_to(pdb.name)))
    if os.getuid():
        suite.broken(runtime, "unreadable", lambda image, pdb: pdb.chmod(0))
    suite.broken(runtime, "another compiler's", only_mdb)
    suite.broken(runtime, "none", lambda image, pdb: pdb.unlink(), (0, 0), located=True)


def main():
    suite = Sources("sources", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--flipped", type=int, default=6, help="PDBs with flipped bytes")
    options = suite.parse()
    runtimes = suite.runtimes()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    kinds = [kind for kind in KINDS if suite.image("frames", kind).exists()]
    if not mono or len(kinds) < len(KINDS):
        suite.skip("sources", "no Mono to compare with, or one of the compilers is absent", "mono")
        return suite.finish()
    theirs = {kind: suite.all_programs(mono, kind) for kind in kinds if kind not in ORACLE}
    for runtime in runtimes:
        if runtime is mono:
            continue
        for kind in kinds:
            ours = suite.all_programs(runtime, kind)
            suite.compare("%s on %s" % (kind, runtime), theirs[ORACLE.get(kind, kind)], ours)
            for settings in SETTINGS if options.full else ():
                suite.frames_alone(runtime, kind, settings)
        counter = ["counter:image=frames,output=%s" % (suite.work / "counts")]
        suite.frames_alone(runtime, "optimized", "no-tiering", counter)
        if options.full:
            suite.frames_alone(runtime, "portable", "default", counter)
            suite.hot(runtime)
        suite.found_elsewhere(runtime)
        suite.from_memory(runtime)
        break_all(suite, runtime)
    print("%d answers compared, of which Mono names the next document in %d" % (suite.compared, suite.later))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
