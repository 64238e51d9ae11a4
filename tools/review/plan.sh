#!/usr/bin/env bash
# Plans the configuration into tf.plan and reports diagnostics as annotations. The last line of its output is that of the
# plan. Exit code 1: there is no plan.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/settings.sh"

run() {  # ARGUMENTS...: runs kinu in the directory, and annotates
  local status=0 messages=$output/messages.jsonl
  "$kinu" -chdir="$directory" "$@" -no-color -input=false -json-into="$messages" || status=$?
  "$kinu" query -lines -json '$.diagnostic' "$messages" >"$output/diagnostics.json"
  annotate "$output/diagnostics.json"
  rm -f "$messages" "$output/diagnostics.json"
  return $status
}

read -ra arguments <<<"${KINU_REVIEW_ARGUMENTS:-}"
run init
status=0
run plan -detailed-exitcode -out="$output/tf.plan" ${arguments[@]+"${arguments[@]}"} || status=$?
case $status in
  0) set_output changes false ;;
  2) set_output changes true ;;
  *) exit 1 ;;
esac
