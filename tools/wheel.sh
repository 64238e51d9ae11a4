#!/usr/bin/env bash
# Builds the Python package as a wheel, installs it into a new environment and runs its tests there.
#   tools/wheel.sh BUILD_DIRECTORY
#
# The tests of Spark need Java, those of fleets a program kinu (of PATH, of a build of this tree, or KINU_PROGRAM).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
python3 -m venv "$build/environment"
"$build/environment/bin/pip" install -q -r "$root/python/requirements.txt"
if [ -n "${JAVA_HOME:-}" ] || command -v java >/dev/null; then
  "$build/environment/bin/pip" install -q -r "$root/python/requirements-spark.txt"
fi
rm -rf "$build/wheels"
PATH="$build/environment/bin:$PATH" "$build/environment/bin/pip" wheel -q --no-build-isolation --no-deps \
  -w "$build/wheels" --config-settings="build-dir=$build/tree" "$root/python"
"$build/environment/bin/pip" install -q --force-reinstall --no-deps "$build"/wheels/kinu-*.whl
"$build/environment/bin/python" -m unittest discover -s "$root/python/tests" -t "$root/python/tests"
echo "$(ls "$build"/wheels/kinu-*.whl)"
