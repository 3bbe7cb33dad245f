#!/bin/bash
# SPDX-License-Identifier: MIT
#
# publish.sh - hostile.cs as an apphost and as a single file for .NET 9.
#
#   publish.sh DIR      leaves DIR/apphost/hostile and DIR/single/hostile, unless they are newer than the source
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
mkdir -p "$1"
dir=$(cd "$1" && pwd -P)
store=${MONOCLE_RUNTIMES:-$here/../../.runtimes}

unset CORECLR_ENABLE_PROFILING MONOCLE_PROFILE
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_USE_MSBUILD_SERVER=0 MSBUILDDISABLENODEREUSE=1

publish() {
  local out=$dir/$1 work=$dir/work-$1
  shift
  if [ "$out/hostile" -nt "$here/programs/hostile.cs" ] && [ "$out/hostile" -nt "$here/programs/hostile.csproj" ]; then
    return 0
  fi
  rm -rf "$work" "$out"
  mkdir -p "$work"
  cp "$here/programs/hostile.csproj" "$work/"
  if ! dotnet publish "$work/hostile.csproj" -c Release -o "$out" -v quiet -nodeReuse:false --self-contained true \
    -p:HostileSource="$here/programs/hostile.cs" -p:RestorePackagesPath="$store/packages" \
    -p:UseSharedCompilation=false "$@" \
    > "$dir/publish.log" 2>&1; then
    grep -m 3 error "$dir/publish.log" >&2 || tail -n 3 "$dir/publish.log" >&2
    return 1
  fi
  rm -rf "$work"
}

(
  flock 9
  publish apphost -p:PublishSingleFile=false
  publish single -p:PublishSingleFile=true
) 9> "$dir/.lock"
