#!/usr/bin/env bash
# Prints the time that archives and packages have in place of that of their making, in seconds: SOURCE_DATE_EPOCH, or the
# time of the last commit, or, of a source archive, that of its files.
set -euo pipefail
root=$(dirname "${BASH_SOURCE[0]}")/..
if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
  echo "$SOURCE_DATE_EPOCH"
else
  git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CMakeLists.txt"
fi
