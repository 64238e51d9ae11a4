#!/usr/bin/env bash
# Packs the sources of the last commit:
#   tools/dist.sh DIRECTORY
set -euo pipefail
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -n 's/^project(kinu VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
# Not the umask that the user's settings may name.
git -c tar.umask=0002 archive --format=tar --prefix="kinu-$version/" HEAD | xz -9 -T1 >"$out/kinu-$version.tar.xz"
echo "$out/kinu-$version.tar.xz"
