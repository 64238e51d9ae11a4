#!/usr/bin/env bash
# Finishes a package that cpack made, as Debian's policy wants it and with the same bytes each time:
#   tools/finish_deb.sh PACKAGE DIRECTORY
# mimalloc comes along, whose package has another name and another library in each release of Debian. Compressed manual pages and a changelog, the papers of the package, no scripts for private libraries, and one time for
# all files (tools/source_date.sh).
set -euo pipefail
tools=$(realpath "$(dirname "$0")")
deb=$(realpath "$tools/../packaging/deb")
SOURCE_DATE_EPOCH=$("$tools/source_date.sh")
export SOURCE_DATE_EPOCH
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
tree=$stage/tree
mkdir -p "$2"
dpkg-deb -R "$1" "$tree"
name=$(sed -n 's/^Package: //p' "$tree/DEBIAN/control")
. "$tools/target.sh"
target_of "$(sed -n 's/^Architecture: //p' "$tree/DEBIAN/control")"
version=$(sed -n 's/^Version: //p' "$tree/DEBIAN/control")

# What the program finds beside its modules, and nothing else there.
carried=libmimalloc.so.2
if [ -f "$tree/usr/bin/kinu" ] && "${target_prefix}objdump" -p "$tree/usr/bin/kinu" 2>/dev/null | grep "NEEDED *$carried" >/dev/null; then
  library=$target_sysroot/usr/lib/$target_triplet/$carried
  install -D -m 644 "$library" "$tree/usr/lib/kinu/libraries/$carried"
  "${target_prefix}strip" --strip-unneeded "$tree/usr/lib/kinu/libraries/$carried"
  patchelf --set-rpath '$ORIGIN/../lib/kinu/libraries' "$tree/usr/bin/kinu"
  sed -i '/^Depends:/s/ libmimalloc[^,]*,\{0,1\}//' "$tree/DEBIAN/control"
fi

papers=$tree/usr/share/doc/$name
mkdir -p "$papers"
# A shared library that programs of others link would need them.
rm -f "$tree"/DEBIAN/{postinst,postrm}
[ ! -d "$tree/usr/share/man" ] || find "$tree/usr/share/man" -type f ! -name '*.gz' -exec gzip -9n {} +
printf '%s (%s) stable; urgency=medium\n\n  * docs/ and CHANGELOG.md of kinu say what is new.\n\n -- %s  %s\n' "$name" "$version" \
  "$(sed -n 's/^Maintainer: //p' "$tree/DEBIAN/control")" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$papers/changelog.gz"
cp "$deb/copyright" "$papers/copyright"
rm -f "$papers/LICENSE"  # among the common licences
if [ -f "$deb/$name.overrides" ]; then
  mkdir -p "$tree/usr/share/lintian/overrides"
  cp "$deb/$name.overrides" "$tree/usr/share/lintian/overrides/$name"
fi
# Where programs that are built for other processors do not look by mistake. The files find the rest from their place.
if [ -d "$tree/usr/lib/pkgconfig" ]; then
  mkdir -p "$tree/usr/lib/$target_triplet"
  mv "$tree/usr/lib/pkgconfig" "$tree/usr/lib/$target_triplet"
  sed -i 's|^prefix=${pcfiledir}/../..$|prefix=${pcfiledir}/../../..|' "$tree"/usr/lib/*/pkgconfig/*.pc
fi
find "$tree/usr" -name '*.a' -exec "${target_prefix}strip" --strip-debug --enable-deterministic-archives {} +
find "$tree" -type d -exec chmod 755 {} +
find "$tree/usr" -type f -exec chmod u=rwX,go=rX {} +
(cd "$tree" && find usr -type f -printf '%P\n' | LC_ALL=C sort | sed 's|^|usr/|' | xargs -d '\n' md5sum >DEBIAN/md5sums)
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz "-z${KINU_DEB_LEVEL:-6}" --threads-max=2 -b "$tree" "$2/$(basename "$1")" >/dev/null
echo "$2/$(basename "$1")"
