#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Asks real Mono and the core the same questions about Mono's core library and metadata.cs, and compares each answer.

usage: test_answers.py OURS ANSWERS_C METADATA_CS DIFFERENCES_TSV [ADAPTER RUNTIMECONFIG]

With an adapter the same module file is also run on each installed .NET: what it says there of metadata.cs, whose file
is the same, is compared in the same way.

A row of DIFFERENCES_TSV (regular expressions: the question, what Mono's answer has in it, what stands in ours instead;
why) lets answers differ in just that; a row that nothing needs fails. Exit code 77 when there is no Mono, no mcs or no
C compiler.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]))
import harness  # noqa: E402

MONO_HEADERS = "/usr/include/mono-2.0"
SHOWN = 40


def ask_mono(answers_c, program, folder):
    module, answers = folder / "libmono-profiler-metadataanswers.so", folder / "mono"
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-shared", "-fPIC", "-w", "-I" + MONO_HEADERS, answers_c, "-o", module], check=True)
    environment = dict(os.environ, ANSWERS=str(answers), LD_LIBRARY_PATH=str(folder))
    subprocess.run(["mono", "--profile=metadataanswers", program], env=environment, check=True,
                   stdout=subprocess.DEVNULL)
    return answers.read_bytes().decode(errors="backslashreplace").splitlines()


def corlib_path():
    """Where mono finds its core library."""
    for prefix in ("/usr", "/usr/local"):
        path = prefix + "/lib/mono/4.5/mscorlib.dll"
        if os.path.exists(path):
            return path
    sys.exit("no mscorlib.dll")


def ask_us(ours, program, folder):
    answers = folder / "ours"
    subprocess.run([ours, corlib_path(), program, answers], check=True)
    return answers.read_bytes().decode(errors="backslashreplace").splitlines()


def ask_clr(runtime, adapter, runtimeconfig, program, folder):
    shutil.copy(runtimeconfig, program.with_suffix(".runtimeconfig.json"))
    answers = folder / runtime.name
    environment = harness.bare_environment({
        "CORECLR_ENABLE_PROFILING": "1", "CORECLR_PROFILER": harness.CLR_GUID, "CORECLR_PROFILER_PATH": adapter,
        "MONOCLE_PROFILE": "metadataanswers", "MONOCLE_MODULE_PATH": str(folder), "ANSWERS": str(answers)})
    subprocess.run(runtime.command(program), env=environment, check=True, stdout=subprocess.DEVNULL)
    return answers.read_bytes().decode(errors="backslashreplace").splitlines()


def of_program(answers):
    """Without what is about the core library, which is another one on each runtime."""
    return [line for line in answers[answers.index("image metadata"):]
            if not (line.startswith("pattern ") and " in corlib:" in line)]


def explains(rule, theirs, mine):
    """Is our answer Mono's, but for what the rule replaces?"""
    asked, text, instead, _why = rule
    if not re.match(asked + ":", theirs):
        return False
    pieces = re.split(text, theirs)
    return len(pieces) > 1 and re.fullmatch(instead.join(map(re.escape, pieces)), mine)


def compare(who, mono, ours, rules, used):
    """How many answers are wrong; the rules that were needed go into `used`."""
    wrong = differing = 0
    for theirs, mine in zip(mono, ours):
        if theirs == mine:
            continue
        rule = next((rule for rule in rules if explains(rule, theirs, mine)), None)
        if rule:
            used.add(rule)
            differing += 1
            continue
        wrong += 1
        if wrong <= SHOWN:
            print("Mono: %s\n%s: %s" % (theirs, who, mine))
    if len(mono) != len(ours):
        print("Mono gives %d answers, %s %d" % (len(mono), who, len(ours)))
        wrong += 1
    print("%s: %d answers: %d equal, %d differ as explained, %d wrong" %
          (who, len(mono), len(mono) - differing - wrong, differing, wrong))
    return wrong


def main():
    ours, answers_c, metadata_cs, differences = sys.argv[1:5]
    missing = [tool for tool in ("mono", "mcs") if shutil.which(tool) is None]
    if missing or not os.path.isdir(MONO_HEADERS):
        print("skipped: %s is not installed" % (missing or ["Mono's header package"])[0])
        return 1 if "mono" in os.environ.get("MONOCLE_REQUIRE", "") else 77
    rules = [tuple(row.split("\t")) for row in pathlib.Path(differences).read_text().splitlines()[1:] if row]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = folder / "metadata.exe"
        subprocess.run(["mcs", "-nologo", "-warn:0", "-unsafe", "-out:%s" % program, metadata_cs], check=True)
        mono = ask_mono(answers_c, program, folder)
        if len(mono) < 400000:
            sys.exit("Mono gives %d answers only" % len(mono))
        used = set()
        wrong = compare("ours", mono, ask_us(ours, program, folder), rules, used)
        for runtime in harness.find_clr((8, 9, 10, 11)).values() if len(sys.argv) > 5 else []:
            clr = ask_clr(runtime, sys.argv[5], sys.argv[6], program, folder)
            wrong += compare(runtime.name, of_program(mono), of_program(clr), rules, used)
    for rule in rules:
        if rule not in used:
            print("no answer needs the rule %s %s" % rule[:2])
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
