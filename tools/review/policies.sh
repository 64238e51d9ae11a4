#!/usr/bin/env bash
# Checks tf.plan: failures as annotations, and all results in policies.sarif. Exit code 2: a policy fails.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/settings.sh"

"$kinu" check -sarif -source-dir="$directory" -plan="$output/tf.plan" "$policies" >"$output/policies.sarif" || [ $? = 2 ]
"$kinu" check -no-color -annotations -source-dir="$directory" -plan="$output/tf.plan" "$policies"
