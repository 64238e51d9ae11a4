#!/usr/bin/env bash
# The hook kinu-check: runs the tests in the directories of the policies FILE...
#
#   tools/hooks/check.sh FILE...
set -euo pipefail
failed=0
while read -r folder; do
  "${KINU:-kinu}" check -no-color -test "$folder" || failed=1
done < <(for file in "$@"; do dirname "$file"; done | sort -u)
exit $failed
