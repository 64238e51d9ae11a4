#!/usr/bin/env bash
# Writes summary.md and report.html of tf.plan, and adds the summary to that of the job.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/settings.sh"

{
  echo "$mark"
  "$kinu" show -summary=markdown "$output/tf.plan"
  if [ -n "$policies" ]; then
    echo
    "$kinu" check -no-color -markdown -plan="$output/tf.plan" "$policies" || [ $? = 2 ]
  fi
} >"$output/summary.md"
"$kinu" show -html="$output/report.html" "$output/tf.plan"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$output/summary.md" >>"$GITHUB_STEP_SUMMARY"
