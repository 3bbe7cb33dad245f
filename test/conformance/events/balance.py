#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether a log of the module `events` is balanced: what began has ended, once, where it had to.

On each thread: a monitor that is waited for is got or given up, compiling and loading end, finalisation comes in pairs,
the phases of an exception nest. Of the whole: pauses and collections, threads, handles. What is open at the end counts
as open only on threads that were still at work; a thread that lost lines is not judged.
"""
import collections
import re
import sys

import rows

# Invocations that an exception ends are rules.py's.
PAIRS = {opener: closes for opener, closes in rows.PAIRS.items() if opener != "method_begin_invoke"}
CLOSES = {close: opener for opener, closes in PAIRS.items() for close in closes}
ALONE = {"monitor_contention", "gc_finalizing_object"}   # never two of them at once on a thread
PAUSE = ["pre-stop-world", "pre-stop-world-locked", "post-stop-world", "pre-start-world", "post-start-world",
         "post-start-world-unlocked"]
PHASES = {"search-leave": "search-enter", "filter-leave": "filter-enter", "finally-leave": "finally-enter"}
SUSPENSION = {"suspending": (None, "resumed", "aborted"), "suspended": ("suspending",), "aborted": ("suspending",),
              "resuming": ("suspended",), "resumed": ("resuming",)}
LINE = re.compile(r"\s*([\d.]+)\s+(\d+)\s+(\w+)(.*)$")
LOST = re.compile(r"--- (\d+) lines of thread (\d+) are missing")


def value(rest, key):
    found = re.search(r" %s=(.*?)(?= \w+=| \([\d.]+ us\)$|$)" % key, rest)
    return found[1] if found else ""


class Balance:
    def __init__(self, kind):
        self.kind = kind
        self.counts = collections.Counter()
        self.lost = collections.Counter()                     # lines by thread
        self.open = collections.defaultdict(lambda: collections.defaultdict(list))
        self.phases = collections.defaultdict(list)
        self.faults = []                                      # (thread, text)
        self.pause, self.collecting, self.suspension = -1, 0, {}
        self.started, self.handles = {}, {}

    def fault(self, thread, text, at):
        self.faults.append((thread, "%s: %s" % (at, text)))

    # --- one event --------------------------------------------------------------------------------------------------

    def on_pair(self, at, thread, event, rest):
        opened = self.open[thread]
        what = value(rest, r"\w+")
        if event in PAIRS:
            if event in ALONE and opened[event]:
                self.fault(thread, "%s inside %s" % (event, opened[event][-1]), at)
            opened[event].append((event, what, at))
            return
        opener = CLOSES[event]
        # Mono tells of several methods that one compilation made; classes get their names while they load.
        loose = self.kind == "mono" and opener in ("jit_begin", "class_loading", "vtable_loading")
        if not opened[opener]:
            if not loose:
                self.fault(thread, "%s%s without %s" % (event, rest, opener), at)
        elif not loose and opener in ("jit_begin", "class_loading", "monitor_contention",
                                      "method_enter") and what != opened[opener][-1][1]:
            self.fault(thread, "%s%s closes %s" % (event, rest, opened[opener][-1]), at)
            opened[opener].pop()
        else:
            opened[opener].pop()

    def on_collection(self, at, thread, event, rest):
        step = value(rest, "event")
        if step in ("start", "end"):
            self.collecting += 1 if step == "start" else -1
            if not 0 <= self.collecting <= 2:
                self.fault(thread, "%d collections are open" % self.collecting, at)
            return
        self.pause = (self.pause + 1) % len(PAUSE)
        if PAUSE[self.pause] != step:
            self.fault(thread, "%s where %s is due" % (step, PAUSE[self.pause]), at)
            self.pause = PAUSE.index(step)

    def on_phase(self, at, thread, event, rest):
        """Phases that run code nest; what an exception leaves behind on its way out is gone with its frames."""
        phase, stack = value(rest, "phase"), self.phases[thread]
        if phase in PHASES.values():
            stack.append(phase)
        elif phase in PHASES:
            while stack and stack[-1] != PHASES[phase]:
                stack.pop()
            if not stack:
                self.fault(thread, "%s without %s" % (phase, PHASES[phase]), at)
            else:
                stack.pop()
        self.counts["phase " + phase] += 1

    def on_suspension(self, at, thread, event, rest):
        phase = value(rest, "phase")
        before = self.suspension.get(thread)
        if before not in SUSPENSION[phase] and before is not None:
            self.fault(thread, "%s after %s" % (phase, before), at)
        self.suspension[thread] = phase

    def on_thread(self, at, thread, event, rest):
        tid = value(rest, "tid")
        if event == "thread_started":
            if self.started.get(tid):
                self.fault(thread, "thread %s starts twice" % tid, at)
            self.started[tid] = True
        elif event in ("thread_exited", "thread_stopped", "thread_stopping") and self.started.get(tid) is None:
            self.fault(thread, "%s of %s, which never started" % (event, tid), at)
        elif event == "thread_exited":
            if not self.started[tid]:
                self.fault(thread, "thread %s ends twice" % tid, at)
            self.started[tid] = False

    def on_handle(self, at, thread, event, rest):
        handle = value(rest, "handle")
        if event == "gc_handle_created":
            if handle in self.handles:
                self.fault(thread, "handle %s is made twice" % handle, at)
            self.handles[handle] = value(rest, "type")
        elif self.handles.pop(handle, None) != value(rest, "type"):
            self.fault(thread, "handle %s goes and was not there" % handle, at)

    def judge_of(self, event):
        if event in PAIRS or event in CLOSES:
            return self.on_pair
        if event.startswith("gc_handle_"):
            return self.on_handle
        if event.startswith("thread_") and event not in ("thread_suspension", "thread_os_id", "thread_name"):
            return self.on_thread
        return {"gc_event": self.on_collection, "exception_phase": self.on_phase,
                "suspension": self.on_suspension}.get(event)

    # --- the whole log ----------------------------------------------------------------------------------------------

    def read(self, file):
        judges = {}
        for line in file:
            found = LINE.match(line)
            if not found:
                lost = LOST.match(line)
                if lost:
                    self.lost[lost[2]] += int(lost[1])
                elif not line.startswith("#"):
                    self.fault("?", "no line: " + line[:200], "?")
                continue
            at, thread, event, rest = found.groups()
            self.counts[event] += 1
            if event not in judges:
                judges[event] = self.judge_of(event)
            if judges[event]:
                judges[event](at, thread, event, rest)
        return self

    def verdict(self, whole=True):
        """Faults on threads that lost nothing. `whole`: the program ended in an orderly way."""
        faults = [text for thread, text in self.faults if thread not in self.lost and (whole or "thread" not in text)]
        if whole and not self.lost:
            # What waits or collects in the background while the process ends is never heard of again.
            for thread, opened in self.open.items():
                for opener, stack in opened.items():
                    if len(stack) > (0 if opener in ("class_loading", "image_loading", "vtable_loading") else 1):
                        if opener != "method_enter" and self.kind != "mono":
                            faults.append("thread %s: never closed: %s" % (thread, stack[:3]))
            if self.pause not in (-1, len(PAUSE) - 1):
                faults.append("the last pause stops at " + PAUSE[self.pause])
        return faults


if __name__ == "__main__":
    with open(sys.argv[1], errors="replace") as log:
        balance = Balance(sys.argv[2] if len(sys.argv) > 2 else "coreclr").read(log)
    print("\n".join(balance.verdict()[:50]))
    print(dict(balance.counts), dict(balance.lost))
