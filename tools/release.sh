#!/usr/bin/env bash
# Makes all files of a release from a clean clone, and checks each step of the list that it prints:
#   tools/release.sh VERSION        `make release VERSION=0.1.0`
# build/release-VERSION then has the packages, the archive, the image, the sources, bills of materials, the
# statement of provenance, SHA256SUMS and its signature.
#
#   KINU_RELEASE_KEY     the key of gpg that signs; without it nothing is signed, and the last step fails
#   KINU_RELEASE_CACHE   not empty: objects may come from a compiler's cache, for trying; it does not look at what decides
#                        how they name their sources
#   KINU_RELEASE_SKIP    steps to leave out, by name, for trying the others: the release is then no release
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "$version is no version: make release VERSION=0.1.0" >&2; exit 2; }
out=build/release-$version
machine=$(uname -m)
steps=(tree version changelog pins build package lintian hardening archive image rpm wheel speed arm64_build arm64 sources formula bills nothing_private signed verified)
declare -A about=(
  [tree]="a clean clone: no changed and no new files"
  [version]="CMakeLists.txt has that version"
  [changelog]="the changelog has it with its date"
  [pins]="the packages of this machine are those of packaging/pins.txt"
  [build]="the release build, with a recorded profile if there is one"
  [package]="packages of Debian"
  [lintian]="lintian finds no errors and no warnings in them"
  [hardening]="what users run is hardened"
  [archive]="the archive, twice with equal bytes"
  [image]="the container images, used in a root"
  [rpm]="the .rpm of the archive, in which rpmlint finds nothing"
  [wheel]="the wheel of the Python package with the program, tested where it is installed"
  [speed]="the program of each of these plans as fast as that of the build"
  [arm64_build]="the release build for arm64, cross-compiled"
  [arm64]="packages, archive, images, .rpm and wheel for arm64; QEMU runs the wheel's tests"
  [sources]="the source archive"
  [formula]="the formula of Homebrew, with the digests of both archives"
  [bills]="bills of materials, equal to about -sbom"
  [nothing_private]="no file names a directory of this machine, has debug information or a library that no bill names"
  [signed]="the statement of provenance, SHA256SUMS and its signature"
  [verified]="tools/verify_release.sh accepts it"
)
fail() { echo "$1" >&2; return 1; }

