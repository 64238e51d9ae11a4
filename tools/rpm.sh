#!/usr/bin/env bash
# Makes an .rpm of an archive of `make package`, so that it needs nothing but glibc wherever packages are .rpm:
#   tools/rpm.sh ARCHIVE.tar.xz DIRECTORY
# Equal archives give equal bytes (tools/source_date.sh). Needs rpmbuild.
set -euo pipefail
archive=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
tools=$(realpath "$(dirname "$0")")
SOURCE_DATE_EPOCH=$("$tools/source_date.sh")
export SOURCE_DATE_EPOCH
[[ $(basename "$archive") =~ ^kinu-([0-9.]+)-linux-([a-z0-9_]+)\.tar\.xz$ ]]
version=${BASH_REMATCH[1]}
machine=${BASH_REMATCH[2]}
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/tree"
tar -xJf "$archive" -C "$stage/tree" --strip-components=1
glibc=$(sed -n '1s/.*glibc \([0-9.]*\) or newer.*/\1/p' "$stage/tree/README")
rm "$stage/tree/README"
find "$stage/tree/share/man" -type f ! -name '*.gz' -exec gzip -9n {} +
# The texts of the licences go where they are asked for.
mkdir "$stage/tree/share/licenses"
mv "$stage/tree/share/doc/kinu/licenses" "$stage/tree/share/licenses/kinu"
mv "$stage/tree/share/doc/kinu/LICENSE" "$stage/tree/share/licenses/kinu"
chmod 755 "$stage/tree"/lib/kinu/*.so "$stage/tree"/lib/kinu/libraries/*

cat >"$stage/kinu.spec" <<SPEC
Name: kinu
Version: $version
Release: 1
Summary: Infrastructure as code, compatible with OpenTofu
License: $("$tools/bundled.py" licenses)
URL: https://kinu.invalid
Group: System/Management
Packager: the maintainers of kinu <maintainers@kinu.invalid>
Requires: glibc >= $glibc
AutoReqProv: no
%description
kinu plans and applies configurations of the infrastructure language, and
reads, queries, checks and converts the documents that such engines write. It
works with the states, plans and providers of OpenTofu. The libraries that it
uses are part of the package.
%install
mkdir -p %{buildroot}/usr
cp -a $stage/tree/. %{buildroot}/usr
%files
%attr(755,root,root) /usr/bin/kinu
%dir /usr/lib/kinu
/usr/lib/kinu/*
/usr/share/bash-completion/completions/kinu
/usr/share/fish/vendor_completions.d/kinu.fish
/usr/share/zsh/site-functions/_kinu
%doc %attr(644,root,root) /usr/share/man/man1/*
%doc /usr/share/doc/kinu
%license /usr/share/licenses/kinu
%changelog
* $(date -u -d "@$SOURCE_DATE_EPOCH" '+%a %b %d %Y') the maintainers of kinu <maintainers@kinu.invalid> - $version-1
- CHANGELOG.md says what is new.
SPEC
# No debug packages and no changes to what was built; nothing of the machine or of the time.
rpmbuild -bb --quiet --target "$machine" --nodebuginfo 2>"$stage/log" \
  --define "_topdir $stage/rpm" --define "_rpmdir $stage/made" --define "_buildhost reproducible" \
  --define "__os_install_post %{nil}" --define "_build_id_links none" --define "debug_package %{nil}" \
  --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
  --define "_binary_payload w${KINU_RPM_LEVEL:-6}T2.xzdio" "$stage/kinu.spec" || { cat "$stage/log" >&2; exit 1; }
name=kinu-$version-1.$machine.rpm
cp "$stage/made/$machine/$name" "$out"
echo "$out/$name (glibc $glibc or newer)"
