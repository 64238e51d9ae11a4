# The processor that a build directory or a package is for, and what reads its files on this machine. To be sourced.
#   target_of_build BUILD
#   target_of ARCH           as Debian calls it
# Both set target_arch (arm64), target_machine (aarch64) and target_triplet (aarch64-linux-gnu). For this machine's own
# processor target_prefix, target_sysroot and target_run are empty; for another one they are what stands before the names
# of the compilers, the directory of tools/sysroot.sh, and what runs a program. KINU_SYSROOT tells the latter directory to
# tools/bundled.py and tools/licenses.sh.

target_of() {
  target_arch=$1
  case $1 in
    amd64) target_machine=x86_64 ;;
    arm64) target_machine=aarch64 ;;
    *) echo "tools/target.sh: no processor $1" >&2; return 1 ;;
  esac
  target_triplet=$target_machine-linux-gnu
  target_prefix= target_sysroot= target_run=()
  if [ "$target_machine" != "$(uname -m)" ]; then
    target_prefix=$target_triplet-
    target_sysroot=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")/build/sysroot-$1
    target_run=("qemu-$target_machine-static" -L "$target_sysroot")
    export KINU_SYSROOT=$target_sysroot
  fi
}

target_of_build() {
  local arch
  arch=$(sed -n 's/^KINU_ARCH:[A-Z]*=//p' "$1/CMakeCache.txt")
  if [ -z "$arch" ]; then
    arch=$(uname -m)
    arch=${arch/x86_64/amd64}
    arch=${arch/aarch64/arm64}
  fi
  target_of "$arch"
}
