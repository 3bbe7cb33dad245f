#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - runs program.cs on Mono and on .NET, bare and under the module: output and exit code must stay the same, and
# the module must print the line below.
#
#   run.sh [FOLDER]     FOLDER holds libmono-profiler-tally.so (default: build)
#
# MONOCLE names the command monocle where it is not on PATH. Exit code: 0, 1 when something is wrong, 77 when there is
# no runtime to run on.
set -u

expected='tally: calls 10, assemblies 1'

here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:-$here/../build}" && pwd) || exit 1
monocle=${MONOCLE:-monocle}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

has() { command -v "$1" > /dev/null; }

# Mono's compiler makes a file that runs on both runtimes; that of the .NET SDK makes one for .NET.
compile() {
  if has mcs; then
    mcs -out:"$1" "$here/program.cs"
  else
    sdk=$(dotnet --list-sdks | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
    core=$(dotnet --list-runtimes | sed -n 's/^Microsoft.NETCore.App \([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
    dotnet exec "$sdk/Roslyn/bincore/csc.dll" -nologo -out:"$1" -r:"$core/System.Private.CoreLib.dll" \
      -r:"$core/System.Runtime.dll" -r:"$core/System.Console.dll" "$here/program.cs"
  fi
}

check() {
  name=$1
  shift
  "$@" > "$work/bare"
  wanted=$?
  MONOCLE_MODULE_PATH=$folder "$monocle" run -q --profile=tally -- "$@" > "$work/out" 2> "$work/err"
  code=$?
  if [ $code = $wanted ] && cmp -s "$work/bare" "$work/out" && grep -q -x "$expected" "$work/err"; then
    passed=$((passed + 1))
    echo "$name: $expected"
  else
    failed=$((failed + 1))
    echo "$name: FAILED, exit code $code instead of $wanted; there should be the line '$expected'"
    cat "$work/out" "$work/err"
  fi
}

if ! has "$monocle"; then
  echo "there is no '$monocle': put monocle on PATH, or its file into MONOCLE" >&2
  exit 1
fi
if ! has mcs && ! has dotnet; then
  echo "skipped: to compile program.cs there must be mcs, or dotnet with its SDK" >&2
  exit 77
fi
compile "$work/program.exe" || exit 1
cp "$here/program.runtimeconfig.json" "$work"
if has mcs && has mono; then
  check Mono mono "$work/program.exe"
fi
if has dotnet; then
  check .NET dotnet "$work/program.exe"
fi
[ $failed = 0 ] || exit 1
[ $passed != 0 ] || exit 77
