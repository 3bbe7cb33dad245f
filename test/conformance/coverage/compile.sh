#!/bin/bash
# SPDX-License-Identifier: MIT
#
# compile.sh - a program of this suite, by the SDK's C# compiler or the assembler, in a folder beside the stamp that
# says it is done.
#
#   compile.sh LIBRARY STAMP FOLDER NAME OPTION-OR-SOURCE...     LIBRARY: mono, net (.NET 8), roslyn, il
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
library=$1 stamp=$2 folder=$3 name=$4
shift 4
output=$(dirname "$stamp")/$folder/$name.exe
mkdir -p "$(dirname "$output")"
quiet=-nowarn:CS0649,CS0169,CS0219,CS0414,CS8321,CS0168,CS1998,CS0282
case $library in
  mono)
    "$here/../programs/csc.sh" -r:/usr/lib/mono/4.5/System.Core.dll -unsafe -langversion:latest -deterministic \
      "$quiet" "-out:$output" "$@" ;;
  net)
    "$here/../dump/programs/modern/roslyn.sh" "$output" "$quiet" "$@" ;;
  roslyn) # and with what the SDK's compiler is made of
    csc=$("$here/../programs/csc.sh" --where)
    "$here/../dump/programs/modern/roslyn.sh" --own "$output" "$quiet" "-r:${csc%/*}/Microsoft.CodeAnalysis.dll" \
      "-r:${csc%/*}/Microsoft.CodeAnalysis.CSharp.dll" "$@"
    cp "${csc%/*}"/Microsoft.CodeAnalysis{,.CSharp}.dll "${output%/*}/" ;;
  il)
    "$("$here/../dump/programs/ilasm.sh" --where)" -quiet -nologo -exe "-output=$output" "$@" ;;
esac
cp "$here/../programs/runtimeconfig.json" "${output%.exe}.runtimeconfig.json"
: > "$stamp"
