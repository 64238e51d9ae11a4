#!/usr/bin/env bash
# Collects the licence texts of the libraries that kinu links or loads, as the packages of the machine
# that builds it carry them:
#   tools/licenses.sh DIRECTORY [carried]     carried: with those that these libraries bring along
# packaging/libraries.json lists them. KINU_SYSROOT: their packages are unpacked there (tools/sysroot.sh).
set -euo pipefail
directory=$1
packages=$("$(dirname "$0")/bundled.py" packages "${2:-direct}")

if ! command -v dpkg-query >/dev/null; then
  echo "tools/licenses.sh: not a Debian system; add the licences of:" $packages >&2
  exit 0
fi
mkdir -p "$directory"
for package in $packages; do
  text=${KINU_SYSROOT:-}/usr/share/doc/$package/copyright
  [ -f "$text" ] || { echo "tools/licenses.sh: no licence of $package at $text" >&2; exit 1; }
  cp -L "$text" "$directory/$package.txt"
  chmod 644 "$directory/$package.txt"
done
