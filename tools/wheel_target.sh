# What a wheel for another processor is built with. To be sourced after tools/target.sh:
#   python_for_target                the Python that builds it: KINU_PYTHON or one of PATH
#   wheel_for_target BUILD PYTHON
# The module is compiled with Debian's cross compilers and the headers of Debian's Python for that processor, which
# tools/sysroot.sh unpacks into build/python-ARCH; the tools of the build are those of PYTHON, which must be of the same
# version. Exports what scikit-build-core reads, and sets wheel_settings (options of pip wheel).

# The release of Debian that has a version of Python.
suite_of_python() {
  case $1 in
    3.11) echo bookworm ;;
    3.13) echo trixie ;;
    *) return 1 ;;
  esac
}

version_of_python() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

python_for_target() {
  local each
  for each in ${KINU_PYTHON:+"$KINU_PYTHON"} python3.13 python3 python3.11; do
    if suite_of_python "$(version_of_python "$each")" >/dev/null; then
      echo "$each"
      return 0
    fi
  done
  echo "tools/wheel_target.sh: neither Python 3.13 nor 3.11 here (KINU_PYTHON); Debian has no other one for arm64" >&2
  return 1
}

wheel_for_target() {
  local build=$1 version suite tools headers wheel_python
  tools=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
  version=$(version_of_python "$2")
  suite=$(suite_of_python "$version")
  wheel_python=$tools/../build/python-$target_arch
  "$tools/sysroot.sh" "$target_arch" "$wheel_python" "$suite" python3 python3-venv libpython3-dev libstdc++6
  # Without the headers of that release's C library, which may be newer than that of the build.
  headers=$build/headers/python$version
  rm -rf "$build/headers"
  mkdir -p "$build/headers"
  cp -r "$wheel_python/usr/include/python$version" "$headers"
  cp "$wheel_python/usr/include/$target_triplet/python$version/pyconfig.h" "$headers"
  export _PYTHON_HOST_PLATFORM=linux-$target_machine
  export CMAKE_TOOLCHAIN_FILE=$tools/../cmake/debian_cross.cmake
  export CMAKE_ARGS="-DKINU_ARCH=$target_arch -DPython_INCLUDE_DIR=$headers"
  # Not the profile, which was recorded on this processor.
  wheel_settings=("--config-settings=cmake.define.KINU_PROFILE=")
}
