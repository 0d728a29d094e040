#!/bin/sh
# Prints the folder of a clang and lld that compile for gfx950: $MXCHECK_LLVM, ROCm's,
# Debian's versioned packages, then PATH; version 20 or newer.
good() {
  [ -x "$1/clang" ] && [ -x "$1/ld.lld" ] && [ -x "$1/llvm-readelf" ] || return 1
  v=$("$1/clang" -dumpversion | cut -d. -f1)
  [ "$v" -ge 20 ] 2>/dev/null && "$1/clang" --print-targets 2>/dev/null | grep -q amdgcn
}
for dir in ${MXCHECK_LLVM:+"$MXCHECK_LLVM" "$MXCHECK_LLVM/bin"} /opt/rocm/llvm/bin /usr/lib/llvm-23/bin \
  /usr/lib/llvm-22/bin /usr/lib/llvm-21/bin /usr/lib/llvm-20/bin "$(dirname "$(command -v clang)")"; do
  good "$dir" && echo "$dir" && exit 0
done
echo "no clang and lld of version 20 or newer with the AMDGPU target; set MXCHECK_LLVM" >&2
exit 1
