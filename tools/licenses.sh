#!/usr/bin/env bash
# Collects the licence texts of the libraries that kinu links or loads, as the packages of the machine
# that builds it carry them:
#   tools/licenses.sh DIRECTORY
set -euo pipefail
directory=$1

# The development package of each library; libraries that these bring along have their papers there.
packages=(
  libnghttp2-dev libssl-dev libre2-dev libmpfr-dev libgmp-dev libcrypt-dev
  libdeflate-dev libyaml-dev libedit-dev libutf8proc-dev libxxhash-dev robin-map-dev libmimalloc-dev
  libcurl4-openssl-dev librnp-dev libarchive-dev libssh-dev libpq-dev
  libstdc++-12-dev
)
if ! command -v dpkg-query >/dev/null; then
  echo "tools/licenses.sh: not a Debian system; add the licences of: ${packages[*]}" >&2
  exit 0
fi
mkdir -p "$directory"
for package in "${packages[@]}"; do
  text=/usr/share/doc/$package/copyright
  [ -f "$text" ] || { echo "tools/licenses.sh: no licence of $package at $text" >&2; exit 1; }
  cp -L "$text" "$directory/$package.txt"
  chmod 644 "$directory/$package.txt"
done
