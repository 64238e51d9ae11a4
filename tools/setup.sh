#!/usr/bin/env bash
# Installs the packages that a make target needs on Debian 12, as root or through sudo. Prints
# nothing if all are installed.
#
#   tools/setup.sh [--list] GROUP...     groups: build (what the program and the libraries need), tests, check (the
#                               format check of the tests), clang (tsan, fuzz, tidy), package (make
#                               package), site (make site), wheel (make wheel), browser (tests and
#                               pictures of the report of show -html, which are skipped without it),
#                               peers (make test-peers), profile (make profile), editors (the tests of
#                               the language server in editors, which are skipped without them),
#                               lsp-mode (one more of them), extension (make vscode), rpm (make rpm), arm64 (make package
#                               ARCH=arm64: what runs here, tools/sysroot.sh unpacks the rest),
#                               package-checks (the tests of packages, which leave out what is missing); none
#                               means build, tests, check, clang and package
#
# The release of the distribution pins the versions. With --list the packages are printed, one a line.
set -euo pipefail
list=
if [ "${1:-}" = --list ]; then
  list=1
  shift
fi
[ $# -gt 0 ] || set -- build tests check clang package

packages=()
for group in "$@"; do
  case $group in
    build)
      packages+=(
        make cmake ninja-build g++ mold ccache pkg-config python3
        libnghttp2-dev libssl-dev libre2-dev libmpfr-dev libgmp-dev libcrypt-dev
        libcurl4-openssl-dev librnp-dev libarchive-dev libssh-dev libpq-dev
        libdeflate-dev libyaml-dev libedit-dev libutf8proc-dev libxxhash-dev robin-map-dev libmimalloc-dev
      ) ;;
    tests)
      packages+=(
        libgtest-dev librapidcheck-dev
        protobuf-compiler libprotobuf-dev   # protoc, and the messages that it knows
      ) ;;
    check) packages+=(clang-format-19) ;;
    clang) packages+=(clang-19 libclang-rt-19-dev clang-tidy-19) ;;
    peers) packages+=(python3 python3-venv openssl postgresql etcd-server) ;;
    site) packages+=(python3 python3-venv) ;;
    browser) packages+=(chromium) ;;
    wheel) packages+=(python3-dev python3-venv) ;;
    profile) packages+=(valgrind) ;;
    # Whole editors that the language server is tested with. The Node.js of other sources brings its npm along.
    editors)
      packages+=(neovim emacs-nox elpa-eglot python3-venv)
      command -v npm >/dev/null || packages+=(nodejs npm) ;;
    lsp-mode) packages+=(emacs-nox elpa-lsp-mode) ;;
    extension) command -v npm >/dev/null || packages+=(nodejs npm) ;;
    package) packages+=(dpkg-dev file git openssh-client patchelf xz-utils) ;;
    arm64) packages+=(g++-aarch64-linux-gnu qemu-user-static debian-archive-keyring) ;;
    rpm) packages+=(rpm xz-utils) ;;
    # What reads packages and recipes for tests, which are skipped without it, and for `make release`.
    package-checks) packages+=(lintian rpmlint ruby nix-bin gnupg) ;;
    *) echo "tools/setup.sh: no group $group" >&2; exit 2 ;;
  esac
done
if [ -n "$list" ]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

if ! command -v dpkg-query >/dev/null; then
  echo "tools/setup.sh: not a Debian system, taking for granted: ${packages[*]}" >&2
  exit 0
fi
installed=" $(dpkg-query -W -f='${binary:Package}:${db:Status-Status} ' "${packages[@]}" 2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
  # dpkg-query prints multi-architecture packages as NAME:ARCHITECTURE.
  [[ $installed =~ \ "$package"(:[a-z0-9]+)?:installed\  ]] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || {
    echo "tools/setup.sh: neither root nor sudo; to install: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "Installing ${missing[*]} (some minutes on a fresh machine)"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