step_tree() {
  local changed
  changed=$(git status --porcelain | sed -n 1,3p)
  [ -z "$changed" ] || fail "not as committed: $changed"
}
step_version() {
  local found
  found=$(sed -n 's/^project(kinu VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  [ "$found" = "$version" ] || fail "CMakeLists.txt has $found"
}
step_changelog() {
  grep -Eq "^## ${version//./\\.} \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md || fail "CHANGELOG.md has no date of $version"
  local unreleased
  # No reader that stops at a match: under pipefail its writer's broken pipe would make this step true.
  unreleased=$(sed -n "/^## Unreleased/,/^## $version /{/^- /p}" CHANGELOG.md)
  [ -z "$unreleased" ] || fail "CHANGELOG.md has changes that are not released"
}
step_pins() { tools/bundled.py pins; }
step_build() {
  tools/setup.sh build package
  cmake --preset release >/dev/null
  cmake --build --preset release --target installable
}
step_package() { tools/packages.sh build/release "$out"; }
step_lintian() {
  tools/setup.sh package-checks
  lintian --allow-root --fail-on error,warning "$out"/*.deb
}
step_hardening() { tests/package/hardening.py build/release/src/cli/kinu build/release/lib/kinu/*.so; }
step_archive() {
  tools/tarball.sh build/release "$out"
  tools/tarball.sh build/release "$work/again"
  tools/compare_releases.py "$out/kinu-$version-linux-$machine.tar.xz" "$work/again/kinu-$version-linux-$machine.tar.xz"
}
step_image() {
  tools/image.py "$out/kinu-$version-linux-$machine.tar.xz" "$out"
  tools/image.py "$out/kinu-$version-linux-$machine.tar.xz" "$out" --git
  tests/package/archive.py --archive "$out/kinu-$version-linux-$machine.tar.xz"
}
step_rpm() {
  tools/setup.sh rpm package-checks
  tools/rpm.sh "$out/kinu-$version-linux-$machine.tar.xz" "$out"
  rpmlint -c packaging/rpm/rpmlint.toml "$out"/*.rpm | tee "$work/rpmlint"
  grep -q " 0 errors, 0 warnings" "$work/rpmlint"
}
step_wheel() {
  tools/setup.sh wheel
  tools/wheel.sh build/wheel "$out/kinu-$version-linux-$machine.tar.xz"
  cp build/wheel/wheels/*.whl "$out"
}
step_speed() { tests/package/speed.py "$out" build/release/src/cli/kinu; }
step_arm64_build() {
  tools/setup.sh build arm64
  tools/sysroot.sh arm64 build/sysroot-arm64
  cmake --preset arm64 >/dev/null
  cmake --build --preset arm64 --target installable
}
step_arm64() {
  local archive=$out/kinu-$version-linux-aarch64.tar.xz
  tools/packages.sh build/arm64 "$out"
  lintian --allow-root --fail-on error,warning "$out"/*_arm64.deb
  tools/tarball.sh build/arm64 "$out"
  KINU_SYSROOT=build/sysroot-arm64 tools/image.py "$archive" "$out"
  KINU_SYSROOT=build/sysroot-arm64 tools/image.py "$archive" "$out" --git
  tools/rpm.sh "$archive" "$out"
  rpmlint -c packaging/rpm/rpmlint.toml "$out"/*.aarch64.rpm | tee "$work/rpmlint"
  grep -q " 0 errors, 0 warnings" "$work/rpmlint"
  tools/wheel.sh build/wheel-arm64 "$archive" arm64
  cp build/wheel-arm64/wheels/*.whl "$out"
}
step_sources() {
  tools/dist.sh "$work/sources"
  cp "$work/sources/kinu-$version.tar.xz" "$out/kinu-$version.tar.xz"
}
step_formula() {
  local amd64 arm64
  amd64=$(sha256sum "$out/kinu-$version-linux-x86_64.tar.xz" | cut -d' ' -f1)
  arm64=$(sha256sum "$out/kinu-$version-linux-aarch64.tar.xz" | cut -d' ' -f1)
  sed "s/@VERSION@/$version/g; s/@SHA256_X86_64@/$amd64/; s/@SHA256_AARCH64@/$arm64/" packaging/homebrew/kinu.rb.in >"$out/kinu.rb"
}
step_bills() {
  build/release/src/cli/kinu about -sbom=spdx >"$out/kinu-$version.spdx.json"
  build/release/src/cli/kinu about -sbom=cyclonedx >"$out/kinu-$version.cdx.json"
  tools/sbom.py spdx | cmp - "$out/kinu-$version.spdx.json"
  tools/sbom.py cyclonedx | cmp - "$out/kinu-$version.cdx.json"
}
step_nothing_private() { tests/package/artefacts.py "$out"; }
step_signed() {
  # What was built is what the statement names.
  [ "$(git rev-parse HEAD)" = "$commit" ] || fail "a commit was made since the release was begun"
  step_tree
  tools/provenance.py "$out" --version "$version" --commit "$commit" ${KINU_RELEASE_KEY:+--key "$KINU_RELEASE_KEY"}
  [ -n "${KINU_RELEASE_KEY:-}" ] || fail "KINU_RELEASE_KEY names no key of gpg"
}
step_verified() {
  gpg --batch --armor --export "$KINU_RELEASE_KEY" >"$work/key.asc"
  tools/verify_release.sh "$out" "$work/key.asc"
}

[ -n "${KINU_RELEASE_CACHE:-}" ] || export CCACHE_DISABLE=1
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(tools/source_date.sh)
export SOURCE_DATE_EPOCH
rm -rf "$out"
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
done_steps=()
# A step runs in a shell of its own, whose first failing command ends it: `if` and `!` would switch that off.
for step in "${steps[@]}"; do
  if [[ " ${KINU_RELEASE_SKIP:-} " = *" $step "* ]]; then
    echo "[skip] $step: ${about[$step]}"
    continue
  fi
  start=$SECONDS
  set +e
  (set -e; "step_$step") >"$work/log" 2>&1
  code=$?
  set -e
  if [ $code != 0 ]; then
    tail -15 "$work/log" >&2
    echo "[FAIL] $step: ${about[$step]}"
    exit 1
  fi
  echo "[ ok ] $step: ${about[$step]} ($((SECONDS - start)) s)"
  done_steps+=("$step")
done
(cd "$out" && ls -l | awk 'NR > 1 {printf "%10d  %s\n", $5, $9}')
if [ ${#done_steps[@]} = ${#steps[@]} ]; then
  echo "release $version: ${#steps[@]} of ${#steps[@]} steps hold; it is in $out. To publish: git tag v$version"
else
  echo "no release: ${#done_steps[@]} of ${#steps[@]} steps hold"
fi
