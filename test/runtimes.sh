#!/bin/bash
# SPDX-License-Identifier: MIT
#
# runtimes.sh - makes several versions of .NET runnable beside each other, without installing them.
#
#   test/runtimes.sh [8|9|10|11 ...]     all of them when none is named
#
# Prints one line per runtime that can be had: MAJOR <tab> VERSION <tab> ROOT. A program is then run with
#
#   ROOT/dotnet exec --fx-version VERSION program.exe
#
# A version that `dotnet` on PATH already has is used where it is. Others are composed in .runtimes/ (MONOCLE_RUNTIMES
# names another folder): the host from the SDK, the shared framework from the runtime package that a self-contained
# project restores, or for a version that is newer than the SDK the package of that name and version. Such a newer one
# has ASP.NET as well, because no SDK has it. Idempotent; a lock file lets two callers run at once. What cannot be had
# is named on stderr.
# Exit code: 0 all that were asked for, 1 some are missing, 77 there is no `dotnet`.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd -P)
store=${MONOCLE_RUNTIMES:-$top/.runtimes}
package=microsoft.netcore.app.runtime.linux-x64
web_package=microsoft.aspnetcore.app.runtime.linux-x64

# The version of each major that no SDK here knows: an SDK picks the runtime package of its own and of older majors.
declare -A newer_than_sdk=([11]=11.0.0)

say() { echo "runtimes: $*" >&2; }

dotnet=$(command -v dotnet || true)
if [ -z "$dotnet" ]; then
  say "no dotnet on PATH; see https://dotnet.microsoft.com/download (the SDK of .NET 8 or later)"
  exit 77
fi
dotnet=$(readlink -f "$dotnet")
sdk_root=$(dirname "$dotnet")

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_USE_MSBUILD_SERVER=0
unset CORECLR_ENABLE_PROFILING DOTNET_ENABLE_PROFILING MONOCLE_PROFILE

# The version of major $1 that lies in the shared framework folder of root $2, newest first.
version_in() {
  ls "$2/shared/Microsoft.NETCore.App" 2>/dev/null | grep "^$1\." | sort -rV | head -n 1
}

# The lines of a project of major $1 that make `dotnet restore` bring the runtime package.
project_of() {
  local sdk_major
  sdk_major=$("$dotnet" --version | cut -d. -f1)
  if [ "$1" -le "$sdk_major" ]; then
    cat <<EOF
    <TargetFramework>net$1.0</TargetFramework>
    <RuntimeIdentifier>linux-x64</RuntimeIdentifier>
    <SelfContained>true</SelfContained>
    <UseAppHost>false</UseAppHost>
    <DisableImplicitNuGetFallbackFolder>true</DisableImplicitNuGetFallbackFolder>
  </PropertyGroup>
EOF
  else
    cat <<EOF
    <TargetFramework>net$sdk_major.0</TargetFramework>
  </PropertyGroup>
  <ItemGroup>
    <PackageDownload Include="Microsoft.NETCore.App.Runtime.linux-x64" Version="[${newer_than_sdk[$1]}]" />
    <PackageDownload Include="Microsoft.AspNetCore.App.Runtime.linux-x64" Version="[${newer_than_sdk[$1]}]" />
  </ItemGroup>
EOF
  fi
}

# Restores the runtime package of major $1; prints the package's folder.
restore_package() {
  local dir=$store/.restore-$1
  mkdir -p "$dir"
  {
    echo '<Project Sdk="Microsoft.NET.Sdk">'
    echo '  <PropertyGroup>'
    echo '    <OutputType>Exe</OutputType>'
    project_of "$1"
    echo '</Project>'
  } > "$dir/restore.csproj"
  if ! "$dotnet" restore "$dir/restore.csproj" --packages "$store/packages" -v quiet > "$dir/log" 2>&1; then
    say ".NET $1 cannot be restored: $(grep -m 1 -i error "$dir/log" || tail -n 1 "$dir/log")"
    return 1
  fi
  ls -d "$store/packages/$package/$1".* 2>/dev/null | sort -rV | head -n 1
}

# Hard links where the file system allows, copies elsewhere: the host refuses to take a symbolic link for its root.
take() { cp -rl "$@" 2>/dev/null || cp -r "$@"; }

compose() {
  local major=$1 root=$store/$1 tmp pkg version fxr
  pkg=$(restore_package "$major") || return 1
  [ -n "$pkg" ] || { say ".NET $major: no runtime package came"; return 1; }
  version=$(basename "$pkg")
  tmp=$(mktemp -d "$store/.compose-XXXXXX")
  fxr=$(ls "$sdk_root/host/fxr" | sort -V | tail -n 1)
  mkdir -p "$tmp/host/fxr" "$tmp/shared/Microsoft.NETCore.App/$version"
  cp "$dotnet" "$tmp/dotnet"
  cp -r "$sdk_root/host/fxr/$fxr" "$tmp/host/fxr/"
  take "$pkg/runtimes/linux-x64/lib/net$major.0/." "$tmp/shared/Microsoft.NETCore.App/$version/"
  take "$pkg/runtimes/linux-x64/native/." "$tmp/shared/Microsoft.NETCore.App/$version/"
  rm -rf "$root"
  chmod 755 "$tmp"
  mv "$tmp" "$root"
}

# Puts ASP.NET of major $1 into its root, where the package of it is there.
take_web() {
  local root=$store/$1 tmp pkg
  pkg=$store/packages/$web_package/${newer_than_sdk[$1]}
  [ -d "$pkg" ] || restore_package "$1" > /dev/null || return 1
  tmp=$(mktemp -d "$store/.compose-XXXXXX")
  chmod 755 "$tmp"
  mkdir "$tmp/$(basename "$pkg")"
  take "$pkg/runtimes/linux-x64/lib/net$1.0/." "$tmp/$(basename "$pkg")/"
  mv "$tmp" "$root/shared/Microsoft.AspNetCore.App"
}

provide() {
  local major=$1 version
  version=$(version_in "$major" "$sdk_root")
  if [ -n "$version" ]; then
    printf '%s\t%s\t%s\n' "$major" "$version" "$sdk_root"
    return 0
  fi
  if [ -z "$(version_in "$major" "$store/$major")" ]; then
    mkdir -p "$store"
    ( flock 9
      # Somebody else may have made it while we waited for the lock.
      [ -n "$(version_in "$major" "$store/$major")" ] || compose "$major"
    ) 9> "$store/.lock" || return 1
  fi
  if [ -n "${newer_than_sdk[$major]:-}" ] && [ ! -d "$store/$major/shared/Microsoft.AspNetCore.App" ]; then
    ( flock 9
      [ -d "$store/$major/shared/Microsoft.AspNetCore.App" ] || take_web "$major"
    ) 9> "$store/.lock" || say ".NET $major: there is no ASP.NET"
  fi
  printf '%s\t%s\t%s\n' "$major" "$(version_in "$major" "$store/$major")" "$store/$major"
}

rc=0
[ $# -gt 0 ] || set -- 8 9 10 11
for major; do
  provide "$major" || rc=1
done
exit $rc
