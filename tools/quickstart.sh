#!/usr/bin/env bash
# Runs init, plan, show, apply, plan and destroy on examples/quickstart, in each syntax, in a copy in
# the parent directory of BUILD:
#
#   tools/quickstart.sh BUILD
#
# The part with a provider process runs if BUILD/mirror has the provider hashicorp/time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath "$1")
kinu=$build/src/cli/kinu
mirror=$build/mirror
work=$(dirname "$build")/quickstart

unset "${!TF_@}"
rm -rf "$work"
mkdir -p "$work"
export TF_CLI_CONFIG_FILE=$work/cli.tfrc TF_IN_AUTOMATION=1
cat >"$TF_CLI_CONFIG_FILE" <<END
provider_installation {
  filesystem_mirror {
    path = "$mirror"
  }
}
END
with_provider=yes
compgen -G "$mirror/registry.opentofu.org/hashicorp/time/0.13.1/*/terraform-provider-time*" >/dev/null || {
  with_provider=no
  echo "quickstart: Go or the modules of hashicorp/time are missing, so its part is left out"
}

fail() { echo "quickstart: $syntax syntax: $*" >&2; exit 1; }
step() {  # ARGUMENTS...: prints the command and runs it
  echo
  echo "\$ kinu $*"
  "$kinu" "$@"
}

for syntax in native json; do
  echo "==== $syntax syntax"
  cp -r "examples/quickstart/$syntax" "$work/$syntax"
  cd "$work/$syntax"
  [ $with_provider = yes ] || rm -f time.tf time.tf.json

  step init -input=false -no-color
  step plan -input=false -no-color -out=quickstart.tfplan
  echo
  echo "\$ kinu show -json quickstart.tfplan"
  "$kinu" show -json quickstart.tfplan >plan.json
  python3 - plan.json <<'END' || fail "the JSON of the plan is not as expected"
import json, sys
document = json.load(open(sys.argv[1]))
created = [change["address"] for change in document["resource_changes"]
           if change["change"]["actions"] == ["create"]]
print("format %s, to create: %s" % (document["format_version"], ", ".join(created)))
wanted = {"terraform_data.subnet[0]", "terraform_data.subnet[1]", "terraform_data.login",
          'module.server["web"].terraform_data.server', 'module.server["db"].terraform_data.server'}
login = document["planned_values"]["outputs"]["login"]
sys.exit(0 if wanted <= set(created) and login["sensitive"] is True else 1)
END
  step apply -input=false -no-color quickstart.tfplan
  shown=$("$kinu" output -no-color) || fail "output"
  [[ $shown != *"correct horse"* ]] || fail "a sensitive value was shown"
  step plan -input=false -no-color -detailed-exitcode || fail "the second plan has changes"
  step destroy -auto-approve -input=false -no-color
  [ -z "$("$kinu" state list)" ] || fail "objects are left after destroy"
  cd - >/dev/null
done
echo
echo "quickstart: init, plan, show, apply, plan again and destroy went well in both syntaxes"
