#!/usr/bin/env bash
# Finishes two small packages that look like cpack's (tools/finish_deb.sh), each twice under other circumstances: equal bytes,
# compressed manual pages, one owner and time; and lintian finds nothing.
#   deb.sh
# Exits with 77 without dpkg-deb; lintian is left out where it is missing.
set -euo pipefail
tools=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../tools")
command -v dpkg-deb >/dev/null && command -v dpkg-architecture >/dev/null || { echo "deb.sh: skipped: no dpkg-dev"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
fail() { echo "FAILED: $1"; exit 1; }
export SOURCE_DATE_EPOCH=1790000000 KINU_DEB_LEVEL=0

# tree NAME SECTION: the tree of a package, as cpack leaves it.
tree() {
  local tree=$work/$1
  mkdir -p "$tree/DEBIAN" "$tree/usr/share/doc/$1"
  printf 'Package: %s\nVersion: 0.1.0\nArchitecture: %s\nSection: %s\nPriority: optional\nInstalled-Size: 5\n' "$1" "$(dpkg --print-architecture)" "$2" >"$tree/DEBIAN/control"
  printf 'Maintainer: kinu <kinu@kinu.invalid>\nDescription: Something small for a test\n' >>"$tree/DEBIAN/control"
  printf ' It has just enough files to look like a package of kinu that cpack has made,\n' >>"$tree/DEBIAN/control"
  printf ' with the mistakes that are to be mended. Nobody installs it, and nobody\n should.\n' >>"$tree/DEBIAN/control"
  printf '#!/bin/sh\nset -e\nldconfig\n' >"$tree/DEBIAN/postinst"
  chmod 755 "$tree/DEBIAN/postinst"
  echo text >"$tree/usr/share/doc/$1/README.md"
}
tree kinu admin
mkdir -p "$work/kinu/usr/share/man/man1" "$work/kinu/usr/bin"
printf '#!/bin/sh\necho kinu\n' >"$work/kinu/usr/bin/kinu"
printf '.TH KINU 1\n.SH NAME\nkinu \\- infrastructure as code\n.SH SYNOPSIS\nkinu\n' >"$work/kinu/usr/share/man/man1/kinu.1"
chmod 777 "$work/kinu/usr/bin/kinu"
chmod 600 "$work/kinu/usr/share/man/man1/kinu.1"
tree libkinu-dev libdevel
mkdir -p "$work/libkinu-dev/usr/lib/pkgconfig" "$work/libkinu-dev/usr/include/kinu"
echo '#pragma once' >"$work/libkinu-dev/usr/include/kinu/kinu.h"
printf 'prefix=${pcfiledir}/../..\nName: kinu\nDescription: x\nVersion: 0.1.0\nCflags: -I${prefix}/include\n' >"$work/libkinu-dev/usr/lib/pkgconfig/kinu.pc"

for name in kinu libkinu-dev; do
  mkdir -p "$work/first" "$work/second"
  dpkg-deb -b "$work/$name" "$work/$name.deb" >/dev/null
  "$tools/finish_deb.sh" "$work/$name.deb" "$work/first" >/dev/null
  find "$work/$name" -exec touch -d 2001-02-03 {} +
  dpkg-deb -Zgzip -b "$work/$name" "$work/$name.deb" >/dev/null
  (umask 027; TZ=Asia/Tokyo "$tools/finish_deb.sh" "$work/$name.deb" "$work/second" >/dev/null)
done
"$tools/compare_releases.py" "$work/first" "$work/second"
dpkg-deb -c "$work/first/kinu.deb" >"$work/list"
grep -q '^-rwxr-xr-x root/root .* 2026-09-2. .* ./usr/bin/kinu$' "$work/list" || fail "$(grep bin/kinu "$work/list")"
grep -q '^-rw-r--r-- root/root .*/kinu.1.gz$' "$work/list" || fail "the manual page"
[ -z "$(dpkg-deb -I "$work/first/kinu.deb" | grep postinst)" ] || fail "there is a script"
dpkg-deb -x "$work/first/libkinu-dev.deb" "$work/installed"
packed=$(find "$work/installed" -name kinu.pc)

# A program that is linked to mimalloc brings it along, and does not depend on its package.
if command -v patchelf >/dev/null && printf 'int main(void) { return 0; }\n' |
    cc -x c -o "$work/kinu/usr/bin/kinu" -Wl,--no-as-needed - -lmimalloc 2>/dev/null; then
  sed 's/^Section:/Depends: libc6, libmimalloc2.0 (>= 2.0.9+ds), libssl3\n&/' "$work/kinu/DEBIAN/control" >"$work/control"
  cp -r "$work/kinu" "$work/linked"
  mv "$work/control" "$work/linked/DEBIAN/control"
  dpkg-deb -b "$work/linked" "$work/linked.deb" >/dev/null
  "$tools/finish_deb.sh" "$work/linked.deb" "$work/third" >/dev/null
  dpkg-deb -R "$work/third/linked.deb" "$work/carrying"
  grep -qx 'Depends: libc6, libssl3' "$work/carrying/DEBIAN/control" || fail "$(grep Depends "$work/carrying/DEBIAN/control")"
  loaded=$(ldd "$work/carrying/usr/bin/kinu" | awk '$1 == "libmimalloc.so.2" {print $3}')
  [ "$(realpath "$loaded")" = "$work/carrying/usr/lib/kinu/libraries/libmimalloc.so.2" ] || fail "mimalloc is loaded from $loaded"
  echo "mimalloc: carried"
fi
included=$(sed -n 's/^prefix=//p' "$packed" | sed "s|\${pcfiledir}|$(dirname "$packed")|")/include/kinu/kinu.h
[ -f "$included" ] || fail "kinu.pc leads to $included"
if command -v lintian >/dev/null; then
  # The small program has no libraries in it, for which the overrides are.
  said=$(lintian --allow-root --fail-on none "$work"/first/*.deb 2>&1 | grep -E '^[EW]:' || true)
  [ -z "$said" ] || fail "lintian: $said"
  said=$(lintian --allow-root --fail-on none "$work/kinu.deb" 2>&1 | grep -c '^E:' || true)
  [ "$said" != 0 ] || fail "lintian finds nothing in an unfinished package"
  echo "deb: ok, with lintian"
else
  echo "deb: ok; lintian is not installed"
fi
