#!/bin/sh
# Prints the folder of a clang and lld that compile for gfx950: $MXCHECK_LLVM, ROCm's,
# Debian's versioned packages, then PATH; version 20 or newer. With an argument, its version too.
good() {
  [ -x "$1/clang" ] && [ -x "$1/ld.lld" ] && [ -x "$1/llvm-readelf" ] || return 1
  about=$("$1/clang" --print-targets -v 2>&1) # "Debian clang version 22.1.8 (...)" and much more
  version=${about#"${about%%[0-9]*}"}
  version=${version%%[!0-9.]*}
  case $about in *amdgcn*) [ "${version%%.*}" -ge 20 ] 2>/dev/null ;; *) false ;; esac
}
path=$(command -v clang)
for dir in ${MXCHECK_LLVM:+"$MXCHECK_LLVM" "$MXCHECK_LLVM/bin"} /opt/rocm/llvm/bin /usr/lib/llvm-23/bin \
  /usr/lib/llvm-22/bin /usr/lib/llvm-21/bin /usr/lib/llvm-20/bin "${path%/*}"; do
  good "$dir" && echo "$dir${1:+, $version}" && exit 0
done
echo "no clang and lld of version 20 or newer with the AMDGPU target; set MXCHECK_LLVM" >&2
exit 1
