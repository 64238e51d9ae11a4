#!/usr/bin/env bash
# The hook kinu-validate: validates the directories of FILE... A directory that is not initialized is initialized in a
# copy of its settings elsewhere (TF_DATA_DIR), so that none of its files change.
#
#   tools/hooks/validate.sh FILE...
set -euo pipefail
kinu=${KINU:-kinu}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

validate() {  # DIRECTORY
  if [ -d "$1/.terraform" ]; then
    "$kinu" -chdir="$1" validate -no-color
    return
  fi
  export TF_DATA_DIR=$scratch/data
  rm -rf "$TF_DATA_DIR"
  local lock=$1/.terraform.lock.hcl had=no
  if [ -e "$lock" ]; then had=yes; cp -p "$lock" "$scratch/lock"; fi
  local status=0
  "$kinu" -chdir="$1" init -no-color -backend=false -input=false >"$scratch/init" 2>&1 ||
    { status=$?; cat "$scratch/init"; }
  [ $status != 0 ] || "$kinu" -chdir="$1" validate -no-color || status=$?
  if [ $had = yes ]; then cp -p "$scratch/lock" "$lock"; else rm -f "$lock"; fi
  unset TF_DATA_DIR
  return $status
}

failed=0
while read -r folder; do
  validate "$folder" >"$scratch/out" 2>&1 || { failed=1; echo "$folder:"; cat "$scratch/out"; }
done < <(for file in "$@"; do dirname "$file"; done | sort -u)
exit $failed
