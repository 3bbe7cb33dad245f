# SPDX-License-Identifier: MIT
"""The file of the walks module, and what is true of stacks of the program callers."""
import collections
import re

Frame = collections.namedtuple("Frame", "kind name image")
Walk = collections.namedtuple("Walk", "result nanoseconds frames")

# NAME_3, as callers.cs calls methods; what the compiler makes of async methods and lambdas has it inside <>.
NUMBERED = re.compile(r"(?:^|[:.<])([a-z]+)_(\d)([a-z]?)(?:$|[ (<>`])")
INNER = "<"
TURN = re.compile(r":(even|odd) ")


def read(path):
    """The walks of a file; frames are shared."""
    frames, walks, lost = {}, [], 0
    with open(path, errors="replace") as file:
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if cells[0] == "F":
                frames[cells[1]] = Frame(cells[2], cells[3], cells[4])
            elif cells[0] == "W":
                walks.append(Walk(int(cells[1]), int(cells[2]), cells[3].split()))
            elif cells[0] == "L":
                lost = int(cells[1])
    return [Walk(w.result, w.nanoseconds, [frames[f] for f in w.frames]) for w in walks], lost


def place_of(name):
    """('tiny', 3, '') of a method of the program; ('even', None, '') of those in turn; None of others."""
    turn = TURN.search(name)
    if turn:
        return turn.group(1), None, ""
    found = NUMBERED.search(name)
    if found:
        return found.group(1), int(found.group(2)), INNER if "<%s_" % found.group(1) in name else found.group(3)
    if ":catch_throws " in name:
        return "throws", None, ""
    return ("Main", 0, "") if ":Main (" in name else None


def may_call(caller, callee):
    name, number, _ = callee
    if name == "throws":
        return caller[0] in ("catch", "filter", "fault") and caller[1] == 2
    if name in ("even", "odd"):
        return caller[0] == ("odd" if name == "even" else "even") or caller == ("turn", 1, "")
    if name == "turn":
        return caller[0] == "Main"
    if number == 1:
        return caller[0] == "Main"
    if caller[0] != name and not (name == "catch" and caller[0] == "throws"):
        return False
    if callee[2] == INNER:
        return caller == (name, number, "")
    if number - 1 == caller[1]:
        return True
    return number - 2 == caller[1] and (name, number - 1) == ("tail", 3)


def chain(walk, image="callers"):
    """The places of the program's methods, innermost first."""
    places = [place_of(f.name) for f in walk.frames if f.kind == "M" and f.image == image]
    return [p for p in places if p]


def wrong_at(places):
    """The index of the first method whose caller is not the next one, None: all is as the names say."""
    for i, place in enumerate(places):
        if i + 1 == len(places):
            return None if place[0] == "Main" or place == ("thread", 1, "") else i
        if not may_call(places[i + 1], place):
            return i
    return None
