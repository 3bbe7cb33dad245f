#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each public header compiles as the only include of a file: C11, C17, C++17 and C++20, without a warning, also
-pedantic.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import declarations  # noqa: E402
import harness  # noqa: E402

STANDARDS = {"c11": "c", "c17": "c", "c++17": "c++", "c++20": "c++"}
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror"]
C_WARNINGS = ["-Wstrict-prototypes", "-Wmissing-prototypes"]


def compile_alone(compiler, standard, include, header):
    language = STANDARDS[standard]
    flags = WARNINGS + (C_WARNINGS if language == "c" else [])
    return subprocess.run([*compiler, "-std=" + standard, *flags, "-I", include, "-fsyntax-only", "-x", language, "-"],
                          input="#include <%s>\n" % header, capture_output=True, text=True)


def main():
    suite = harness.Suite("stand-alone", __doc__)
    suite.parser.add_argument("--include", default=str(harness.TOP / "include"))
    suite.parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    suite.parser.add_argument("--cxx", default=os.environ.get("CXX", "c++"))
    options = suite.parse()
    headers = [h for folder in ("mono", "monocle") for h in declarations.public_headers(options.include, folder)]
    suite.check(len(headers) >= 25, "the headers are found", headers)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = {}
        for standard, language in STANDARDS.items():
            compiler = (options.cc if language == "c" else options.cxx).split()
            if not shutil.which(compiler[0]):
                suite.skip("-std=" + standard, compiler[0] + " is not installed")
                continue
            for header in headers:
                job = pool.submit(compile_alone, compiler, standard, options.include, header)
                jobs[job] = "%s as %s" % (header, standard)
        for job, what in jobs.items():
            suite.check(job.result().returncode == 0, what, job.result().stderr[:800])
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
