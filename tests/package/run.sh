#!/usr/bin/env bash
# Installs a build into an empty directory, runs the program from there, builds the examples with
# only the installed library, and runs them:
#   run.sh BUILD [COMPILER]
# What the examples print must equal their expected.txt, which KINU_UPDATE=1 rewrites.
set -euo pipefail
build=$(realpath "$1")
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target installable >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --install "$build" --prefix "$work/prefix" >>"$work/log"
mkdir "$work/directory"
cp "$root/tests/package/main.tf" "$work/directory"
"$work/prefix/bin/kinu" -chdir="$work/directory" apply -auto-approve -no-color >>"$work/log" || { cat "$work/log"; exit 1; }
[ "$("$work/prefix/bin/kinu" -chdir="$work/directory" output -raw installed)" = yes ]
[ -f "$work/prefix/lib/kinu/kinu-crypto.so" ]
[ -f "$work/prefix/lib/kinu/kinu-net.so" ]
[ -f "$work/prefix/lib/kinu/kinu-install.so" ]
[ -f "$work/prefix/lib/kinu/kinu-ssh.so" ]
flags=()
[ -n "${2:-}" ] && flags+=("-DCMAKE_CXX_COMPILER=$2")
command -v ccache >/dev/null && flags+=("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
build_example() {
  cmake -S "$root/examples/$1" -B "$work/$1" "-DCMAKE_PREFIX_PATH=$work/prefix" "${flags[@]}" >>"$work/log" 2>&1 &&
    cmake --build "$work/$1" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  cd "$root/examples/$1"
}
# prints FILE: compares standard input with what an example is expected to print.
prints() {
  if [ -n "${KINU_UPDATE:-}" ]; then cat >"$1"; else diff -u "$1" -; fi
}
build_example hcl_api
"$work/hcl_api/services" services.hcl | prints expected.txt
build_example documents_api
documents="$root/docs/examples"
"$work/documents_api/review" "$documents/plan.json" "$documents/messages.jsonl" | prints expected.txt
# The programs of the page about the library.
mkdir "$work/guide_source"
python3 "$root/tests/docs_examples.py" --write "$work/guide_source" "$root/docs/guide/library.md"
cmake -S "$work/guide_source" -B "$work/guide" "-DCMAKE_PREFIX_PATH=$work/prefix" "${flags[@]}" >>"$work/log" 2>&1 &&
  cmake --build "$work/guide" --parallel 2 >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
python3 "$root/tests/docs_examples.py" --binary "$work/prefix/bin/kinu" --path "$work/guide" "$root/docs/guide/library.md"
# A provider, from the page about providers and from the example.
build_example provider
mkdir "$work/provider_source"
python3 "$root/tests/docs_examples.py" --write "$work/provider_source" "$root/docs/guide/provider.md"
cmake -S "$work/provider_source" -B "$work/provider_guide" "-DCMAKE_PREFIX_PATH=$work/prefix" "${flags[@]}" >>"$work/log" 2>&1 &&
  cmake --build "$work/provider_guide" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
python3 "$root/tests/docs_examples.py" --binary "$work/prefix/bin/kinu" --path "$work/provider_guide" "$root/docs/guide/provider.md"
# The same programs without CMake.
export PKG_CONFIG_PATH="$work/prefix/lib/pkgconfig"
"${2:-c++}" -std=c++20 -o "$work/review" "$root/examples/documents_api/review.cc" \
  $(pkg-config --cflags --libs kinu) >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/review" "$documents/plan.json" "$documents/messages.jsonl" |
  prints "$root/examples/documents_api/expected.txt"
"${2:-c++}" -std=c++20 -o "$work/greeting" "$work/provider_source/greeting.cc" \
  $(pkg-config --cflags --libs kinu-provider) >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ "$(pkg-config --modversion kinu)" = "$(sed -n 's/^#define KINU_VERSION "\(.*\)"/\1/p' "$work/prefix/include/kinu/version.h")" ]
echo "tests/package: the examples build against the installed package and say what they should"
