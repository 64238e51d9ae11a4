#!/usr/bin/env bash
# Tests the example provider in C++ with terraform-plugin-testing:
#   run.sh PROVIDER BINARY...
# Each BINARY that exists runs the acceptance tests. Versions are pinned by go.mod and go.sum. Without Go, or without
# the modules and a network to download them, the test is skipped (77).
set -euo pipefail
KV_PROVIDER=$(realpath "$1")
export KV_PROVIDER
shift
cd "$(dirname "${BASH_SOURCE[0]}")"
if ! command -v go >/dev/null; then
  echo "skipped: Go is not installed"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! go test -vet=off -trimpath -c -o "$work/acceptance" . 2>"$work/log"; then
  tail -5 "$work/log"
  echo "skipped: the acceptance tests could not be built"
  exit 77
fi
for binary in "$@"; do
  if [ ! -x "$binary" ]; then
    echo "skipped: no $binary"
    continue
  fi
  TMPDIR="$work" TF_ACC_TERRAFORM_PATH=$(realpath "$binary") "$work/acceptance" -test.v 2>&1 |
    grep -E '^ *(---|FAIL|PASS|ok| )' | sed "s|^PASS$|PASS with $(basename "$binary")|"
done
