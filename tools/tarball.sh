#!/usr/bin/env bash
# Packs the program with all that it links and loads but the C library, so that it runs where that is
# the only library:
#   tools/tarball.sh BUILD DIRECTORY
# KINU_XZ_LEVEL is an option of xz. Prints how the program was hardened and the name of the archive. The C library must be
# at least as new as the one that the libraries ask for; the archive's README says which that is.
set -euo pipefail
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
tools=$(realpath "$(dirname "$0")")
. "$tools/target.sh"
target_of_build "$build"
name=kinu-$version-linux-$target_machine
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/$name

cmake --install "$build" --component runtime --strip --prefix "$root" >/dev/null

# Parts of the C library, which come from the machine that the program runs on.
is_of_libc() {
  case $1 in
    ld-linux*|libc.so.*|libm.so.*|libdl.so.*|librt.so.*|libpthread.so.*|libresolv.so.*|libanl.so.*|libutil.so.*) return 0 ;;
  esac
  return 1
}
"$tools/licenses.sh" "$root/share/doc/kinu/licenses" carried
"$tools/../tests/package/hardening.py" "$root/bin/kinu" "$root"/lib/kinu/*.so
libraries=$root/lib/kinu/libraries
mkdir -p "$libraries"
# What the loader of the processor finds for files: lines "NAME => PATH", as of ldd.
loads() {
  local each
  if [ -z "$target_sysroot" ]; then
    ldd "$@"
    return
  fi
  for each in "$@"; do
    "${target_run[@]}" "$target_sysroot"/lib/ld-linux-*.so.* --list "$each" |
      sed "/^[[:space:]]*\//d; s| => /| => $target_sysroot/|"  # without the loader itself
  done
}
# The console opens libedit when it reads from a terminal.
if [ -n "$target_sysroot" ]; then
  editor=$target_sysroot/usr/lib/$target_triplet/libedit.so.2
else
  editor=$(ldconfig -p | awk '$1 == "libedit.so.2" && !found++ {print $NF}')  # reads all: else a broken pipe ends the script
fi
{ loads "$root/bin/kinu" "$root"/lib/kinu/*.so "$editor"; echo "libedit.so.2 => $editor"; } |
  awk '$2 == "=>" {print $1, $3}' | sort -u |
  while read -r soname path; do
    is_of_libc "$soname" || cp -L "$path" "$libraries/$soname"
  done
# ICU's data are a third of all, and nothing that kinu does uses them.
for data in "$libraries"/libicudata.so.*; do
  [ -f "$data" ] || continue
  "${target_prefix:+${target_prefix}g}cc" -shared -nostdlib -s -Wl,--build-id=none -Wl,-soname,"${data##*/}" -DICU_DATA="icudt${data##*.so.}_dat" \
    -o "$data" "$tools/../packaging/icu_without_data.c"
done
find "$libraries" -type f -exec "${target_prefix}strip" --strip-unneeded {} + -exec chmod 644 {} +
# DT_RPATH and not DT_RUNPATH: it also holds for what the libraries load themselves.
patchelf --force-rpath --set-rpath '$ORIGIN/../lib/kinu/libraries' "$root/bin/kinu"
for module in "$root"/lib/kinu/*.so; do
  patchelf --force-rpath --set-rpath '$ORIGIN/libraries' "$module"
done
find "$libraries" -type f -exec patchelf --force-rpath --set-rpath '$ORIGIN' {} +

"$tools/bundled.py" files "$root" >/dev/null || { "$tools/bundled.py" files "$root"; exit 1; }

glibc=$(find "$root/bin" "$root/lib" -type f -exec "${target_prefix}objdump" -T {} + |
  grep -o 'GLIBC_2\.[0-9.]*' | sort -Vu | tail -1 | sed s/GLIBC_//)
cat > "$root/README" <<TEXT
kinu $version for Linux on $target_machine. Needs glibc $glibc or newer and nothing else.

  bin/kinu              the program; it finds the rest beside itself, wherever this directory lies
  lib/kinu              what it loads when it uses the network, unpacks packages or connects by ssh
  share                 manual pages, completions, documentation and licences

The program contains MPFR, GMP and libxcrypt (LGPL). To link it with other versions of them, run
"make install" in the source archive of this release.
TEXT
# With threads xz cuts the data into blocks, which do not depend on how many threads there are.
tar -C "$stage" --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
  --mtime="@$("$tools/source_date.sh")" -c "$name" | xz "${KINU_XZ_LEVEL:--6}" -T2 >"$out/$name.tar.xz"
echo "$out/$name.tar.xz (glibc $glibc or newer)"
