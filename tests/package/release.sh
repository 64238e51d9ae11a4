#!/usr/bin/env bash
# What tools/release.sh refuses before it builds anything, in a clone: release.sh
set -euo pipefail
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || { echo "release.sh: skipped: no repository here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clone=$work/clone
git clone -q --depth 1 "file://$source" "$clone"
# The tools as they are here, also those that are not committed.
cp "$source"/tools/*.{sh,py} "$clone/tools"
cp "$source"/packaging/*.{json,txt} "$clone/packaging"
commit() { git -C "$clone" add -A && git -C "$clone" -c user.name=t -c user.email=t@localhost commit -qam "$1" --allow-empty; }
commit tools

# refuses VERSION LINE: the last line of a run that fails.
refuses() {
  local said
  if said=$("$clone/tools/release.sh" "$1" 2>&1); then echo "FAILED: accepted: $2"; exit 1; fi
  grep -qF -- "$2" <<<"$said" || { echo "FAILED: not said: $2"; echo "$said"; exit 1; }
  echo "${said##*$'\n'}"
}
version=$(sed -n 's/^project(kinu VERSION \([0-9.]*\).*/\1/p' "$clone/CMakeLists.txt")
refuses ../x "../x is no version"
refuses 99.1.2 "CMakeLists.txt has $version"
echo >"$clone/new"
refuses "$version" "[FAIL] tree"
rm "$clone/new"
# More than a pipe holds: whoever reads to the first of them must not take a broken pipe for an end.
news=$(printf -- '- Something new.\\n%.0s' {1..5000})
sed -i "s/^## Unreleased/&\n\n$news/" "$clone/CHANGELOG.md"
commit "a change"
refuses "$version" "CHANGELOG.md has changes that are not released"
sed -i "/^## Unreleased/,/^## $version/{/^## /!d}" "$clone/CHANGELOG.md"
commit "a release"
sed -i 's/^libssl-dev .*/libssl-dev 0.1/' "$clone/packaging/pins.txt"
commit "a pin"
refuses "$version" "and a release is made with 0.1"
[ -z "$(ls "$clone/build/release-$version")" ] || { echo "FAILED: a refused release has files"; exit 1; }
echo "release: ok"
