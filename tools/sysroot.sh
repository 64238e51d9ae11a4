#!/usr/bin/env bash
# Unpacks what a program for another processor is built with into a directory, and leaves this system as it is:
#   tools/sysroot.sh ARCH DIRECTORY [SUITE PACKAGE...]        ARCH as Debian calls it: arm64
# The packages are those of Debian 12 that a build needs, or PACKAGE... of SUITE with what they depend on, from
# KINU_DEBIAN_MIRROR; apt checks their signatures. Prints nothing if the directory has them. Needs apt and dpkg-deb, and no
# rights of root.
#
# DIRECTORY/var/lib/dpkg is a database of these packages, whose lists have the paths of this system: dpkg-query tells their
# versions, and dpkg-shlibdeps what a program depends on.
set -euo pipefail
arch=$1
mkdir -p "$2"
root=$(realpath "$2")
mirror=${KINU_DEBIAN_MIRROR:-http://deb.debian.org/debian}
security=${KINU_DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}
tools=$(realpath "$(dirname "$0")")

suite=${3:-bookworm}
packages=("${@:4}")
if [ ${#packages[@]} = 0 ]; then
  # What the compilers of this system find, and what a release has.
  mapfile -t packages < <({ "$tools/setup.sh" --list build tests | grep '^lib'; "$tools/bundled.py" packages all; } | sort -u)
  packages+=(libc6-dev libstdc++6)
fi

wanted="$root $mirror $security $suite ${packages[*]}"
[ "$(cat "$root/.packages" 2>/dev/null)" = "$wanted" ] && exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{state/lists/partial,cache/archives/partial,etc/{apt.conf.d,preferences.d,sources.list.d}}
: >"$work/status"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
cat >"$work/etc/sources.list" <<TEXT
deb [arch=$arch signed-by=$keys] $mirror $suite main
deb [arch=$arch signed-by=$keys] $mirror $suite-updates main
deb [arch=$arch signed-by=$keys] $security $suite-security main
TEXT
# An apt whose system has no packages yet and is of the other processor.
cat >"$work/apt.conf" <<TEXT
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Dir::State "$work/state";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
Dir::Etc "$work/etc";
Dir::Log "$work";
TEXT
export APT_CONFIG=$work/apt.conf
echo "Unpacking ${#packages[@]} packages of Debian's $suite for $arch, and what they need (a minute)"
apt-get -qq update
apt-get -qq -y --download-only install "${packages[@]}" >/dev/null
rm -rf "${root:?}"/*
database=$root/var/lib/dpkg
mkdir -p "$database"/{info,updates}
echo 1 >"$database/info/format"
touch "$database/available"

# unpack PACKAGE: its files, and what the database says of it.
unpack() {
  local name arch prefix control=$work/control
  dpkg-deb -x "$1" "$root"
  rm -rf "$control"
  dpkg-deb -e "$1" "$control"
  name=$(sed -n 's/^Package: //p' "$control/control")
  arch=$(sed -n 's/^Architecture: //p' "$control/control")
  prefix=$database/info/$name
  ! grep -qx 'Multi-Arch: same' "$control/control" || prefix+=:$arch
  for each in symbols shlibs; do
    [ ! -f "$control/$each" ] || cp "$control/$each" "$prefix.$each"
  done
  dpkg-deb --fsys-tarfile "$1" | tar -t | sed "s|^\.|$root|; s|/$||" >"$prefix.list"
  { sed 's/^Package: .*/&\nStatus: install ok installed/' "$control/control"; echo; } >>"$database/status"
}
for package in "$work"/cache/archives/*.deb; do
  unpack "$package"
done
# Links to absolute paths would lead out of the directory.
find "$root" -type l -lname '/*' | while read -r link; do
  ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$root$(readlink "$link")")" "$link"
done
echo "$wanted" >"$root/.packages"
