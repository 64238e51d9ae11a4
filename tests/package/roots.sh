#!/usr/bin/env bash
# Installs the last commit in directories that hold nothing but a bare system (chroot), and uses it there:
#
#   roots.sh [WORK [RELEASE]]   WORK is kept: a second run reuses its Debian 12 and its build. Without it a temporary directory
#                               is used and removed. RELEASE has packages that are ready (`make release`, `make package`):
#                               nothing is built then, and the first step is left out.
#
# 1. Debian 12: `make install PREFIX=/opt/x`, programs outside the tree with find_package and with
#    pkg-config, `man kinu-plan`, completions in bash, zsh and fish.
# 2. Debian 12 and 13: the packages of `make package` installed with apt, used, and removed without a trace.
# 3. The archive of `make package` where there is nothing but glibc: that of Debian 12, which is the
#    oldest, and that of Debian 13 in /usr/lib64 with the certificates where Fedora has them.
#
# Needs root, debootstrap, python3, openssl and a mirror of Debian (KINU_DEBIAN_MIRROR). About twenty
# minutes on two cores. Exits with 77 and the reason if something is missing.
set -euo pipefail
mirror=${KINU_DEBIAN_MIRROR:-http://deb.debian.org/debian}
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")

skip() { echo "tests/package/roots.sh: skipped: $1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "needs root"
for program in debootstrap unshare chroot python3 openssl; do
  command -v $program >/dev/null || skip "$program is not installed"
done
unshare --mount --pid --fork true 2>/dev/null || skip "no new namespaces here"

if [ $# -gt 0 ]; then
  mkdir -p "$1"
  work=$(realpath "$1")
else
  work=$(mktemp -d)
fi
server=
finish() {
  [ -z "$server" ] || kill "$server"
  [ $# -gt 0 ] || rm -rf --one-file-system "$work"
}
trap 'finish "$@"' EXIT

step() { echo "== $*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

# in_root ROOT PROGRAM WORD...: runs a program in a root. The mounts vanish with their namespace.
in_root() {
  env -i PATH="$PATH:/usr/sbin:/sbin" HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive TERM=dumb \
    unshare --mount --propagation private --pid --fork --kill-child bash -c '
      mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec nice -n 10 chroot "$@"' - "$@"
}

# inside ROOT SCRIPT: runs a script of bash in a root.
inside() {
  in_root "$1" /usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -euo pipefail -c "$2"
}

# bootstrap SUITE: the smallest system of a release, in $work/SUITE.
bootstrap() {
  [ -e "$work/$1.done" ] && return
  rm -rf --one-file-system "${work:?}/$1"
  debootstrap --variant=minbase "$1" "$work/$1" "$mirror" >"$work/$1.log" 2>&1 ||
    { tail -3 "$work/$1.log"; skip "cannot set up Debian $1 from $mirror"; }
  cp /etc/resolv.conf "$work/$1/etc/resolv.conf"
  echo 'Acquire::Check-Valid-Until "false";' >"$work/$1/etc/apt/apt.conf.d/99any-date"
  inside "$work/$1" 'apt-get update -qq; apt-get clean'
  touch "$work/$1.done"
}

# new_root SUITE NAME: a copy of it.
new_root() {
  rm -rf --one-file-system "${work:?}/$2"
  cp -a --reflink=auto "$work/$1" "$work/$2"
}

# The configuration that is applied everywhere. Reads the program's name.
apply='rm -rf /tmp/w; mkdir -p /tmp/w; cp /tmp/main.tf /tmp/w; "$KINU" -chdir=/tmp/w apply -auto-approve -no-color >/tmp/log ||
  { cat /tmp/log; exit 1; }; [ "$("$KINU" -chdir=/tmp/w output -raw installed)" = yes ]; "$KINU" version'

bootstrap bookworm
build=$work/build
release=$build/kinu/build/package
from_sources() {
  step "Debian 12: make install from the sources of the last commit"
  if [ ! -d "$build" ]; then
    cp -a --reflink=auto "$work/bookworm" "$build.new"
    mv "$build.new" "$build"
  fi
  git -C "$source" archive --prefix=new/ HEAD | tar -x -C "$build"
  cp "$source/tests/package/main.tf" "$build/tmp"
  inside "$build" '
    apt-get install -y -qq --no-install-recommends make rsync >/dev/null
    # Files that did not change keep their time, so that a second run builds what did.
    rsync -rlc --delete --exclude=/build /new/ /kinu/; rm -rf /new /opt/x
    cd /kinu; start=$(date +%s)
    make install PREFIX=/opt/x >/tmp/install.log 2>&1 || { tail -40 /tmp/install.log; exit 1; }
    echo "make install: $(($(date +%s) - start)) s; $(find /opt/x -type f | wc -l) files"'
  inside "$build" "KINU=/opt/x/bin/kinu; $apply"

  step "Debian 12: programs outside the tree"
  inside "$build" '
    rm -rf /outside; cp -r /kinu/examples /outside; documents=/kinu/docs/examples
    for example in hcl_api documents_api; do
      (cmake -S /outside/$example -B /outside/build/$example -DCMAKE_PREFIX_PATH=/opt/x &&
        cmake --build /outside/build/$example) >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
    done
    cd /outside/hcl_api; ../build/hcl_api/services services.hcl | diff -u expected.txt -
    cd /outside/documents_api
    ../build/documents_api/review $documents/plan.json $documents/messages.jsonl | diff -u expected.txt -
    export PKG_CONFIG_PATH=/opt/x/lib/pkgconfig
    g++ -std=c++20 -o /outside/review review.cc $(pkg-config --cflags --libs kinu)
    /outside/review $documents/plan.json $documents/messages.jsonl | diff -u expected.txt -
    echo "find_package and pkg-config: the programs print what they should"'

  step "Debian 12: manual pages and completions"
  # minbase leaves out documentation only where a container image says so.
  inside "$build" '
    apt-get install -y -qq --no-install-recommends man-db zsh fish python3 >/dev/null 2>&1
    MANPATH=/opt/x/share/man man -P cat kinu-plan | tee /tmp/page | head -8
    grep -q -- -detailed-exitcode /tmp/page
    python3 /kinu/tests/e2e/completions.py --share /opt/x/share'

  step "Debian 12: packages"
  inside "$build" 'cd /kinu; make package >/tmp/package.log 2>&1 || { tail -40 /tmp/package.log; exit 1; }; ls build/package'
}
if [ $# -gt 1 ]; then
  release=$(realpath "$2")
else
  from_sources
fi
# All but what apt and dpkg remember about themselves.
# shellcheck disable=SC2016
listing='find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/cache \
  -o -path /var/log -o -path /root \) -prune -o \( -type f ! -name ld.so.cache -printf "%p %s %m\n" \) -o -printf "%p %y %m %l\n" | sort'

# packages_in SUITE: installs the packages with apt in a copy of a system, uses them and removes them without a trace.
packages_in() {
  local root=$work/$1-clean
  new_root "$1" "$1-clean"
  cp "$release"/*_amd64.deb "$source/tests/package/main.tf" "$root/tmp"
  # man-db comes first: it leaves packages that others recommend.
  inside "$root" 'apt-get install -y -qq --no-install-recommends man-db >/dev/null 2>&1'
  inside "$root" "($listing) >/tmp/before; dpkg-query -W -f '\${Package}\n' >/tmp/packages.before"
  inside "$root" '
    apt-get install -y -qq --no-install-recommends /tmp/kinu_*.deb >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
    dpkg-query -W kinu'
  inside "$root" "KINU=kinu; $apply"
  # What apt and the C library recommend or suggest would stay otherwise.
  inside "$root" '
    man -P cat kinu-plan | head -3
    apt-get install -y -qq --no-install-recommends /tmp/libkinu-dev_*.deb >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
    apt-get purge -y -qq kinu libkinu-dev >/dev/null 2>&1
    apt-get autoremove -y -qq --purge -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false >/dev/null 2>&1'
  inside "$root" "($listing) >/tmp/after; dpkg-query -W -f '\${Package}\n' >/tmp/packages.after
    diff -u /tmp/packages.before /tmp/packages.after && diff -u /tmp/before /tmp/after" ||
    fail "removing the packages left something in $1"
  echo "removed: the same packages and files as before"
}
packages_in bookworm
step "Debian 13: the packages that Debian 12 made"
bootstrap trixie
packages_in trixie

# glibc_root SUITE NAME DIRECTORY: a root of glibc, whose libraries lie in DIRECTORY, and the archive.
archive=$(ls "$release"/kinu-*-linux-x86_64.tar.xz)
glibc_root() {
  local root=$work/$2 libraries=$work/$1/usr/lib/x86_64-linux-gnu
  rm -rf --one-file-system "$root"
  mkdir -p "$root"/{etc,proc,dev,tmp,opt,"$3",usr/sbin,w}
  local file
  for file in $(chroot "$work/$1" dpkg -L libc6 | grep -o '[^/]*\.so\.[0-9]*$' | sort -u); do
    cp -L "$libraries/$file" "$root/$3"
  done
  [ "$3" = lib64 ] || ln -s "$3" "$root/lib64"
  cp "$work/$1/sbin/ldconfig" "$root/usr/sbin" && echo "/$3" >"$root/etc/ld.so.conf"
  chroot "$root" /usr/sbin/ldconfig
  tar -xJf "$archive" -C "$root/opt" --strip-components=1
  cp "$source/tests/package/main.tf" "$root/w"
  (cd "$root" && find . -name 'libc.so*' -o -name 'ld-linux*' | tr '\n' ' '; echo)
}
# Applies, and loads what only init from a network and providers need.
use() {
  local root=$work/$1
  # There is no other program, not even a shell.
  in_root "$root" /opt/bin/kinu -chdir=/w apply -auto-approve -no-color >"$work/log" || { cat "$work/log"; fail "$1: apply"; }
  [ "$(in_root "$root" /opt/bin/kinu -chdir=/w output -raw installed)" = yes ] || fail "$1: output"
  in_root "$root" /opt/bin/kinu version
}

step "The archive with the glibc of Debian 12 and nothing else"
tar -xJOf "$archive" --wildcards '*/README' | sed -n 1p
glibc_root bookworm glibc-oldest lib64
use glibc-oldest

step "The archive with the glibc of Debian 13 in /usr/lib64, certificates as Fedora has them"
glibc_root trixie fedora-like usr/lib64
use fedora-like
mkdir -p "$work/fedora-like/etc/pki/tls/certs" "$work/fedora-like/module" "$work/www"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  -keyout "$work/key.pem" -out "$work/fedora-like/etc/pki/tls/certs/ca-bundle.crt" 2>/dev/null
cp "$source/tests/package/main.tf" "$work/www"
tar -czf "$work/www/module.tar.gz" -C "$work/www" main.tf
port=$((20000 + RANDOM % 20000))
python3 - "$work" "$port" <<'PYTHON' &
import functools, http.server, ssl, sys
work, port = sys.argv[1], int(sys.argv[2])
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=work + "/www")
server = http.server.HTTPServer(("127.0.0.1", port), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(work + "/fedora-like/etc/pki/tls/certs/ca-bundle.crt", work + "/key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
PYTHON
server=$!
printf '127.0.0.1 localhost\n' >"$work/fedora-like/etc/hosts"
cat >"$work/fedora-like/module/main.tf" <<TEXT
module "a" {
  source = "https://localhost:$port/module.tar.gz"
}
TEXT
sleep 1
in_root "$work/fedora-like" /opt/bin/kinu -chdir=/module init -no-color >"$work/log" 2>&1 ||
  { cat "$work/log"; fail "fedora-like: init from https"; }
grep Downloading "$work/log"
echo "tests/package/roots.sh: kinu is installed, used and removed in every root"
