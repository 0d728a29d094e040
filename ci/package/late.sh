#!/bin/sh
# late.sh CC 'LIBRARY ...' ARCHIVE ...: the functions of these libraries that the archives call, for
# late.c: a line MX_LATE(function, "soname") for each, and MX_LATE_LIBRARY(soname) for each library.
set -eu
export LC_ALL=C
cc=$1 libraries=$2
shift 2
calls=$(nm -u "$@" | awk '$1 == "U" { print $2 }' | sort -u)
for library in $libraries; do
  file=$($cc -print-file-name="lib$library.so")
  soname=$(readelf -d "$file" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
  found=$(nm -D --defined-only "$file" | sed -n 's/^[0-9a-f]* [TiW] \([^@]*\).*/\1/p' | sort -u)
  [ -n "$soname" ] || { echo "late.sh: $file is not a shared library" >&2; exit 1; }
  echo "MX_LATE_LIBRARY($soname)"
  { echo "$calls"; echo "$found"; } | sort | uniq -d | sed "s/.*/MX_LATE(&, \"$soname\")/"
done
