#!/usr/bin/env bash
# Programs for arm64 on a machine of another processor: the vector code of src/foundation/base/bytes16.h is compiled and its
# test runs under QEMU, hardened as releases are; tools/finish_deb.sh and tools/bundled.py read files of that processor.
#   cross.sh
# Exits with 77 and the reason without the cross compilers, QEMU or the sources of GoogleTest. What a whole build for arm64
# passes is in docs/release.md; it is not built here.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
skip() { echo "cross.sh: skipped: $1"; exit 77; }
fail() { echo "FAILED: $1"; exit 1; }
[ "$(uname -m)" != aarch64 ] || skip "this machine is arm64 itself"
compiler=aarch64-linux-gnu-g++
for program in $compiler aarch64-linux-gnu-gcc aarch64-linux-gnu-strip qemu-aarch64-static; do
  command -v $program >/dev/null || skip "$program is not installed (tools/setup.sh arm64)"
done
googletest=/usr/src/googletest/googletest
[ -f $googletest/src/gtest-all.cc ] || skip "no sources of GoogleTest in $googletest (libgtest-dev)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The flags of cmake/hardening.cmake and cmake/kinu.cmake for the processor.
hardened=$(sed -n 's/^ *target_compile_options(kinu_hardening INTERFACE \(-mbranch[^)]*\))/\1/p' "$root/cmake/hardening.cmake")
alike=$(sed -n 's/^ *target_compile_options(kinu_options INTERFACE \(-fsigned-char[^)]*\))/\1/p' "$root/cmake/kinu.cmake")
[ -n "$hardened" ] && [ -n "$alike" ] || fail "the flags for arm64 are not where they were"
flags="-std=c++23 -O1 -Wall -Wextra -Wshadow -Wold-style-cast -Werror $alike $hardened -fPIE -fstack-protector-strong -D_FORTIFY_SOURCE=3"
$compiler $flags -I$googletest/include -I$googletest -c $googletest/src/gtest-all.cc -o "$work/gtest.o"
$compiler $flags -I$googletest/include -I$googletest -c $googletest/src/gtest_main.cc -o "$work/main.o"
$compiler $flags -I"$root/src/foundation" -I$googletest/include \
  "$root/src/foundation/base/bytes16_test.cc" "$work/gtest.o" "$work/main.o" -pie -Wl,-z,relro,-z,now -o "$work/bytes16_test"
qemu-aarch64-static -L /usr/aarch64-linux-gnu "$work/bytes16_test" >"$work/log" || { cat "$work/log"; fail "bytes16_test"; }
tail -1 "$work/log"
"$root/tests/package/hardening.py" "$work/bytes16_test"
# The test can fail: this one has neither marks nor signatures.
echo 'int main() { return 0; }' | $compiler -x c++ - -o "$work/bare"
! "$root/tests/package/hardening.py" "$work/bare" >"$work/log" || fail "a program that is not hardened passes"
grep -q 'bti NO .*pac NO' "$work/log" || fail "$(cat "$work/log")"

# Libraries that a file of another processor asks for.
echo 'int f(void) { return 0; }' | aarch64-linux-gnu-gcc -x c -shared -Wl,-soname,libunheard.so.1 - -o "$work/libunheard.so.1"
echo 'int f(void); int main(void) { return f(); }' >"$work/main.c"
aarch64-linux-gnu-gcc "$work/main.c" "$work/libunheard.so.1" -o "$work/asks"
! said=$("$root/tools/bundled.py" files "$work/asks") || fail "bundled.py takes a library that no row has"
grep -q "asks for libunheard.so.1, which no row" <<<"$said" || fail "bundled.py: $said"

# A package of another processor: its archives are stripped, its files for pkg-config are where that processor looks.
tree=$work/libkinu-dev
mkdir -p "$tree"/{DEBIAN,usr/lib/pkgconfig}
printf 'Package: libkinu-dev\nVersion: 0.1.0\nArchitecture: arm64\nMaintainer: kinu <kinu@kinu.invalid>\nDescription: Something\n' >"$tree/DEBIAN/control"
printf 'prefix=${pcfiledir}/../..\n' >"$tree/usr/lib/pkgconfig/kinu.pc"
aarch64-linux-gnu-gcc -g -c "$work/main.c" -o "$work/main_c.o"
aarch64-linux-gnu-ar rc "$tree/usr/lib/libkinu.a" "$work/main_c.o"
dpkg-deb -b "$tree" "$work/libkinu-dev.deb" >/dev/null
"$root/tools/finish_deb.sh" "$work/libkinu-dev.deb" "$work/finished" >/dev/null
dpkg-deb -x "$work/finished/libkinu-dev.deb" "$work/installed"
[ -f "$work/installed/usr/lib/aarch64-linux-gnu/pkgconfig/kinu.pc" ] || fail "the files for pkg-config"
aarch64-linux-gnu-objdump -h "$work/installed/usr/lib/libkinu.a" >"$work/log"
grep -q '\.text' "$work/log" || fail "$(cat "$work/log")"
! grep -q '\.debug_' "$work/log" || fail "the archive is not stripped"
echo "cross: ok"
