#!/usr/bin/env bash
# Builds the providers of the end-to-end tests into a filesystem mirror, and beside them the servers
# of the transport's test:
#   build.sh DIRECTORY
# Versions are pinned: kinutest and grpcpeer by go.mod and go.sum here, hashicorp/time by its own. Does nothing
# if the mirror is up to date. Without Go, or without the modules and a network to download them, it
# prints a message and succeeds: the tests are then skipped.
set -euo pipefail
trap 'echo "tests/providers: the providers could not be built, their tests will be skipped"; exit 0' ERR
mirror=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"
registry="$mirror/registry.opentofu.org"
time_version=0.13.1
kinutest_version=1.0.0

if ! command -v go >/dev/null; then
  echo "tests/providers: Go is not installed, provider tests will be skipped"
  exit 0
fi
platform="$(go env GOOS)_$(go env GOARCH)"
stamp=$(cat go.mod go.sum kinutest/*.go grpcpeer/*.go "${BASH_SOURCE[0]##*/}" | sha256sum | cut -d' ' -f1)
[ "$(cat "$mirror/.stamp" 2>/dev/null || true)" = "$stamp" ] && exit 0

export CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false"
directory="$registry/kinu/kinutest/$kinutest_version/$platform"
mkdir -p "$directory"
go build -ldflags "-s -w" -o "$directory/terraform-provider-kinutest_v$kinutest_version" ./kinutest
go build -ldflags "-s -w" -o "$mirror/grpcpeer" ./grpcpeer

directory="$registry/hashicorp/time/$time_version/$platform"
mkdir -p "$directory"
GOBIN="$directory" go install -ldflags "-s -w" \
  "github.com/hashicorp/terraform-provider-time@v$time_version"
mv -f "$directory/terraform-provider-time" "$directory/terraform-provider-time_v${time_version}_x5"
echo "$stamp" >"$mirror/.stamp"
