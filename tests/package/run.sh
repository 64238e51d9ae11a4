#!/usr/bin/env bash
# Installs the package of a build into a fresh directory, builds the example against it alone, and runs
# it:
#   run.sh BUILD [COMPILER]
set -euo pipefail
build=$(realpath "$1")
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target kinu_package >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --install "$build" --component development --prefix "$work/prefix" >>"$work/log"
flags=()
[ -n "${2:-}" ] && flags+=("-DCMAKE_CXX_COMPILER=$2")
command -v ccache >/dev/null && flags+=("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
cmake -S "$root/examples/hcl_api" -B "$work/example" "-DCMAKE_PREFIX_PATH=$work/prefix" \
  "${flags[@]}" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/example" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cd "$root/examples/hcl_api"
"$work/example/services" services.hcl >"$work/out"
diff -u expected.txt "$work/out"
echo "tests/package: the example builds against the installed package and says what it should"
