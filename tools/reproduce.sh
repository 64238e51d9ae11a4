#!/usr/bin/env bash
# Makes the files of a release once more, elsewhere and under other circumstances, and compares every byte:
#   tools/reproduce.sh RELEASE [WORK]      RELEASE: build/release-VERSION, made from the last commit
# The second build is of a clone in another directory (WORK, or a temporary one that is removed), by another user's name and
# home directory, with another umask, language and time zone. build/profile, the recorded
# profile, is an input of both. Of SHA256SUMS.asc only the first is made: a signature has the time of its making.
# Prints a line per file (tools/compare_releases.py) and exits with 1 if any differs.
#   KINU_REPRODUCE_SKIP   more steps of tools/release.sh that are left out of the second
set -euo pipefail
[ $# -ge 1 ] && [ -d "$1" ] || { sed -n '3s/^# \{0,1\}//p' "$0" >&2; exit 2; }
first=$(realpath "$1")
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
version=$(sed -n 's/^project(kinu VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
commit=$(git -C "$source" rev-parse HEAD)
if [ $# -gt 1 ]; then
  mkdir -p "$2"
  work=$(realpath "$2")
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
# Deeper and longer than the first, and with a character that scripts stumble over.
clone="$work/elsewhere/of-another-name/a+b"
if [ ! -d "$clone/.git" ]; then
  mkdir -p "$(dirname "$clone")"
  git clone -q "$source" "$clone"
fi
git -C "$clone" fetch -q "$source" HEAD
git -C "$clone" checkout -q --detach "$commit"
rm -rf "$clone/build/profile"
if [ -d "$source/build/profile" ]; then
  mkdir -p "$clone/build"
  cp -r "$source/build/profile" "$clone/build/profile"
fi
mkdir -p "$work/home"
# What a step of the release needs of the environment, and nothing else of it.
(umask 077
  cd "$clone"
  env -i PATH="$PATH" HOME="$work/home" USER=somebody LOGNAME=somebody HOSTNAME=elsewhere LANG=C.UTF-8 LC_ALL=C.UTF-8 \
    TZ=Pacific/Chatham TMPDIR="${TMPDIR:-/tmp}" ${KINU_PYTHON:+KINU_PYTHON="$KINU_PYTHON"} \
    KINU_RELEASE_SKIP="changelog lintian speed signed verified ${KINU_REPRODUCE_SKIP:-}" nice tools/release.sh "$version")
second=$clone/build/release-$version
# The statement names the other files, so it says the same of equal ones.
(cd "$clone" && python3 tools/provenance.py "$second" --version "$version" --commit "$commit")
"$source/tools/compare_releases.py" "$first" "$second" --without SHA256SUMS.asc
