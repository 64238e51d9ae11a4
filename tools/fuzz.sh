#!/usr/bin/env bash
# Runs every fuzz target over its corpus:
#
#   tools/fuzz.sh BUILD RUNS [SECONDS]       RUNS inputs each, and no longer than SECONDS each
#
# The corpus of a target is in BUILD/corpus/TARGET and is kept. Files of the tests seed it.
set -euo pipefail
build=$(realpath "$1")
runs=$2
seconds=${3:-0}
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seed() {  # TARGET: prints the seed files of a target
  case $1 in
    fuzz_hcl_native | fuzz_hcl_writer) find examples tests -name '*.tf' ;;
    fuzz_hcl_json) find examples tests -name '*.tf.json' ;;
    fuzz_convert) find examples tests -name '*.tf' -o -name '*.tf.json' ;;
    fuzz_state) find tests/golden/state -type f -size -200k ;;
    fuzz_json_value) find tests/golden docs/schemas -name '*.json' -size -20k ;;
    fuzz_c_interface) find examples tests/golden docs/examples '(' -name '*.tf' -o -name '*.json' -o -name '*.tfstate' -o -name '*.tfplan' ')' -size -16k ;;
    fuzz_recorded) find docs/examples tests/golden/documents -name '*.json' -size -60k ;;
    fuzz_compare) find docs/examples tests/golden/documents fuzz/seeds/compare '(' -name '*.json' -o -path '*/seeds/*' ')' -type f -size -60k ;;
    fuzz_plan_file) find tests/golden/plan -type f -size -200k ;;
    *) [[ ! -d fuzz/seeds/${1#fuzz_} ]] || find "fuzz/seeds/${1#fuzz_}" -type f ;;
  esac
}

head_of() {  # TARGET FILE: prints the first byte of an input, which chooses how the target reads it
  case $1:$2 in
    fuzz_convert:*.json) printf D ;;
    fuzz_convert:*) printf @ ;;
    fuzz_c_interface:*.tf.json) printf 6 ;;   # a module
    fuzz_c_interface:*.tfplan) printf 8 ;;
    fuzz_c_interface:*.tf) printf 4 ;;
    fuzz_c_interface:*plan*) printf J ;;      # the table changes
    fuzz_c_interface:*state*) printf I ;;     # the table resources
    fuzz_c_interface:*) printf B ;;           # selection
  esac
}

failed=0
for target in "$build"/fuzz/fuzz_*; do
  name=${target##*/}
  [[ -x $target && ! -d $target ]] || continue
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  seed "$name" | while read -r file; do
    { head_of "$name" "$file"; cat "$file"; } >"$corpus/$(echo "$file" | tr / _)"
  done
  echo "== $name"
  (cd "$build/corpus" && "$target" -runs="$runs" -max_total_time="$seconds" -max_len=16384 -timeout=10 -print_final_stats=1 \
    "$name" 2>&1 | tail -n 12) || { failed=$((failed + 1)); echo "FAIL $name"; }
done
[ $failed -eq 0 ] && echo "fuzz: every target ran $runs inputs${3:+ or $3 seconds} without a finding"
exit $((failed > 0))
