#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A CPU that nobody has ported to (-Dcpu=none): all C compiles without a warning, and its unit tests pass.

  no_cpu.py --build BUILD

They include test_no_port.c, which sees that walks and samples are refused. The folder is BUILD-cpu-none and stays, so
that the next run compiles only what has changed. It is not inside BUILD, where modules are looked for everywhere.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

# What a port is in: nothing else may name a CPU's folder.
CPU_PATH = re.compile(r'#\s*include\s*[<"][^>"]*(x86_64|aarch64|arch/none)')


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True)


def main():
    suite = harness.Suite("cpu", __doc__)
    options = suite.parse()
    build = pathlib.Path(options.build)
    folder = build.with_name(build.name + "-cpu-none")
    named = [path for name in ("lib", "modules", "tools", "test")
             for path in sorted((harness.TOP / name).rglob("*.[ch]"))
             if "arch" not in path.parts and CPU_PATH.search(path.read_text(errors="replace"))]
    suite.check(not named, "no file outside arch/ includes a path with a CPU in it", named)
    # Nothing of it is measured: code is generated and linked, but not improved.
    done = run("meson", "setup", folder, harness.TOP, "-Dcpu=none", "-Dtests=enabled", "-Dclr=enabled",
               "-Doptimization=0", "-Ddebug=false",
               *(["--reconfigure"] if (folder / "build.ninja").exists() else []))
    if not suite.check(done.returncode == 0, "it configures", done.stdout[-2000:] + done.stderr[-2000:]):
        return suite.finish()
    linked = [line for rule in ("c_LINKER", "STATIC_LINKER")
              for line in run("ninja", "-C", folder, "-t", "targets", "rule", rule).stdout.split()]
    suite.check(len(linked) > 50, "there is something to build", linked)
    done = run("ninja", "-C", folder, *linked)
    warned = [line for line in done.stdout.splitlines() if re.search(r"\b(warning|error):", line)]
    suite.check(done.returncode == 0 and not warned, "it builds", warned or done.stdout[-2000:])
    suite.check((folder / "lib/clr/libmonocle-clr.so").exists(), "the CoreCLR adapter is part of it")
    done = run("meson", "test", "-C", folder, "--suite", "unit")
    failed = [line for line in done.stdout.splitlines() if re.search("FAIL|TIMEOUT|ERROR", line)]
    suite.check(done.returncode == 0, "its unit tests pass", failed[:20])
    suite.check("no port to this CPU" in done.stdout, "walks and samples were seen to be refused", done.stdout[-1000:])
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
