#!/usr/bin/env bash
# Builds the Python package as a wheel, installs it into new environments and runs its tests there.
#   tools/wheel.sh BUILD_DIRECTORY [ARCHIVE.tar.xz [ARCH]]
#
# ARCHIVE (`make package`) has the program, which the wheel then brings along; without it the wheel has the module alone.
# For another processor (ARCH: arm64, as Debian calls it) tools/wheel_target.sh says what compiles the module; QEMU runs the
# tests, which are those of the bare root.
#
# One wheel serves Python 3.12 and later (abi3) if a Python of those builds it: KINU_PYTHON, or one of PATH. Else the
# wheel serves the version that built it. KINU_OTHER_PYTHONS: more Pythons, in which an abi3 wheel is tested as well.
# auditwheel puts the libraries behind the package into the wheel and names the oldest glibc that it runs with.
#
# The tests of Spark need Java, those of fleets a program kinu (of PATH, of a build of this tree, or KINU_PROGRAM), that of
# the bare root (tests/package/wheel_root.sh) the rights of root.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
SOURCE_DATE_EPOCH=$("$root/tools/source_date.sh")
export SOURCE_DATE_EPOCH
archive=${2:+$(realpath "$2")}
mkdir -p "$1"
build=$(cd "$1" && pwd)
. "$root/tools/target.sh"
target_of "${3:-$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')}"

has_stable_abi() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; }
python=${KINU_PYTHON:-}
if [ -n "$target_sysroot" ]; then
  . "$root/tools/wheel_target.sh"
  python=$(python_for_target)
elif [ -z "$python" ]; then
  for each in python3 python3.12 python3.13 python3.14; do
    if has_stable_abi "$each"; then python=$each; break; fi
  done
fi
python=${python:-python3}
has_stable_abi "$python" ||
  echo "No Python of 3.12 or later (KINU_PYTHON): the wheel is for $("$python" --version) alone" >&2

# A second run keeps the environment.
[ "$("$build/environment/bin/python" --version 2>/dev/null)" = "$("$python" --version)" ] ||
  "$python" -m venv --clear "$build/environment"
"$build/environment/bin/pip" install -q --no-compile -r "$root/python/requirements.txt"
if [ -n "$target_sysroot" ]; then
  wheel_for_target "$build" "$python"
elif [ -n "${JAVA_HOME:-}" ] || command -v java >/dev/null; then
  "$build/environment/bin/pip" install -q --no-compile -r "$root/python/requirements-spark.txt"
fi
rm -rf "$build/wheels" "$build/unrepaired" "$build/repaired"
export PATH="$build/environment/bin:$PATH"
pip wheel -q --no-build-isolation --no-deps -w "$build/unrepaired" --config-settings="build-dir=$build/tree" \
  ${wheel_settings[@]+"${wheel_settings[@]}"} "$root/python"
AUDITWHEEL_LD_LIBRARY_PATH=${target_sysroot:+$target_sysroot/lib/$target_triplet:$target_sysroot/usr/lib/$target_triplet} \
  auditwheel repair -w "$build/repaired" "$build"/unrepaired/kinu-*.whl >"$build/auditwheel.log" 2>&1 ||
  { tail -20 "$build/auditwheel.log"; exit 1; }
wheel=$(ls "$build"/repaired/kinu-*.whl)
[[ $wheel == *-manylinux_* ]] || { auditwheel show "$wheel"; exit 1; }
if has_stable_abi "$python"; then
  python -m zipfile -l "$wheel" | grep "kinu/_kinu.abi3.so" >/dev/null && [[ $wheel == *-cp312-abi3-* ]] ||
    { echo "$wheel is no wheel of the stable interface of Python"; exit 1; }
fi
"$root/tools/finish_wheel.py" "$wheel" "$build/wheels" ${archive:+--archive "$archive"}
wheel=$build/wheels/$(basename "$wheel")
unzipped=$(mktemp -d)
trap 'rm -rf "$unzipped"' EXIT
python -m zipfile -e "$wheel" "$unzipped"
"$root/tests/package/hardening.py" "$unzipped"/kinu/_kinu*.so
"$root/tests/package/wheel_files.py" "$wheel" ${archive:+--archive "$archive"}
if [ -n "$target_sysroot" ]; then
  "$root/tools/emulated.sh" "$target_arch" "$root/tests/package/wheel_root.sh" "$wheel" "$python" "$target_arch" || [ $? = 77 ]
  echo "$wheel"
  exit 0
fi

pip install -q --force-reinstall --no-deps "$wheel"
if [ -n "$archive" ]; then
  # The program of the environment, with what it loads from there.
  work=$unzipped/work
  mkdir "$work"
  cp "$root/tests/package/main.tf" "$work"
  "$build/environment/bin/kinu" -chdir="$work" apply -auto-approve -no-color >"$work/log" || { cat "$work/log"; exit 1; }
  [ "$("$build/environment/bin/kinu" -chdir="$work" output -raw installed)" = yes ]
  "$build/environment/bin/kinu" version
fi
python -m mypy --ignore-missing-imports --cache-dir "$build/mypy" --no-error-summary -p kinu
(cd "$build" && python -m unittest discover -s "$root/python/tests" -t "$root/python/tests")
for other in ${KINU_OTHER_PYTHONS:-}; do
  "$other" -m venv --clear "$build/other"
  # From the wheel alone: what needs other packages is left out.
  "$build/other/bin/pip" install -q --no-index "$wheel"
  "$build/other/bin/python" --version
  (cd "$build" && "$build/other/bin/python" -m unittest discover -s "$root/python/tests" -t "$root/python/tests" -p test_kinu.py)
done
"$root/tests/package/wheel_root.sh" "$wheel" "$python" || [ $? = 77 ]
echo "$wheel"
