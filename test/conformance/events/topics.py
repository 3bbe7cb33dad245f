#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What modules are told of one topic, on Mono and on CoreCLR.

The program (topics.cs) is compiled once. The module `events` writes down what it is told; each topic's lines are cut to
what must agree by the rules of doc/events.md, in order per thread, and compared with real Mono's. Rules that have no
counterpart on Mono are checked by themselves: pairs that must close, counts that the program knows.

  topics.py --build DIR [--full] [--runtimes mono,clr8,...]
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import harness  # noqa: E402
import rows  # noqa: E402
import story  # noqa: E402

BUFFER = 1 << 26  # of each thread: the whole program may run before the log's thread does once


def per_thread(lines, words):
    """Sequences of words by thread; threads that say nothing are left out, the others in the order of their first."""
    said = collections.OrderedDict()
    for line in lines:
        word = words(line)
        if word:
            said.setdefault(line.thread, []).append(word)
    return list(said.values())


def forced(lines, runtime):
    """The runtime's own collections come when they like: those that the program forces stop the world and are old."""
    return story.collected(lines, "1" if runtime.kind == "mono" else "2")


def own_objects(*events):
    def words(lines, _runtime):
        def word(line):
            about = line.values.get("object", line.values.get("exception", ""))
            # Mono's console asks for a culture that is not there, and catches the answer.
            return line.event + " " + about if line.event in events and "CultureNotFound" not in about else None
        return per_thread(lines, word)
    return words


def monitors(lines, _runtime):
    def word(line):
        return line.event if line.event.startswith("monitor_") and line.values["object"] == "Token" else None
    return per_thread(lines, word)


def handles(lines, _runtime):
    numbers, words = {}, []
    for line in lines:
        if line.event == "gc_handle_created" and line.values["object"] == "Token":
            numbers[line.values["handle"]] = line.values["type"]
            # Mono's scheme: the type stands in the low bits.
            low = int(line.values["handle"]) & 7
            words.append("created %s %d" % (line.values["type"], low))
        elif line.event == "gc_handle_deleted" and line.values["handle"] in numbers:
            words.append("deleted " + numbers.pop(line.values["handle"]))
    return words


def finalisation(lines, _runtime):
    own = [x for x in lines if x.values.get("object") in ("Finalised", "Resurrected")]
    pairs = ["%s %s" % (x.event, x.values["object"]) for x in own]
    return sorted(collections.Counter(pairs).items()), len({x.thread for x in own})


def threads(lines, _runtime):
    named = {x.values["tid"] for x in lines
             if x.event == "thread_name" and re.match('"(worker|named)', x.values["name"])}
    words = []
    for line in lines:
        if line.event == "thread_name" and line.values["name"].startswith(('"worker', '"named')):
            words.append(line.values["name"])
    return words, bool(named)


def loading(lines, _runtime):
    def word(line):
        for key in ("image", "assembly"):
            if key in line.values and "helper" in line.values[key]:
                return line.event
        return None
    return [w for w in map(word, lines) if w]


def life(lines, _runtime):
    wanted = ("domain_loading", "domain_loaded", "domain_name", "runtime_initialized", "runtime_shutdown_begin",
              "runtime_shutdown_end")
    return [x.event + x.values.get("name", "") for x in lines if x.event in wanted]


TOPICS = [
    ("collections", "gc_event", forced),
    ("finalisation", "gc_finalizing+gc_finalized", finalisation),
    ("monitors", "monitor", monitors),
    ("handles", "gc_handle", handles),
    ("exceptions", "exception_throw", own_objects("exception_throw")),
    ("threads", "thread", threads),
    ("loading", "image+assembly", loading),
    ("nothing", "domain+runtime", life),
]


class Events(harness.Suite):
    @property
    def exe(self):
        return self.build.path / "test/conformance/events/events-topics.exe"

    def settings(self, clr, clrs):
        """All on the newest runtime."""
        return rows.SETTINGS if self.options.full and clr is clrs[-1] else rows.SETTINGS[:1]

    def log(self, runtime, topic, only, settings):
        file = self.work / "events.log"
        file.unlink(missing_ok=True)
        module = "events:only=%s,buffer=%d,output=%s" % (only, BUFFER, file)
        env = harness.profile_environment(self.build, runtime, [module], settings)
        seen = harness.run(runtime.command(self.exe) + [topic], env, self.work)
        what = "%s on %s %s" % (topic, runtime, " ".join("%s=%s" % s for s in settings.items()))
        self.check(seen.code == 0 and seen.out.endswith("done\n"), what + ": the program runs as it would", seen)
        lines = story.Log(file.read_text()).lines if file.exists() else []
        self.check(lines, what + ": there is a log", seen)
        return what, lines, seen

    def sound(self, what, lines):
        """What must hold of any log."""
        open_pauses, collections_open = 0, 0
        for line in lines:
            step = line.values.get("event") if line.event == "gc_event" else None
            open_pauses += (step == "pre-stop-world") - (step == "post-start-world-unlocked")
            collections_open += (step == "start") - (step == "end")
            if open_pauses not in (0, 1) or collections_open not in (0, 1, 2):
                self.check(False, what + ": pauses and collections nest", line)
                return
        self.check(open_pauses == 0, what + ": every pause ends", open_pauses)

    def compare(self, topic, what, mine, monos):
        if topic == "collections":
            self.check(len(mine) >= 6, what + ": six collections were forced", len(mine))
            ways = collections.Counter(mine), collections.Counter(monos)
            self.check(ways[0].keys() == ways[1].keys(), what + ": as on Mono", ways)
        else:
            self.check(mine == monos, what + ": as on Mono", (mine, monos))

    def topic(self, mono, clrs, row):
        topic, only, words = row
        _, lines, seen = self.log(mono, topic, only, {})
        monos, output = words(lines, mono), seen.out
        self.check(monos, "%s on %s: something is told" % (topic, mono), lines[:5])
        for clr in clrs:
            for setting in self.settings(clr, clrs):
                what, lines, seen = self.log(clr, topic, only, setting)
                self.sound(what, lines)
                self.check(seen.out == output, what + ": the same output", (seen.out, output))
                self.compare(topic, what, words(lines, clr), monos)


def main():
    suite = Events("events", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    runtimes = suite.runtimes()
    if not suite.exe.exists() or not suite.build.module("events"):
        suite.skip("events", "not compiled: mcs or libffi was absent", "mono")
        return suite.finish()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    clrs = [r for r in runtimes if r is not mono]
    for topic in TOPICS if mono else []:
        suite.topic(mono, clrs, topic)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
