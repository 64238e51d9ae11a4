#!/usr/bin/env bash
# Says whether the files of a release are what its makers signed:
#   verify_release.sh DIRECTORY KEY
# DIRECTORY has all files of one release, KEY is a file with the public key of its makers. Needs gpg, sha256sum and awk.
# Prints what holds and exits with 0, or prints the first thing that does not and exits with 1.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
refuse() { echo "REFUSED: $1" >&2; exit 1; }
[ -d "$1" ] || refuse "$1 is no directory"
[ -f "$2" ] || refuse "$2 is no file with a key"
key=$(realpath "$2")
cd "$1"
for name in SHA256SUMS SHA256SUMS.asc; do [ -f $name ] || refuse "there is no $name"; done

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
chmod 700 "$home"
gpg_quietly() { gpg --homedir "$home" --batch --no-autostart "$@" 2>/dev/null; }
gpg_quietly --import "$key" || refuse "$2 has no public key"
# A good signature of a key that neither expired nor was revoked; any other line of gpg's status is none.
gpg_quietly --status-fd 1 --verify SHA256SUMS.asc SHA256SUMS >"$home/status" || true
grep -q '^\[GNUPG:\] BADSIG ' "$home/status" && refuse "SHA256SUMS was changed after it was signed"
grep -q '^\[GNUPG:\] GOODSIG ' "$home/status" || refuse "SHA256SUMS is not signed by a valid key of $2"
signer=$(awk '$2 == "VALIDSIG" {print $3; exit}' "$home/status")
echo "signed by $signer"

grep -Evq '^[0-9a-f]{64}  [A-Za-z0-9][A-Za-z0-9._+~-]*$' SHA256SUMS && refuse "SHA256SUMS has a line that is no digest of a file"
awk '{print $2}' SHA256SUMS | sort >"$home/listed"
twice=$(uniq -d "$home/listed" | sed -n 1p)
[ -z "$twice" ] || refuse "SHA256SUMS names $twice twice"
while read -r digest name || [ -n "$digest" ]; do
  [ -f "$name" ] && [ ! -L "$name" ] || refuse "$name is missing"
  [ "$(sha256sum <"$name")" = "$digest  -" ] || refuse "$name is not the file that SHA256SUMS names: its bytes were changed"
done <SHA256SUMS
find . -mindepth 1 -maxdepth 1 ! -name SHA256SUMS ! -name SHA256SUMS.asc -printf '%f\n' | sort >"$home/present"
extra=$(comm -13 "$home/listed" "$home/present" | sed -n 1p)
[ -z "$extra" ] || refuse "$extra is no file of this release"
echo "$(wc -l <SHA256SUMS) files, as SHA256SUMS lists them"

# one_of PATTERN WHAT: the only file of that name.
one_of() {
  local found
  found=$(grep -E "$1" "$home/listed" || true)
  [ -n "$found" ] || refuse "there is no $2"
  [ "$(wc -l <<<"$found")" = 1 ] || refuse "there is more than one $2"
  echo "$found"
}
one_of '^kinu-[0-9.]+\.spdx\.json$' "bill of materials as SPDX" >/dev/null
one_of '^kinu-[0-9.]+\.cdx\.json$' "bill of materials as CycloneDX" >/dev/null
statement=$(one_of '^kinu-[0-9.]+\.intoto\.json$' "statement of provenance")
grep -q '"_type": "https://in-toto.io/Statement/v1"' "$statement" && grep -q '"predicateType": "https://slsa.dev/provenance/v1"' "$statement" ||
  refuse "$statement is no in-toto statement with SLSA's provenance"
# Its subjects are one a line.
sed -n 's/^ *{"name": "\([^"]*\)", "digest": {"sha256": "\([0-9a-f]\{64\}\)"}},\{0,1\}$/\2  \1/p' "$statement" | sort -k2 >"$home/stated"
grep -vF "  $statement" SHA256SUMS | sort -k2 >"$home/made"
if ! cmp -s "$home/made" "$home/stated"; then
  refuse "$statement is about another $(diff "$home/made" "$home/stated" | awk '/^[<>]/ && !found++ {print $3}')"
fi
commit=$(sed -n 's/.*"gitCommit": "\([0-9a-f]*\)".*/\1/p' "$statement")
echo "bills of materials, and a statement of provenance about commit $commit"
