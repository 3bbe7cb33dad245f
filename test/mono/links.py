#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Links made at installation: right targets, nothing of others replaced, the same twice."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

SCRIPT = harness.TOP / "lib/mono/install_links.py"
sys.path.insert(0, str(SCRIPT.parent))
import install_links  # noqa: E402


def install(stage, moduledir, monodir):
    env = {**os.environ, "DESTDIR": str(stage)}
    return subprocess.run([sys.executable, str(SCRIPT), moduledir, monodir], env=env, capture_output=True, text=True)


def setup_foretells(suite):
    """Meson prints nothing of a script that succeeds at the installation, so that setup has to say it."""
    base = suite.work / "etc"
    (base / "conf.d").mkdir(parents=True)
    (base / "ld.so.conf").write_text("include conf.d/*.conf\n/late/one # not /commented\nhwcap 0 /hwcap\n")
    (base / "conf.d/some.conf").write_text("# /commented\n/included/lib\n")
    looked = [folder for folder in ("/usr/lib", "/late/one", "/included/lib", "/commented", "/hwcap", "/opt/x/lib")
              if install_links.mono_looks_in(folder, str(base / "ld.so.conf"))]
    suite.check(looked == ["/usr/lib", "/late/one", "/included/lib"], "the linker's configuration is read", looked)
    suite.check("set LD_LIBRARY_PATH=/opt/x/lib" in install_links.foretell("/opt/x/lib"),
                "a folder where nobody looks is named")
    build = suite.work / "build"
    build.mkdir()
    (build / "meson.build").write_text("project('p')\npython = import('python').find_installation()\n"
                                       "module_install_dir = '/opt/x/lib/monocle'\n%s" %
                                       (SCRIPT.parent / "meson.build").read_text().partition("# Mono looks for")[2]
                                       .partition("\n")[2])
    shutil.copy(SCRIPT, build)
    (build / "meson_options.txt").write_text("option('monodir', type: 'string')\n")
    done = subprocess.run(["meson", "setup", "--prefix=/opt/x", "--libdir=lib", "made"], cwd=build,
                          capture_output=True, text=True)
    suite.check("will not look in /opt/x/lib: set LD_LIBRARY_PATH=/opt/x/lib" in done.stdout,
                "the end of meson setup says so", done.stdout + done.stderr)


def main():
    suite = harness.Suite("links", __doc__)
    suite.parse()
    modules = suite.work / "usr/lib/x/monocle"
    mono = suite.work / "usr/lib"
    modules.mkdir(parents=True)
    for name in ("calls", "taken", "moved"):
        (modules / ("libmono-profiler-%s.so" % name)).write_text(name)
    (modules / "libmonocle-other.so").write_text("no module")
    (mono / "libmono-profiler-taken.so").write_text("somebody else's")
    (mono / "libmono-profiler-moved.so").symlink_to("/old/place/monocle/libmono-profiler-moved.so")
    done = install(suite.work, "/usr/lib/x/monocle", "/usr/lib")
    suite.check(done.returncode == 0, "the script succeeds", done.stderr)
    calls = mono / "libmono-profiler-calls.so"
    suite.check(os.readlink(calls) == "x/monocle/libmono-profiler-calls.so", "a link is relative")
    suite.check(calls.read_text() == "calls", "a link leads to its module")
    suite.check((mono / "libmono-profiler-moved.so").read_text() == "moved", "an old link of ours is renewed")
    suite.check((mono / "libmono-profiler-taken.so").read_text() == "somebody else's", "a foreign file stays")
    suite.check("libmono-profiler-taken.so" in done.stdout, "a foreign file is named", done.stdout)
    suite.check(not (mono / "libmonocle-other.so").exists(), "what is no module gets no link")
    again = install(suite.work, "/usr/lib/x/monocle", "/usr/lib")
    suite.check("Installing" not in again.stdout, "a second time changes nothing", again.stdout)
    names = ["libmono-profiler-calls.so"]
    place = suite.work / "elsewhere"
    cache = suite.work / "ldconfig"
    for listed, finds in [("/other/", False), ("%s/" % place, True)]:
        cache.write_text("#!/bin/sh\necho '\t%s (libc6,x86-64) => %s%s'\n" % (names[0], listed, names[0]))
        cache.chmod(0o755)
        suite.check(install_links.linker_finds(str(cache), place, names[0]) == finds,
                    "the linker's cache is asked for the module, and its folder counts: %s" % listed)
    suite.check(install_links.linker_finds(str(cache), pathlib.Path("/usr/lib"), names[0]),
                "the linker looks in its default folders without a cache")
    setup_foretells(suite)
    same = install(suite.work, "/usr/lib/x/monocle", "/usr/lib/x/monocle")
    suite.check(same.returncode == 0 and not (modules / "libmono-profiler-calls.so").is_symlink(),
                "one folder for both needs no links")
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
