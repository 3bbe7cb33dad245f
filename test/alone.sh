#!/bin/sh
# SPDX-License-Identifier: MIT
#
# alone.sh - runs a test with nothing inherited.
#
#   alone.sh COMMAND...
#
# Meson runs every test by way of it, so that no test asks for itself what nohup, a shell's settings, a service or a
# terminal left: signals have the system's default actions, new files have the mode that umask 022 leaves, limits are
# the usual ones as far as the hard ones let them be, standard input is empty, and the environment holds the names
# below and nothing else.
set -eu

# Where tools are found, what the runtimes need to start and to be fetched, and what a person tells the tests.
kept='PATH HOME USER TMPDIR CC CXX CCACHE_DIR
  http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR NUGET_PACKAGES
  DOTNET_SYSTEM_GLOBALIZATION_INVARIANT
  ASAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS MESON_TEST_ITERATION
  MONOCLE_REQUIRE MONOCLE_RUNTIMES MONOCLE_SPEEDSCOPE MONOCLE_TEST_SECONDS MONOCLE_TEST_SEED'

for name in $kept; do
  if eval "[ \"\${$name+set}\" ]"; then
    eval "set -- \"$name=\$$name\" \"\$@\""
  fi
done

# Meson draws the bytes that malloc () fills memory with, and Python the order of its sets: here the seed decides both.
seed=${MONOCLE_TEST_SEED:-1}
set -- MALLOC_PERTURB_=$((seed % 255 + 1)) PYTHONHASHSEED=$((seed % 4294967296)) "$@"

umask 022
# The soft limits: what cannot be had stays.
limit() { ulimit -S "$1" "$2" 2> /dev/null || :; }
limit -c "${MONOCLE_TEST_CORES-0}" # hunt.py keeps core files
limit -n 1024
limit -s 8192
limit -t unlimited
limit -f unlimited
limit -v unlimited

# Only env can undo what nohup and `trap ''` did; that of coreutils 8.31 and later does.
signals=--default-signal
env "$signals" true 2> /dev/null || signals=
exec env -i $signals LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 \
  MONO_CRASH_NOFILE=1 DOTNET_CLI_USE_MSBUILD_SERVER=0 DOTNET_GENERATE_ASPNET_CERTIFICATE=false \
  MSBUILDDISABLENODEREUSE=1 UseSharedCompilation=false "$@" < /dev/null
