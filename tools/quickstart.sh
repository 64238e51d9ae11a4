#!/usr/bin/env bash
# Runs init, plan, show, apply, plan and destroy on examples/quickstart, in each syntax, in a copy:
#
#   tools/quickstart.sh BUILD                             a build's program; the copy is in the parent directory of BUILD
#   tools/quickstart.sh --in COPY SEEN MIRROR COMMAND...  a program that COMMAND starts, by a chroot for example: it sees the
#                                                         directory COPY, which is made anew, as SEEN
#
# The part with a provider process runs if the mirror of packages (BUILD/mirror, or MIRROR, which may be empty) has the provider
# hashicorp/time. The files in COPY belong to the owner of COPY, if it is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ "$1" = --in ]; then
  work=$(realpath "$2")
  seen=$3
  mirror=${4:+$(realpath "$4")}
  kinu=("${@:5}")
else
  build=$(realpath "$1")
  work=$(dirname "$build")/quickstart
  seen=$work
  mirror=$build/mirror
  kinu=("$build/src/cli/kinu")
fi

unset "${!TF_@}"
owner=$(stat -c %u:%g "$work" 2>/dev/null || true)
rm -rf "$work"
mkdir -p "$work"
export TF_CLI_CONFIG_FILE=$seen/cli.tfrc TF_IN_AUTOMATION=1
with_provider=yes
compgen -G "$mirror/registry.opentofu.org/hashicorp/time/0.13.1/*/terraform-provider-time*" >/dev/null || {
  with_provider=no
  echo "quickstart: Go or the modules of hashicorp/time are missing, so its part is left out"
}
if [ "$seen" != "$work" ] && [ $with_provider = yes ]; then
  package=registry.opentofu.org/hashicorp/time/0.13.1
  mkdir -p "$work/mirror/$package"
  cp -rL "$mirror/$package/." "$work/mirror/$package"
  mirror=$seen/mirror
fi
# Without a mirror no provider may come from elsewhere either.
mkdir -p "$work/mirror"
cat >"$work/cli.tfrc" <<END
provider_installation {
  filesystem_mirror {
    path = "${mirror:-$seen/mirror}"
  }
}
END
for syntax in native json; do
  cp -r "examples/quickstart/$syntax" "$work/$syntax"
  [ $with_provider = yes ] || rm -f "$work/$syntax"/time.tf*
done
[ -z "$owner" ] || chown -R "$owner" "$work"

fail() { echo "quickstart: $syntax syntax: $*" >&2; exit 1; }
call() { "${kinu[@]}" -chdir="$seen/$syntax" "$@"; }
step() {  # ARGUMENTS...: prints the command and runs it
  echo
  echo "\$ kinu $*"
  call "$@"
}

for syntax in native json; do
  echo "==== $syntax syntax"
  step init -input=false -no-color
  step plan -input=false -no-color -out=quickstart.tfplan
  echo
  echo "\$ kinu show -json quickstart.tfplan"
  call show -json quickstart.tfplan >"$work/$syntax/plan.json"
  python3 - "$work/$syntax/plan.json" <<'END' || fail "the JSON of the plan is not as expected"
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
  shown=$(call output -no-color) || fail "output"
  [[ $shown != *"correct horse"* ]] || fail "a sensitive value was shown"
  step plan -input=false -no-color -detailed-exitcode || fail "the second plan has changes"
  step destroy -auto-approve -input=false -no-color
  [ -z "$(call state list)" ] || fail "objects are left after destroy"
done
echo
echo "quickstart: init, plan, show, apply, plan again and destroy went well in both syntaxes"
