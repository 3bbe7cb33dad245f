#!/bin/bash
# SPDX-License-Identifier: MIT
#
# csc.sh - the SDK's C# compiler on Mono's class library, so that the result runs on both runtimes.
#
#   csc.sh --where      prints the compiler, or nothing where it or Mono's class library is absent
#   csc.sh OPTION...    compiles
set -eu

unset CORECLR_ENABLE_PROFILING MONOCLE_PROFILE
mscorlib=/usr/lib/mono/4.5/mscorlib.dll
dotnet=$(command -v dotnet || true)
csc=
if [ -n "$dotnet" ]; then
  csc=$(ls "$(dirname "$(readlink -f "$dotnet")")"/sdk/*/Roslyn/bincore/csc.dll 2>/dev/null | sort -V | tail -n 1)
fi
if [ "${1-}" = --where ]; then
  if [ -n "$csc" ] && [ -e "$mscorlib" ]; then echo "$csc"; fi
  exit 0
fi
exec dotnet exec "$csc" -nologo -noconfig -nostdlib -r:"$mscorlib" "$@"
