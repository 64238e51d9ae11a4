#!/usr/bin/env bash
# Reads the workflows with actionlint, and a damaged one, and says whether they run what they should:
#   workflows.sh DIRECTORY     where Go installs actionlint, if it is not on the PATH
# Exits with 77 where it is not there and cannot be installed.
set -euo pipefail
mkdir -p "$1"
work=$(realpath "$1")
workflows=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../.github/workflows")
version=v1.7.12
fail() { echo "FAILED: $1"; exit 1; }

grep -q '^        run: \.ci/run$' "$workflows/test.yml" || fail "test.yml does not run .ci/run"
grep -q '^        run: make release VERSION=' "$workflows/release.yml" || fail "release.yml does not run make release"

actionlint=$(command -v actionlint || true)
if [ -z "$actionlint" ] && command -v go >/dev/null; then
  actionlint=$work/actionlint
  [ -x "$actionlint" ] || GOBIN=$work timeout 200 nice go install "github.com/rhysd/actionlint/cmd/actionlint@$version" 2>/dev/null || true
fi
[ -x "$actionlint" ] || { echo "workflows.sh: skipped: actionlint is not here, and Go could not install it"; exit 77; }
"$actionlint" "$workflows"/*.yml
sed 's/runs-on: .*/runs-on: no-such-system/' "$workflows/test.yml" >"$work/damaged.yml"
! "$actionlint" "$work/damaged.yml" >/dev/null || fail "actionlint accepts a system that there is not"
echo "workflows: ok, with actionlint $("$actionlint" -version | head -1)"
