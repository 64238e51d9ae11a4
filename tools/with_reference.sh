#!/usr/bin/env bash
# Checks that OpenTofu and kinu read each other's plan and state files:
#
#   tools/with_reference.sh PATH_OF_TOFU PATH_OF_REENCODE
#
# Plans of OpenTofu, read and written again by kinu, must have the same text and JSON in OpenTofu's
# show, and OpenTofu must apply them. States must be equal byte for byte.
set -euo pipefail

tofu=$(realpath "$1")
reencode=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset TF_CLI_CONFIG_FILE TF_WORKSPACE TF_DATA_DIR TF_CLI_ARGS

cat >main.tf <<'EOF'
variable "gen" {
  type    = string
  default = "1"
}
variable "secret" {
  type      = string
  sensitive = true
  default   = "pw<&>"
}
resource "terraform_data" "a" {
  triggers_replace = var.gen
  input            = { s = var.secret, n = [1.5, null, true, 1e40], t = toset(["b", "a"]) }
  lifecycle { create_before_destroy = true }
}
resource "terraform_data" "b" {
  for_each = { "x" = 1, "q\"uote" = 2 }
  input    = [each.value, terraform_data.a.id]
}
check "c" {
  assert {
    condition     = terraform_data.a.id != ""
    error_message = "no"
  }
}
output "o" { value = terraform_data.b }
output "s" {
  value     = var.secret
  sensitive = true
}
EOF

# The order of relevant attributes is not defined.
normalize() { python3 -c 'import json, sys
document = json.load(sys.stdin)
document.get("relevant_attributes", []).sort(key=json.dumps)
print(json.dumps(document, sort_keys=True, indent=1))'; }

"$tofu" init -input=false >/dev/null
step=0
for arguments in "" "-var gen=2" "-refresh-only" "-var gen=3 -target terraform_data.a" "-destroy"; do
  step=$((step + 1))
  # shellcheck disable=SC2086
  "$tofu" plan -input=false $arguments -out theirs.tfplan >/dev/null
  "$reencode" theirs.tfplan ours.tfplan
  for file in theirs ours; do
    "$tofu" show -json "$file.tfplan" | normalize >"$file.json"
    "$tofu" show -no-color "$file.tfplan" >"$file.txt"
  done
  diff theirs.json ours.json
  diff theirs.txt ours.txt
  "$tofu" apply -input=false ours.tfplan >/dev/null
  if [ -s terraform.tfstate ]; then
    "$reencode" terraform.tfstate again.tfstate
    cmp terraform.tfstate again.tfstate
    cp again.tfstate terraform.tfstate
  fi
  echo "ok $step: plan $arguments"
done
