#!/usr/bin/env bash
# The hook kinu-fmt: formats FILE... and names those that it has changed.
#
#   tools/hooks/fmt.sh FILE...
set -euo pipefail
status=0
for file in "$@"; do
  "${KINU:-kinu}" fmt -no-color "$file" || status=$?
done
exit $status
