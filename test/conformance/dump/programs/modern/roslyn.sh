#!/bin/bash
# SPDX-License-Identifier: MIT
#
# roslyn.sh - the SDK's C# compiler for .NET 8, whose programs run on later versions too.
#
#   roslyn.sh --where               prints the compiler, or nothing where it or the reference assemblies are absent
#   roslyn.sh OUTPUT SOURCE...      compiles
#   roslyn.sh --own OUTPUT ...      compiles for the SDK's own version, and in its language
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
unset CORECLR_ENABLE_PROFILING DOTNET_ENABLE_PROFILING MONOCLE_PROFILE
where=$(python3 "$here/../../../../csharp.py" --where 2> /dev/null || true)
if [ "${1-}" = --where ]; then
  echo "${where%%$'\n'*}"
  exit 0
fi
csc=${where%%$'\n'*} references=${where##*$'\n'}
version=13
if [ "$1" = --own ]; then
  shift
  version=latest
  references=$(ls -d "$(dirname "$csc")"/../../../../packs/Microsoft.NETCore.App.Ref/*/ref/net* | sort -V | tail -n 1)
fi
output=$1
shift
options=()
for file in "$references"/*.dll; do
  options+=("-r:$file")
done
exec dotnet exec "$csc" -nologo -noconfig -nostdlib -unsafe -deterministic -debug- -nullable:annotations -warn:0 \
  -langversion:$version "${options[@]}" "-out:$output" "$@"
