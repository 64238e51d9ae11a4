#!/usr/bin/env bash
# Reads the recipes of other package managers (packaging/): the formula of Homebrew with Ruby, the expression of Nix with
# its parser. Each must be refused when it is damaged. The archive's directories must be those that the formula links.
#   recipes.sh
# Exits with 77 and the reason if one of the programs is missing; the other recipe was read then.
set -euo pipefail
packaging=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../packaging")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1"; exit 1; }
missing=()

if command -v ruby >/dev/null; then
  sed "s/@VERSION@/0.1.0/g; s/@SHA256_X86_64@/$(printf '1%.0s' {1..64})/; s/@SHA256_AARCH64@/$(printf '2%.0s' {1..64})/" \
    "$packaging/homebrew/kinu.rb.in" >"$work/kinu.rb"
  ! grep -n '@[A-Z0-9_]*@' "$work/kinu.rb" || fail "a placeholder that tools/release.sh does not fill"
  ruby -wc "$work/kinu.rb" >/dev/null
  # The words of Homebrew that a formula must say.
  cat >"$work/formula.rb" <<'RUBY'
class Formula
  SAID = {}
  ARCHIVES = {}
  %i[desc homepage version license depends_on url sha256].each { |word| define_singleton_method(word) { |value| SAID[word] = value } }
  %i[on_intel on_arm].each do |word|
    define_singleton_method(word) do |&block|
      class_eval(&block)
      ARCHIVES[word] = [SAID.delete(:url), SAID.delete(:sha256)]
    end
  end
  define_singleton_method(:test) { |&block| SAID[:test] = block }
end
load ARGV[0]
lacking = %i[desc homepage version license test].reject { |word| Formula::SAID[word] }
abort "FAILED: the formula has no #{lacking.join(", ")}" unless lacking.empty?
{ on_intel: ["x86_64", "1" * 64], on_arm: ["aarch64", "2" * 64] }.each do |word, (machine, digest)|
  url, sha256 = Formula::ARCHIVES[word]
  abort "FAILED: #{word}: the formula is of #{url}" unless url&.end_with?("/v0.1.0/kinu-0.1.0-linux-#{machine}.tar.xz")
  abort "FAILED: #{word}: the digest is #{sha256}" unless sha256 == digest
end
abort "FAILED: the formula installs nothing" unless Kinu.method_defined?(:install)
RUBY
  ruby -w "$work/formula.rb" "$work/kinu.rb"
  sed -i 's/^  def install$/  def install(/' "$work/kinu.rb"
  ! ruby -c "$work/kinu.rb" >/dev/null 2>&1 || fail "Ruby reads a damaged formula"
  echo "formula of Homebrew: ok"
else
  missing+=(ruby)
fi

if command -v nix-instantiate >/dev/null; then
  parse() { NIX_REMOTE='' NIX_STATE_DIR="$work/state" NIX_STORE_DIR="$work/store" NIX_LOG_DIR="$work/log" nix-instantiate --parse "$1"; }
  parse "$packaging/nix/default.nix" >/dev/null
  sed 's/^in$//' "$packaging/nix/default.nix" >"$work/damaged.nix"
  ! parse "$work/damaged.nix" >/dev/null 2>&1 || fail "Nix reads a damaged expression"
  echo "expression of Nix: ok"
else
  missing+=(nix-instantiate)
fi
[ ${#missing[@]} = 0 ] || { echo "recipes.sh: skipped: no ${missing[*]}"; exit 77; }
