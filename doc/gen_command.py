#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what doc/monocle.1 repeats of the rows of commands and options.

  gen_command.py ROWS            writes it anew
  gen_command.py ROWS --check    fails where it differs, groff warns of it, or doc/formats.md lacks a format

ROWS is the program test/command/rows.c (build/test/command/command-rows). It writes the synopsis, the headings of
options and the list of formats.
"""
import difflib
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
MANUAL = TOP / "doc/monocle.1"
FORMATS = TOP / "doc/formats.md"


class Option:
    def __init__(self, name, letter, argument, target, takes_value, is_needed, is_repeated):
        self.name, self.letter, self.argument, self.target = name, letter, argument, target
        self.takes_value, self.is_needed, self.is_repeated = takes_value == "1", is_needed == "1", is_repeated == "1"
        self.choices = []

    def word(self):
        return "-" + self.letter if self.letter else "--" + self.name


class Command:
    def __init__(self, name, summary, operands, has_command):
        self.name, self.summary, self.operands, self.has_command = name, summary, operands, has_command == "1"
        self.options = []


def read_rows(program):
    commands, formats = [], []
    for line in subprocess.run([program], capture_output=True, check=True, text=True).stdout.splitlines():
        kind, *columns = line.split("\t")
        if kind == "command":
            commands.append(Command(*columns))
        elif kind == "option":
            commands[-1].options.append(Option(*columns))
        elif kind == "choice":
            commands[-1].options[-1].choices.append(columns)
        else:
            formats.append(columns)
    return commands, formats


# --- the manual

def value_macros(option):
    """NAME[:ARGS] -> Ar NAME Ns Op : Ns Ar ARGS"""
    if not option.argument:
        return r" Ns |\: Ns ".join("Cm " + name for name, _ in option.choices)  # a line may end behind each
    pieces = re.findall(r"[A-Za-z][\w.]*|[^\w\]]", option.argument)
    words = ["Op" if piece == "[" else "Ar " + piece if piece[0].isalpha() else piece for piece in pieces]
    return " Ns ".join(words).replace("Op Ns", "Op")


def spelling(option, short):
    if not option.takes_value:
        return "Fl " + (option.letter if short else "-" + option.name)
    if short:
        return "Fl %s %s" % (option.letter, value_macros(option))
    return "Fl -%s Ns = Ns %s" % (option.name, value_macros(option))


def heading(option):
    """Both spellings, which an item of the list shows."""
    both = [spelling(option, short) for short in (True, False) if (option.letter if short else option.name)]
    return ".It " + " , ".join(both) + "\n"


def operand_lines(command):
    for word in re.findall(r"\S+", command.operands):
        if word.startswith("["):
            yield ".Op Ar %s\n" % word.strip("[]").replace("...", " ...")
        else:
            yield ".Ar %s\n" % word.replace("...", " ...")


def option_lines(options):
    """Neighbours with the same target exclude each other and share a bracket."""
    groups = []
    for option in options:
        if groups and groups[-1][0].target == option.target:
            groups[-1].append(option)
        else:
            groups.append([option])
    for group in groups:
        words = " | ".join(spelling(option, bool(option.letter)) for option in group)
        if group[0].is_repeated:
            yield ".Oo\n.%s\n.Oc Ns ...\n" % words
        elif group[0].is_needed:
            yield ".%s\n" % words
        else:
            yield ".Op %s\n" % words


def synopsis(commands):
    text = ""
    for command in commands:
        text += ".Nm\n.Cm %s\n" % command.name
        operands = "".join(operand_lines(command))
        options = "".join(option_lines(command.options))
        text += options + ".Fl -\n" + operands if command.has_command else operands + options
    return text


def format_list(commands):
    """Of each option whose choices have help of their own."""
    choices = [pair for command in commands for option in command.options for pair in option.choices if pair[1]]
    return "".join(".It Cm %s\n%s\n" % (name, text.replace("; ", ";\n")) for name, text in choices)


def replace_between(text, begin, end, new):
    if text.count(begin) != 1:
        raise SystemExit("%r is there %d times" % (begin, text.count(begin)))
    before, rest = text.split(begin)
    if end not in rest:
        raise SystemExit("%r has no end" % begin)
    return before + begin + new + rest[rest.index(end):]


def write_headings(text, command):
    begin = ".Ss monocle %s\n" % command.name
    if begin not in text:
        raise SystemExit("doc/monocle.1 has no section %r" % begin)
    section = re.search(re.escape(begin) + r"(?s:.*?)(?=^\.S[hs] )", text, re.M).group()
    parts = re.split(r"^\.It Fl .*\n", section, flags=re.M)
    if len(parts) != len(command.options) + 1:
        raise SystemExit("doc/monocle.1 describes %d options of %s, which has %d: %s" % (
            len(parts) - 1, command.name, len(command.options), " ".join(o.word() for o in command.options)))
    whole = parts[0] + "".join(heading(option) + part for option, part in zip(command.options, parts[1:]))
    return text.replace(section, whole)


def manual(text, commands):
    text = replace_between(text, ".Sh SYNOPSIS\n", ".Sh ", synopsis(commands))
    text = replace_between(text, ".\\\" formats\n", ".El\n", ".Bl -tag -width speedscope\n" + format_list(commands))
    for command in commands:
        text = write_headings(text, command)
    return text


def warnings_of_manual():
    """What people with a terminal of 80 columns would be told before each page."""
    if not shutil.which("groff"):
        return []
    done = subprocess.run(["groff", "-mandoc", "-Tutf8", "-ww", "-z", "-rLL=78n", str(MANUAL)], capture_output=True,
                          text=True)
    return done.stderr.splitlines()


# --- the page of formats

def missing_formats(text, commands, formats):
    """Each format has a row, which says whether it is read, and its file is named."""
    rows = dict(re.findall(r"^\| `(\w+)` \| (yes|no) \|", text, re.M))
    for name, extension, is_read in formats:
        if rows.pop(name, "nothing") != ("yes" if is_read == "1" else "no"):
            yield "doc/formats.md: the table of other tools' formats has no right row for %s" % name
        if "`NAME%s`" % extension not in text:
            yield "doc/formats.md: no row for the file `NAME%s`" % extension
    for name in rows:
        yield "doc/formats.md: there is no format %s" % name
    for option in sum((command.options for command in commands), []):
        is_report = option.name == "format" and option.choices[0][0] == "text"
        for name, _ in option.choices[1:] if is_report else []:
            if "--format=%s" % name not in text:
                yield "doc/formats.md: nothing about --format=%s" % name


def main():
    commands, formats = read_rows(sys.argv[1])
    check = "--check" in sys.argv
    problems = list(missing_formats(FORMATS.read_text(), commands, formats))
    old = MANUAL.read_text()
    new = manual(old, commands)
    if old != new and not check:
        MANUAL.write_text(new)
    elif old != new:
        problems.append("doc/monocle.1 is not what doc/gen_command.py writes:")
        problems += difflib.unified_diff(old.splitlines(), new.splitlines(), "there", "from the rows", lineterm="")
    problems += warnings_of_manual()
    print("\n".join(problems) or "%d commands, %d formats" % (len(commands), len(formats)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
