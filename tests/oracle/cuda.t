#!/bin/sh
# Builds and runs cuda.c if CUDA's headers are in $CUDA_HOME/include or /usr/local/cuda/include.
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
for cuda in "$CUDA_HOME/include" /usr/local/cuda/include; do
  [ -r "$cuda/cuda_fp4.h" ] && [ -r "$cuda/cuda_fp6.h" ] && [ -r "$cuda/cuda_fp8.h" ] && break
  cuda=
done
if [ -z "$cuda" ]; then
  echo "1..0 # SKIP no cuda_fp4.h, cuda_fp6.h and cuda_fp8.h in \$CUDA_HOME/include or /usr/local/cuda/include"
  exit 0
fi
program=$(mktemp) || exit 1
trap 'rm -f "$program"' EXIT
if ! ${CC:-cc} -std=gnu11 -O2 $SAN -isystem "$cuda" -o "$program" tests/oracle/cuda.c "$build/libmxref.a" -lm; then
  echo "not ok 1 - cuda.c compiles with the headers in $cuda"
  echo "1..1"
  exit 1
fi
echo "# CUDA headers: $cuda"
"$program"
