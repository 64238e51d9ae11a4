#!/usr/bin/env bash
# Compiles some libraries and a module as a release does, in two directories under other circumstances:
# by other users' names, with another umask, language and time zone, without the compiler's cache. The files have
# the same bytes once they are stripped, and none names a directory. tools/reproduce.sh does so with a whole release.
#   reproducible.sh
# Exits with 77 and the reason if something is missing.
set -euo pipefail
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
for program in cmake ninja strip; do
  command -v $program >/dev/null || { echo "reproducible.sh: skipped: no $program"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1"; exit 1; }
targets=(kinu_base kinu_text kinu_trace kinu_ssh_module)

# build DIRECTORY WORD...: configures and compiles a copy of the sources there, with these variables of the environment.
build() {
  local tree=$1
  shift
  mkdir -p "$tree"
  (cd "$source" && tar -c --exclude=./build --exclude=./.git --exclude=./tests --exclude=./docs/manual .) | tar -xC "$tree"
  (cd "$tree" && env "$@" cmake --preset release -DKINU_BENCH=OFF >"$work/log" 2>&1 &&
    env "$@" cmake --build build/release --target "${targets[@]}" -j2 >"$work/log" 2>&1) || { tail -20 "$work/log"; fail "$tree"; }
  find "$tree/build/release" \( -name '*.a' -o -name '*.so' \) -exec strip --strip-debug --enable-deterministic-archives {} +
}
build "$work/one" CCACHE_DISABLE=1 USER=one TZ=UTC
(umask 077; build "$work/in/a/longer+path" CCACHE_DISABLE=1 USER=other LANG=C.UTF-8 TZ=Asia/Tokyo)
(cd "$work/one/build/release" && find . \( -name '*.a' -o -name '*.so' \) -size +1k | sort) >"$work/files"
[ "$(wc -l <"$work/files")" -ge ${#targets[@]} ] || fail "only $(cat "$work/files")"
while read -r file; do
  for tree in "$work/one" "$work/in/a/longer+path"; do
    ! grep -qF "$work" "$tree/build/release/$file" || fail "$file of $tree names its directory"
  done
  "$source/tools/compare_releases.py" "$work/one/build/release/$file" "$work/in/a/longer+path/build/release/$file"
done <"$work/files"
echo "reproducible: ok"
