#!/bin/bash
# SPDX-License-Identifier: MIT
#
# compile.sh - the programs of this suite, in the folder of a stamp that says that it is done.
#
#   compile.sh EACH STAMP                   in C#; the SDK's compiler is started once for all of them, by EACH
#   compile.sh EACH STAMP NAME OPTION...    odd.il, as NAME
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
each=$1 out=$(cd "$(dirname "$2")" && pwd -P) stamp=$2
roslyn=$here/../dump/programs/modern/roslyn.sh csc=$here/../programs/csc.sh
shift 2
config() { cp "$here/../programs/runtimeconfig.json" "$out/$1.runtimeconfig.json"; }

# LIBRARY NAME SOURCE OPTION...: the library is Mono's, that of .NET 8 (net), or the SDK's own with its compiler.
program() {
  local library=$1 output=$out/$2.exe where
  config "$2"
  set -- "$here/$3.cs" -nowarn:CS0649,CS0169,CS0219,CS0414,CS8321,CS0168,CS1998,CS0282 "${@:4}"
  case $library in
    mono)
      "$csc" --print "-out:$output" "$@" -r:/usr/lib/mono/4.5/System.Core.dll -unsafe -langversion:latest \
        -deterministic "$here/marks.cs" ;;
    net) "$roslyn" --print "$output" "$@" ;;
    own)
      where=$("$csc" --where)
      cp "${where%/*}"/Microsoft.CodeAnalysis{,.CSharp}.dll "${output%/*}/"
      "$roslyn" --print --own "$output" "$@" "-r:${output%/*}/Microsoft.CodeAnalysis.dll" \
        "-r:${output%/*}/Microsoft.CodeAnalysis.CSharp.dll" ;;
  esac
  echo
}

if [ $# -gt 0 ]; then
  sed "s/^\.assembly odd /.assembly $1 /" "$here/odd.il" > "$out/$1.il"
  "$("$here/../dump/programs/ilasm.sh" --where)" -quiet -nologo -exe "-output=$out/$1.exe" "${@:2}" "$out/$1.il"
  config "$1"
else
  mkdir -p "$out/update"
  {
    for source in classic newer; do
      program mono $source-debug $source -debug:portable
      program mono $source-release $source -debug:portable -optimize+
      program mono $source-plain $source -debug- -optimize+
    done
    program net modern-debug modern -debug:portable "$here/marks.cs"
    program net modern-release modern -debug:portable -optimize+ "$here/marks.cs"
    program net modern-embedded modern -debug:embedded -optimize+ "$here/marks.cs"
    program net prepare prepare -debug- -optimize+
    program net guest guest -debug:portable -optimize+
    program own update/update update -debug:portable -optimize+
  } > "$out/compile.tsv"
  dotnet exec "$each" "$out/compile.tsv"
fi
: > "$stamp"
