#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What modules are told of things that few programs do, on Mono and on CoreCLR: see seldom.cs.

  seldom.py --build DIR [--runtimes mono,clr8,clr9,clr10]

Dynamic methods, invocations and files that are no images are compared line by line with real Mono's, for what is the
program's own. What a collection moves is the collector's business: the module `mover` says whether it is sound.
"""
import collections
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]
import harness  # noqa: E402
import story  # noqa: E402

SETTINGS = [{}, {"DOTNET_gcServer": "1", "DOTNET_GCHeapCount": "2"}, {"DOTNET_gcConcurrent": "0"}]
OWN = re.compile(r"^(Seldom|Plain|Holder|Broken|Target|Other)\b")
# What a thread begins with is another method on each side.
THREAD = re.compile(r"^System\.Threading\.(ThreadStart:Invoke|Thread:StartCallback) \(\)$")


def dynamic(lines):
    """Compiled in order, freed in any."""
    made, freed = [], collections.Counter()
    for line in lines:
        name = line.values.get("method", "")
        if not name.startswith("(wrapper dynamic-method) object:Own"):
            continue
        if line.event == "method_free":
            freed[name] += 1
        else:
            made.append((line.event, name, line.values.get("jinfo", "") != "null"))
    return made, freed


def invocations(lines):
    """By thread: the program's own, and what its thread began with."""
    said = collections.OrderedDict()
    for line in lines:
        name = line.values["method"]
        name = "a thread" if THREAD.match(name) else name
        if OWN.match(name) or name == "a thread":
            said.setdefault(line.thread, []).append((line.event, name))
    return list(said.values())


def bad_images(lines):
    return [(line.event, match[1]) for line in lines
            for match in [re.search(r"(?:^|/)(text|half|absent)(\.dll)?$", line.values.get("image", ""))] if match]


TOPICS = [("dynamic", "jit+method_free", dynamic), ("invocations", "method_begin+method_end", invocations),
          ("bad-images", "image", bad_images)]


class Seldom(harness.Suite):
    @property
    def exe(self):
        return self.build.path / "test/conformance/events/events-seldom.exe"

    def run_program(self, runtime, topic, module, settings):
        env = harness.profile_environment(self.build, runtime, [module], settings)
        seen = harness.run(runtime.command(self.exe) + [topic, self.work], env, self.work)
        what = "%s on %s %s" % (topic, runtime, " ".join("%s=%s" % s for s in settings.items()))
        self.check(seen.code == 0 and seen.out.endswith("done\n"), what + ": the program runs as it would", seen)
        return what, seen

    def told(self, runtime, topic, only, words, settings):
        file = self.work / "seldom.log"
        file.unlink(missing_ok=True)
        what, seen = self.run_program(runtime, topic, "events:only=%s,output=%s" % (only, file), settings)
        return what, words(story.Log(file.read_text()).lines if file.exists() else []), seen

    def compare(self, mono, clrs, row):
        _, monos, seen = self.told(mono, *row, {})
        output = seen.out
        self.check(any(monos), "%s on %s: something is told" % (row[0], mono), monos)
        for clr in clrs:
            what, mine, seen = self.told(clr, *row, {})
            self.check(seen.out == output, what + ": the same output", (seen.out, output))
            self.check(mine == monos, what + ": as on Mono", (mine, monos))

    def heap(self, runtime, options, settings):
        file = self.work / "mover.txt"
        file.unlink(missing_ok=True)
        what, seen = self.run_program(runtime, "moves", "mover:output=%s%s" % (file, options), settings)
        report = file.read_text() if file.exists() else ""
        counts = {name: int(count) for name, count in (line.split() for line in report.splitlines())}
        self.check(counts.get("tokens", 0) >= 1000, what + ": the program's objects move", (counts, seen))
        for fault in ("outside", "odd", "unmoved", "nameless"):
            self.check(counts.get(fault) == 0, "%s: none %s" % (what, fault), counts)
        if options and runtime.kind != "mono":
            known = counts.get("roots", 0) > 20 and counts["unregistered"] == 0
            self.check(known, what + ": roots are registered", counts)

    def filters(self, runtime, settings):
        """The runtime hands filters the exception where it was before anybody was told: it must not move meanwhile."""
        what, seen = self.run_program(runtime, "filters", "lingers", settings)
        self.check(seen.out == "500\ndone\n", what + ": filters are asked about what was thrown", seen)


def main():
    suite = Seldom("seldom", __doc__)
    suite.parser.add_argument("--runtimes", default="mono,clr8,clr9,clr10")
    options = suite.parse()
    runtimes = suite.runtimes(options.runtimes.split(","))
    if not suite.exe.exists() or not suite.build.module("events"):
        suite.skip("events", "not compiled: mcs or libffi was absent", "mono")
        return suite.finish()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    clrs = [r for r in runtimes if r is not mono]
    for topic in TOPICS if mono else []:
        suite.compare(mono, clrs, topic)
    for runtime in runtimes:
        for settings in SETTINGS if runtime is runtimes[-1] else SETTINGS[:1]:
            suite.heap(runtime, "", settings)
            suite.heap(runtime, ",roots", settings)
        suite.filters(runtime, {})
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
