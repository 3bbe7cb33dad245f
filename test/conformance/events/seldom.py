#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What modules are told of things that few programs do, on Mono and on CoreCLR: see seldom.cs.

  seldom.py --build DIR [--full] [--runtimes mono,clr8,...]

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
START = r"System\.Threading\.(ThreadStart:Invoke \(\)|Thread:StartCallback \((System\.Threading\.Thread\*)?\))"


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
        name = "a thread" if re.fullmatch(START, name) else name
        if OWN.match(name) or name == "a thread":
            said.setdefault(line.thread, []).append((line.event, name))
    return list(said.values())


def bad_images(lines):
    return [(line.event, match[1]) for line in lines
            for match in [re.search(r"(?:^|/)(text|half|absent)(\.dll)?$", line.values.get("image", ""))] if match]


TOPICS = [("dynamic", ("jit", "method_free"), dynamic), ("invocations", ("method_begin", "method_end"), invocations),
          ("bad-images", ("image",), bad_images)]


class Seldom(harness.Suite):
    @property
    def exe(self):
        return self.build.path / "test/conformance/events/events-seldom.exe"

    def run_program(self, runtime, topics, module, settings):
        env = harness.profile_environment(self.build, runtime, [module], settings)
        seen = harness.run(runtime.command(self.exe) + [self.work, *topics], env, self.work)
        what = "%s on %s %s" % (" ".join(topics), runtime, " ".join("%s=%s" % s for s in settings.items()))
        self.check(seen.code == 0 and seen.out.endswith("done\n"), what + ": the program runs as it would", seen)
        return what, seen

    def told(self, runtime):
        """What the program prints, and what is told of each topic."""
        file = self.work / "seldom.log"
        file.unlink(missing_ok=True)
        events = {event for _, events, _ in TOPICS for event in events}
        _, seen = self.run_program(runtime, [topic for topic, _, _ in TOPICS],
                                   "events:only=%s,output=%s" % ("+".join(sorted(events)), file), {})
        lines = story.Log(file.read_text()).lines if file.exists() else []
        return seen.out, {topic: words([line for line in lines if line.event.startswith(events)])
                          for topic, events, words in TOPICS}

    def compare(self, mono, clrs):
        output, monos = self.told(mono)
        for topic in monos:
            self.check(any(monos[topic]), "%s on %s: something is told" % (topic, mono), monos[topic])
        for clr in clrs:
            printed, mine = self.told(clr)
            self.check(printed == output, "%s: the same output" % clr, (printed, output))
            for topic in monos:
                self.check(mine[topic] == monos[topic], "%s on %s: as on Mono" % (topic, clr),
                           (mine[topic], monos[topic]))

    def heap(self, runtime, options, settings):
        file = self.work / "mover.txt"
        file.unlink(missing_ok=True)
        what, seen = self.run_program(runtime, ["moves"], "mover:output=%s%s" % (file, options), settings)
        report = file.read_text() if file.exists() else ""
        counts = {name: int(count) for name, count in (line.split() for line in report.splitlines())}
        self.check(counts.get("tokens", 0) >= 1000, what + ": the program's objects move", (counts, seen))
        for fault in ("outside", "odd", "unmoved", "nameless"):
            self.check(counts.get(fault) == 0, "%s: none %s" % (what, fault), counts)
        if options and runtime.kind != "mono":
            known = counts.get("roots", 0) > 20 and counts["unregistered"] == 0
            self.check(known, what + ": roots are registered", counts)

    def filters(self, runtime):
        """
        The runtime hands filters the exception where it was before anybody was told: it must not move meanwhile. .NET 8
        and Mono do not let the heap be collected there.
        """
        waits = runtime.name not in ("mono", "clr8")
        what, seen = self.run_program(runtime, ["filters"], "lingers" + ":collected" * waits, {})
        self.check(seen.out == "100\ndone\n", what + ": filters are asked about what was thrown", seen)


def main():
    suite = Seldom("seldom", __doc__)
    suite.parser.add_argument("--runtimes")
    options = suite.parse(first="mono,clr9,clr10")
    runtimes = suite.runtimes()
    if not suite.exe.exists() or not suite.build.module("events"):
        suite.skip("events", "not compiled: mcs or libffi was absent", "mono")
        return suite.finish()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    clrs = [r for r in runtimes if r is not mono]
    if mono:
        suite.compare(mono, clrs if options.full else clrs[-1:])
    for runtime in runtimes:
        if options.full or runtime.name != "clr9":
            for settings in SETTINGS if options.full and runtime.name in suite.newer else SETTINGS[:1]:
                suite.heap(runtime, "", settings)
                suite.heap(runtime, ",roots", settings)
        suite.filters(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
