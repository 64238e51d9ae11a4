#!/usr/bin/env bash
# Runs OpenTofu's suite of HCL files with its own driver against kinu's hcldec:
#   run.sh KINU DIRECTORY
# go.mod and go.sum pin the module of the driver and the suite. DIRECTORY receives the built driver.
# Without Go, or without the module and a network to download it, the exit status is 77: the test is
# skipped.
set -euo pipefail
kinu=$(realpath "$1")
mkdir -p "$2"
work=$(cd "$2" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v go >/dev/null; then
  echo "tests/specsuite: Go is not installed, skipped"
  exit 77
fi
export CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false"
module=github.com/hashicorp/hcl/v2
if ! go build -o "$work/hclspecsuite" "$module/cmd/hclspecsuite"; then
  echo "tests/specsuite: the driver could not be built, skipped"
  exit 77
fi
ln -sf "$kinu" "$work/hcldec"
suite="$(go list -m -f '{{.Dir}}' "$module")/specsuite/tests"
"$work/hclspecsuite" "$suite" "$work/hcldec" | tee "$work/log"
expected=$(find "$suite" -name '*.t' | wc -l)
# The driver prints the name of each test at its start and again after its problems.
begun=$(sort -u "$work/log" | grep -c '^- ')
if [ "$begun" -ne "$expected" ]; then
  echo "tests/specsuite: $begun of $expected tests ran"
  exit 1
fi
echo "tests/specsuite: all $expected tests pass"
