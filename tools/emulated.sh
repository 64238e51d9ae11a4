#!/usr/bin/env bash
# Runs a command where programs of another processor can be started like those of this one:
#   tools/emulated.sh ARCH COMMAND...        ARCH as Debian calls it: arm64
# QEMU runs them, with the libraries of build/sysroot-ARCH, which are seen beside those of this machine. Both is so for the
# command alone, in a namespace of its own, which Linux 6.7 and later allow anybody. Whoever is root has all users in there,
# anybody else one, who is called root. Exits with 77 and the reason if it cannot be had.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/target.sh"
target_of "$1"
shift
[ -n "$target_sysroot" ] || exec "$@"

skip() { echo "tools/emulated.sh: skipped: $1"; exit 77; }
qemu=$(command -v "qemu-$target_machine-static") || skip "no qemu-$target_machine-static (tools/setup.sh $target_arch)"
[ -e "$target_sysroot/.packages" ] || skip "no libraries in $target_sysroot (tools/sysroot.sh $target_arch)"
# The first bytes of an ELF file for the processor, and which of their bits count.
case $target_machine in
  aarch64) number='\xb7\x00' ;;
  x86_64) number='\x3e\x00' ;;
esac
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00'$number
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
export KINU_BINFMT=":qemu-$target_machine:M::$magic:$mask:$qemu:F"
unshare --user --map-root-user --mount true 2>/dev/null || skip "no new namespaces here"
namespace=(unshare --user --map-root-user --mount)
if [ "$(id -u)" = 0 ]; then
  # A process outside says who is who inside, once this one is there; the users last, for whom it waits.
  namespace=(unshare --user --mount)
  outside=$(readlink "/proc/$$/ns/user")
  (
    while [ "$(readlink "/proc/$$/ns/user")" = "$outside" ]; do sleep 0.02; done
    for map in gid_map uid_map; do cat "/proc/self/$map" >"/proc/$$/$map"; done
  ) &
fi
exec "${namespace[@]}" bash -c '
  until [ "$(id -u)" = 0 ]; do sleep 0.02; done
  # The place of the mount is any directory; nobody else sees it.
  mount -t binfmt_misc none /mnt 2>/dev/null && printf %s "$KINU_BINFMT" >/mnt/register ||
    { echo "tools/emulated.sh: skipped: this kernel has no binfmt_misc in namespaces"; exit 77; }
  unset KINU_BINFMT
  mount -t overlay overlay -o "lowerdir=$1/lib:$1/usr/lib:/usr/lib" /usr/lib 2>/dev/null ||
    { echo "tools/emulated.sh: skipped: no overlay in namespaces here"; exit 77; }
  shift
  exec "$@"' - "$target_sysroot" "$@"
