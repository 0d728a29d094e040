#!/bin/sh
# install.sh install|uninstall BUILD DESTDIR PREFIX VERSION: copies or removes the files of the list
# below. mxcheck finds its files relative to itself, so the tree may be moved.
set -eu
umask 022 # other users must be able to read files that root installs
action=$1 build=$2 root=$3$4 version=$5
soname=libmxref.so.${version%%.*}

# mode, source, place under PREFIX; `link` has the target of the link for its source
list() {
  echo "755 $build/mxcheck bin/mxcheck"
  echo "755 $build/libmxhip.so lib/libmxhip.so"
  echo "644 $build/libmxref.a lib/libmxref.a"
  echo "755 $build/libmxref.so lib/libmxref.so.$version"
  echo "link libmxref.so.$version lib/$soname"
  echo "link $soname lib/libmxref.so"
  echo "644 ref/mxref.h include/mxref.h"
  echo "pc ref/mxref.pc.in lib/pkgconfig/mxref.pc"
  echo "644 ci/man/mxcheck.1 share/man/man1/mxcheck.1"
  echo "644 ci/man/mxref.3 share/man/man3/mxref.3"
  echo "644 oracle/probe/random.h share/mxcheck/random.h"
  find oracle/probe/measured -type f -printf '644 %p share/mxcheck/measured/%f\n'
  echo "644 ci/man/mxcheck-probe.5 share/man/man5/mxcheck-probe.5"
  for server in github gitlab; do
    echo "644 ci/package/$server.yml share/mxcheck/ci/$server.yml"
  done
  echo "644 ci/reports/mxcheck.schema.json share/mxcheck/mxcheck.schema.json"
  find cases \( -name '*.yaml' -o -name '*.md' \) -printf '644 %p share/mxcheck/%p\n'
  # The broken twins test the suite itself and are not installed. Kernels from other sources are in
  # cases/foreign; they are installed among the kernels.
  { find kernels \( -path kernels/broken -o -path kernels/host \) -prune -o -path 'kernels/*/*.[cS]' -print
    find cases/foreign -name '*.c' -o -name '*.cl' -o -name '*.s' | sed 's/^cases/kernels/'
  } | sed 's/\.[a-zS]*$/.co/' | while read -r co; do echo "644 $build/$co lib/mxcheck/$co"; done
}

put() {
  mkdir -p "$(dirname "$root/$3")"
  case $1 in
    link) ln -sf "$2" "$root/$3" ;;
    pc) sed "s|@VERSION@|$version|" "$2" >"$root/$3"
        chmod 644 "$root/$3" ;;
    *) install -m "$1" "$2" "$root/$3" ;;
  esac
}

list | while read -r mode from to; do
  case $action in
    install) put "$mode" "$from" "$to" ;;
    uninstall) rm -f "$root/$to" ;;
  esac
done
if [ "$action" = uninstall ]; then
  for dir in share/mxcheck lib/mxcheck; do
    [ ! -d "$root/$dir" ] || find "$root/$dir" -depth -type d -empty -delete
  done
fi
