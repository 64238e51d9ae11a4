#!/usr/bin/env bash
# Builds the services of tests that no distribution has, for tests/peers.py:
#   build.sh [DIRECTORY [SERVICE...]]       by default build/services, and all of them
# fake-gcs-server, Consul and the API server of Kubernetes need Go (the last one half an hour on two processors,
# once); Azurite needs npm, moto a Python with venv. Versions are pinned by go.mod and go.sum, package-lock.json, and
# requirements.txt, one directory each. What is up to date is left alone. What cannot be built is told, and its
# tests are skipped.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${1:-$here/../../build/services}
target=$(mkdir -p "$target" && cd "$target" && pwd)
services=" ${*:2} "
cd "$here"

# build_go DIRECTORY PACKAGE: one package after the other, so that the machine stays usable.
build_go() {
  (cd "$1" && CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false" \
    nice go build -p 1 -ldflags "-s -w" -o "$target/$(basename "$2")" "$2")
}

build_azurite() {
  mkdir -p "$target/azure" && cp azure/package.json azure/package-lock.json "$target/azure" &&
    (cd "$target/azure" && nice npm ci --no-audit --no-fund --ignore-scripts --loglevel error) &&
    ln -sf azure/node_modules/.bin/azurite-blob "$target/azurite-blob"
}

build_moto() {
  python3 -m venv "$target/moto" &&
    "$target/moto/bin/pip" install --quiet --disable-pip-version-check -r moto/requirements.txt &&
    ln -sf moto/bin/moto_server "$target/moto_server"
}

# keep NAME DIRECTORY COMMAND...: runs the command if the files of the directory have changed since it succeeded.
keep() {
  local name=$1 directory=$2 stamp
  shift 2
  [[ $services == "  " || $services == *" $name "* ]] || return 0
  stamp=$(cat "$directory"/* | sha256sum | cut -d' ' -f1)
  [ "$(cat "$target/.$name" 2>/dev/null || true)" = "$stamp" ] && return
  if "$@"; then
    echo "$stamp" >"$target/.$name"
  else
    echo "tests/services: $name could not be built, its tests will be skipped"
  fi
}

if command -v go >/dev/null; then
  keep fake-gcs-server gcs build_go gcs github.com/fsouza/fake-gcs-server
  keep consul consul build_go consul github.com/hashicorp/consul
  keep kube-apiserver kubernetes build_go kubernetes k8s.io/kubernetes/cmd/kube-apiserver
else
  echo "tests/services: Go is not installed, the tests of gcs, consul and kubernetes will be skipped"
fi
if command -v npm >/dev/null; then
  keep azurite azure build_azurite
else
  echo "tests/services: npm is not installed, the tests of azurerm will be skipped"
fi
command -v moto_server >/dev/null || keep moto moto build_moto
