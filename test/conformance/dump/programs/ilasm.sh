#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ilasm.sh - the IL assembler of .NET, a package that is restored once into .runtimes/ (MONOCLE_RUNTIMES names another
# folder).
#
#   ilasm.sh --where             prints the assembler, or nothing where it cannot be had
#   ilasm.sh OUTPUT INPUT OPTION...     assembles
set -eu

top=$(cd "$(dirname "$0")/../../../.." && pwd -P)
store=${MONOCLE_RUNTIMES:-$top/.runtimes}
package=runtime.linux-x64.Microsoft.NETCore.ILAsm
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_USE_MSBUILD_SERVER=0
unset CORECLR_ENABLE_PROFILING DOTNET_ENABLE_PROFILING MONOCLE_PROFILE

found() { ls -d "$store/packages/${package,,}"/*/runtimes/linux-x64/native/ilasm 2> /dev/null | sort -V | tail -n 1; }

restore() {
  local dir=$store/.restore-ilasm
  command -v dotnet > /dev/null || return 0
  mkdir -p "$dir"
  cat > "$dir/restore.csproj" <<END
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="$package" Version="*" />
  </ItemGroup>
</Project>
END
  dotnet restore "$dir/restore.csproj" --packages "$store/packages" -v quiet > "$dir/log" 2>&1 || {
    echo "ilasm: $(grep -m 1 -i error "$dir/log" || tail -n 1 "$dir/log")" >&2
  }
}

ilasm=$(found)
if [ -z "$ilasm" ]; then
  mkdir -p "$store"
  ( flock 9; [ -n "$(found)" ] || restore ) 9> "$store/.lock"
  ilasm=$(found)
fi
if [ "${1-}" = --where ]; then
  [ -z "$ilasm" ] || echo "$ilasm"
  exit 0
fi
[ -x "$ilasm" ] || chmod +x "$ilasm"
exec "$ilasm" -quiet -nologo -exe -output="$1" "${@:2}"
