#!/usr/bin/env bash
# Packs the extension for VS Code: DIRECTORY/kinu-VERSION.vsix. npm installs what the lock files of editors/vscode
# pin, the first time and when they change.
#
#   tools/vscode.sh DIRECTORY
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
target=$(cd "$1" && pwd)
extension=$target/extension
mkdir -p "$extension" "$target/packaging"

# install FOLDER LOCK FLAG...: what the lock file pins, if it is another one than the last time.
install() {
  local folder=$1 lock=$2
  shift 2
  cmp -s "$lock" "$folder/package-lock.json" && [ -d "$folder/node_modules" ] && return
  cp "$(dirname "$lock")/package.json" "$lock" "$folder"
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund "$@" >/dev/null)
}

install "$extension" "$source/editors/vscode/package-lock.json" --omit=dev
install "$target/packaging" "$source/editors/vscode/packaging/package-lock.json"
find "$extension" -mindepth 1 -maxdepth 1 ! -name node_modules ! -name package-lock.json -exec rm -r {} +
(cd "$source/editors/vscode" && cp -r .vscodeignore README.md package.json extension.js \
  language-configuration.json snippets syntaxes "$extension")
cp "$source/LICENSE" "$extension/LICENSE.txt"
rm -f "$target"/kinu-*.vsix
(cd "$extension" && "$target/packaging/node_modules/.bin/vsce" package --allow-missing-repository \
  --no-rewrite-relative-links --out "$target" >/dev/null 2>&1)
ls "$target"/kinu-*.vsix
