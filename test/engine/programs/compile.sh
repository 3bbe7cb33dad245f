#!/bin/bash
# SPDX-License-Identifier: MIT
#
# compile.sh - the programs of this suite, by the SDK's C# compiler, for .NET 8 and later.
#
#   compile.sh FOLDER     makes what is missing or older than its source in FOLDER, and prints nothing
#   compile.sh --where    prints the compiler and the folder of reference assemblies
#
# Exit code 77 and a reason on stderr when there is no SDK or no reference assemblies of .NET 8.
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
top=$(cd "$here/../../.." && pwd -P)
out=$1
unset CORECLR_ENABLE_PROFILING DOTNET_ENABLE_PROFILING MONOCLE_PROFILE
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_TieredPGO=0

give_up() {
  echo "compile: $*" >&2
  exit 77
}

dotnet=$(command -v dotnet) || give_up "no dotnet on PATH"
root=$(dirname "$(readlink -f "$dotnet")")
sdk=$(ls -d "$root"/sdk/*/ | sort -V | tail -n 1)
csc=$sdk/Roslyn/bincore/csc.dll
[ -e "$csc" ] || give_up "no C# compiler in $sdk"

# The restore that composes the runtime of .NET 8 brings its reference assemblies along.
newest() { ls -d "$@" 2>/dev/null | sort -V | tail -n 1; }
store=${MONOCLE_RUNTIMES:-$top/.runtimes}
ref8=$(newest "$store"/packages/microsoft.netcore.app.ref/8.*/ref/net8.0)
own=$(newest "$root"/packs/Microsoft.NETCore.App.Ref/*/ref/net*)
[ -n "$ref8" ] || give_up "no reference assemblies of .NET 8 (test/runtimes.sh 8 restores them)"
if [ "$out" = --where ]; then
  printf '%s\n%s\n' "$csc" "$ref8"
  exit 0
fi

# compile OUTPUT REFERENCES OPTION...
compile() {
  local target=$1 references=$2 file
  shift 2
  for file in "$references"/*.dll; do
    printf -- '-r:"%s"\n' "$file"
  done > "$out/references.rsp"
  dotnet exec "$csc" -nologo -noconfig -nostdlib -unsafe -deterministic -langversion:13 -nowarn:CS0649 \
    "@$out/references.rsp" "-out:$target" "$@"
}

# stale TARGET SOURCE...
stale() {
  local target=$1 source
  shift
  [ -e "$target" ] || return 0
  for source; do
    [ ! "$source" -nt "$target" ] || return 0
  done
  return 1
}

runtimeconfig() {
  echo '{ "runtimeOptions": { "tfm": "net8.0", "framework": { "name": "Microsoft.NETCore.App", "version": "8.0.0" },' \
    '"rollForward": "LatestMajor" } }' > "$out/$1.runtimeconfig.json"
}

mkdir -p "$out"
exec 9> "$out/.lock"
flock 9
if stale "$out/shapes-il.dll" "$here/emit/il.cs"; then
  compile "$out/il.dll" "$own" -r:"$sdk/System.Reflection.MetadataLoadContext.dll" "$here/emit/il.cs"
  runtimeconfig il
  cp "$sdk/System.Reflection.MetadataLoadContext.dll" "$out/"
  dotnet exec --roll-forward LatestMajor "$out/il.dll" "$ref8" "$out/shapes-il.dll"
fi
if stale "$out/shapes.dll" "$here"/*.cs "$out/shapes-il.dll"; then
  compile "$out/shapes.dll" "$ref8" -optimize+ -debug:portable -r:"$out/shapes-il.dll" "$here"/*.cs
  runtimeconfig shapes
fi
if stale "$out/debug/shapes.dll" "$here"/*.cs "$out/shapes-il.dll"; then
  mkdir -p "$out/debug"
  compile "$out/debug/shapes.dll" "$ref8" -debug:portable -r:"$out/shapes-il.dll" "$here"/*.cs
  cp "$out/shapes.runtimeconfig.json" "$out/shapes-il.dll" "$out/debug/"
fi
for source in lines exact callers callbacks kernels made; do
  if stale "$out/$source.dll" "$here/$source/$source.cs" "$out/shapes-il.dll"; then
    compile "$out/$source.dll" "$ref8" -optimize+ -debug:portable -r:"$out/shapes-il.dll" "$here/$source/$source.cs"
    compile "$out/debug/$source.dll" "$ref8" -debug:portable -r:"$out/shapes-il.dll" "$here/$source/$source.cs"
    runtimeconfig $source
    cp "$out/$source.runtimeconfig.json" "$out/debug/"
  fi
done
if [ -e "$sdk/FSharp/fsc.dll" ] && stale "$out/tail.dll" "$here/tail.fs"; then
  printf -- '-r:%s\n' "$ref8"/*.dll > "$out/references-fs.rsp"
  dotnet exec "$sdk/FSharp/fsc.dll" --nologo --noframework --targetprofile:netcore --optimize+ --tailcalls+ \
    --target:exe -o:"$out/tail.dll" -r:"$sdk/FSharp/FSharp.Core.dll" "@$out/references-fs.rsp" "$here/tail.fs"
  cp "$sdk/FSharp/FSharp.Core.dll" "$out/"
  runtimeconfig tail
fi
# Methods that the runtime suspends, a preview of .NET 10. The sources are this folder's and those of others.
case ${own##*/} in net[1-9][0-9].*)
  mkdir -p "$out/suspended"
  for source in "$here/suspended/suspended.cs" "$top"/test/conformance/programs/language.cs \
    "$top"/test/conformance/events/programs/async.cs "$top"/test/conformance/dump/programs/asyncs.cs \
    "$top"/test/conformance/clauses/clauses.cs; do
    name=$(basename "$source" .cs)
    if stale "$out/suspended/$name.dll" "$source"; then
      compile "$out/suspended/$name.dll" "$own" -optimize+ -debug:portable -langversion:preview \
        -features:runtime-async=on -nowarn:SYSLIB5007,CS1998,CS0414,CS0169,CS0219,SYSLIB0050,SYSLIB0011 "$source"
      sed "s/net8\\.0/${own##*/}/; s/\"8\\.0\\.0\"/\"10.0.0\"/" "$out/shapes.runtimeconfig.json" \
        > "$out/suspended/$name.runtimeconfig.json"
    fi
  done
  if stale "$out/suspended/shapes.dll" "$here"/*.cs "$out/shapes-il.dll"; then
    compile "$out/suspended/shapes.dll" "$own" -optimize+ -debug:portable -langversion:preview \
      -features:runtime-async=on -nowarn:SYSLIB5007,CS1701 -r:"$out/shapes-il.dll" "$here"/*.cs
    cp "$out/suspended/suspended.runtimeconfig.json" "$out/suspended/shapes.runtimeconfig.json"
    cp "$out/shapes-il.dll" "$out/suspended/"
  fi
  ;;
esac
# Without symbols, and by a compiler that knows nothing of this runtime.
if command -v mcs > /dev/null && stale "$out/mcs/lines.exe" "$here/lines/lines.cs"; then
  mkdir -p "$out/mcs"
  mcs -optimize+ -out:"$out/mcs/lines.exe" "$here/lines/lines.cs"
  cp "$out/lines.runtimeconfig.json" "$out/mcs/"
fi
