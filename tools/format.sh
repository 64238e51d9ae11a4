#!/usr/bin/env bash
# Formats the C++ sources; with --check, only lists those that are not formatted and fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
arguments=(-i)
[ "${1:-}" = --check ] && arguments=(--dry-run --Werror)
if ! command -v clang-format-19 >/dev/null; then
  echo "tools/format.sh: clang-format-19 is not installed (tools/setup.sh check)" >&2
  exit 1
fi
find src fuzz tools -name '*.cc' -print0 -o -name '*.h' -print0 |
  xargs -0 -P 2 -n 40 clang-format-19 "${arguments[@]}"
