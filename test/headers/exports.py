#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What libmonocle.so exports: mono-sgen's profiler functions, all that our headers declare, and nothing else.

The second half of the promise that a module loads wherever it is put: a name it mentions is there.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import declarations  # noqa: E402
import harness  # noqa: E402

NEWER = {"mono_profiler_set_inline_method_callback", "mono_profiler_set_method_samplepoint_callback"}
# Public in .NET's Mono, and not in 6.8: what dotnet/runtime declares below src/native/public.
OF_DOTNET = {"mono_assembly_load_full_alc", "mono_image_open_from_data_alc", "mono_install_assembly_preload_hook_v3",
             "mono_alc_get_default_gchandle", "mono_register_bundled_satellite_assemblies",
             "mono_create_new_bundled_satellite_assembly", "mono_method_get_unmanaged_callers_only_ftnptr",
             "mono_install_load_aot_data_hook", "mono_debug_lookup_method_async_debug_info",
             "mono_debug_generate_enc_seq_points_without_debug_info", "mono_get_symfile_bytes_from_bundle"}
OF_MONO_SGEN = 88
# Of Mono's public names, those that are not functions.
DATA = {"mono_opcodes"}


def exports(path):
    """name -> nm's letter, of what the dynamic linker can find."""
    out = subprocess.run(["nm", "-D", "--defined-only", str(path)], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return {row[-1].split("@")[0]: row[-2] for row in rows if row[-2] != "A"}


def check_mono(suite, mine):
    mono = shutil.which("mono-sgen") or shutil.which("mono")
    if mono is None:
        suite.skip("mono-sgen's symbols", "mono is not installed", "mono")
        return
    names = {n for n in exports(os.path.realpath(mono)) if n.startswith("mono_profiler_")}
    suite.check(len(names) == OF_MONO_SGEN, "mono-sgen exports %d profiler functions" % OF_MONO_SGEN, len(names))
    for name in sorted(names | NEWER):
        suite.check(name in mine, "exported: " + name)


def mono_headers():
    """What Mono's installed headers declare as public, of all headers."""
    names = set()
    for path in pathlib.Path("/usr/include/mono-2.0/mono").rglob("*.h"):
        text = path.read_text(errors="replace")
        names |= set(re.findall(r"MONO_API\b[^;{}#]*?\b(mono_\w+)\s*\(", text))
        names |= set(re.findall(r"MONO_API_DATA\b[^;{}#]*?\b(mono_\w+)\s*(?:\[[^;]*)?;", text))
    return names


def check_public_names(suite, mine):
    """Of these, all that Mono itself exports: a module that names one must load."""
    mono, names = shutil.which("mono-sgen"), mono_headers()
    if mono is None or not names:
        suite.skip("names of Mono's headers", "mono or its headers are not installed", "mono")
        return
    exported = names & set(exports(os.path.realpath(mono)))
    suite.check(len(exported) > 700, "Mono exports what its headers declare", len(exported))
    for name in sorted(exported):
        suite.check(name in mine, "public in Mono: " + name)


def main():
    suite = harness.Suite("exports", __doc__)
    suite.parser.add_argument("--include", default=str(harness.TOP / "include"))
    suite.parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    suite.parser.add_argument("--library")
    options = suite.parse()
    library = options.library or suite.build.path / "lib/core/libmonocle.so"
    mine = exports(library)

    for name, letter in sorted(mine.items()):
        suite.check(re.match(r"mono(cle)?_[a-z]", name), "our prefix: " + name)
        suite.check(not re.match(r"monocle__", name), "not internal: " + name)
        suite.check(letter == "R" if name in DATA else letter in "TWi", "a function, or known data: " + name, letter)
    check_mono(suite, mine)
    for name in sorted(OF_DOTNET):
        suite.check(name in mine, "public in .NET's Mono: " + name)
    check_public_names(suite, mine)

    headers = declarations.public_headers(options.include)
    declared = declarations.Declarations(options.cc.split(), options.include, headers).functions
    ours = ["monocle/host.h", "monocle/embed.h"]
    host = declarations.Declarations(options.cc.split(), options.include, ours).functions
    missing = [name for name in sorted({**declared, **host}) if name not in mine]
    for name in sorted({**declared, **host}):
        suite.check(name in mine, "declared, hence exported: " + name)
    if missing:
        print("%d of %d declared functions are not exported" % (len(missing), len({**declared, **host})))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
