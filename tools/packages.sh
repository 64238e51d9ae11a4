#!/usr/bin/env bash
# Makes the packages of Debian of a release build:
#   tools/packages.sh BUILD DIRECTORY
# cpack finds out what they depend on, tools/finish_deb.sh does the rest.
set -euo pipefail
build=$(realpath "$1")
. "$(dirname "$0")/target.sh"
target_of_build "$build"
# What dpkg-shlibdeps asks.
[ -z "$target_sysroot" ] || export DPKG_ADMINDIR=$target_sysroot/var/lib/dpkg
mkdir -p "$2"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
(cd "$build" && cpack -G DEB -B "$stage" >/dev/null)
for made in "$stage"/*.deb; do
  "$(dirname "$0")/finish_deb.sh" "$made" "$2"
done
