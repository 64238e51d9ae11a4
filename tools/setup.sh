#!/usr/bin/env bash
# Installs what the build needs on Debian 12; silent and instant when all is there.
set -euo pipefail
packages=(
  g++ cmake ninja-build mold ccache pkg-config git python3
  libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc
  libfmt-dev libspdlog-dev libmpfr-dev libgmp-dev libre2-dev libssl-dev
  libarchive-dev zlib1g-dev libyaml-dev robin-map-dev libxxhash-dev libmimalloc-dev
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev libutf8proc-dev libsimdjson-dev
  clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev
)
missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
sudo=""
[ "$(id -u)" = 0 ] || sudo="sudo"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
