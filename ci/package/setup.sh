#!/bin/sh
# Installs missing packages to build and test on Debian 12 and 13: prints each with its purpose,
# then calls apt-get, as root or through sudo. With neither it prints the command and stops.
# `setup.sh long` adds what the longer tiers need.
set -eu

# package: purpose
packages='
libelf-dev:        reads code objects
libdw-dev:         reads source lines of code objects
zlib1g-dev:        reads compressed bundles of code objects
libzstd-dev:       reads compressed bundles of code objects
libmsgpack-dev:    reads kernel metadata
libcyaml-dev:      reads case files
libyaml-dev:       gives the lines of their keys
librandom123-dev:  data as a function of (seed, case, index)
libjansson-dev:    writes JSON reports
libsqlite3-dev:    keeps the history of runs
libxxhash-dev:     compares results of many runs
libmpfr-dev:       decides the last rounding in the oracle
libgmp-dev:        exact sums in the oracle
libopenblas-dev:   f64 reference for SNR
libamdhip64-dev:   HIP headers, and the runtime for real devices
perl:              prove, which runs the tests
'
if [ "${1:-}" = long ]; then
  packages="${packages}csmith:            random C programs to run on gfx950 and here
libcsmith-dev:     the header that they include
"
fi
# libmsgpack-dev is called libmsgpack-c-dev from Debian 13 on.
release=$(sed -n 's/^VERSION_ID="\{0,1\}\([0-9]*\).*/\1/p' /etc/os-release 2>/dev/null)
if [ "${release:-13}" -ge 13 ]; then
  packages=$(echo "$packages" | sed 's/libmsgpack-dev:  /libmsgpack-c-dev:/')
fi
package=$(dirname "$0")
if ! "$package/llvm.sh" >/dev/null 2>&1; then
  packages="$packages
clang-22:          compiles the kernels for gfx950
lld-22:            links the kernels
llvm-22:           reads the kernels' metadata"
fi

if ! command -v dpkg-query >/dev/null; then
  "$package/llvm.sh" >/dev/null
  exit 0 # not Debian: the compiler reports what is missing
fi

missing=''
for p in $(echo "$packages" | sed -n 's/^\([a-z0-9.+-]*\):.*/\1/p'); do
  dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

echo 'To be installed:'
for p in $missing; do
  echo "$packages" | grep "^$p:" | sed 's/^/  /'
done
if [ "$(id -u)" = 0 ]; then
  sudo=''
elif command -v sudo >/dev/null; then
  sudo=sudo
else
  echo "Neither root nor sudo here. Run this as root, then again:" >&2
  echo "  apt-get update && apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
