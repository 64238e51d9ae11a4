#!/usr/bin/env bash
# Makes an .rpm of a small archive (tools/rpm.sh), twice under other circumstances: equal bytes, the files of the archive
# below /usr, no dependency but glibc; installed and removed in a root (as root) without a trace; and rpmlint finds nothing that packaging/rpm/rpmlint.toml does not name.
#   rpm.sh
# Exits with 77 without rpmbuild; rpmlint is left out where it is missing.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
command -v rpmbuild >/dev/null || { echo "rpm.sh: skipped: no rpmbuild"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1"; exit 1; }
export SOURCE_DATE_EPOCH=1790000000 KINU_RPM_LEVEL=0
name=kinu-0.1.0-linux-$(uname -m)
tree=$work/$name
mkdir -p "$tree"/{bin,lib/kinu/libraries,share/doc/kinu/licenses,share/man/man1} \
  "$tree"/share/{bash-completion/completions,fish/vendor_completions.d,zsh/site-functions}
echo "kinu 0.1.0 for Linux. Needs glibc 2.36 or newer and nothing else." >"$tree/README"
printf 'int main() { return 0; }\n' | cc -O2 -s -x c -o "$tree/bin/kinu" -
printf '#include <stdio.h>\nvoid f() { puts("x"); }\n' | cc -O2 -s -shared -fPIC -Wl,-soname,kinu-net.so -x c -o "$tree/lib/kinu/kinu-net.so" -
printf '.TH KINU 1\n.SH NAME\nkinu \\- infrastructure as code\n' >"$tree/share/man/man1/kinu.1"
for each in bash-completion/completions/kinu fish/vendor_completions.d/kinu.fish zsh/site-functions/_kinu \
  doc/kinu/README.md doc/kinu/LICENSE doc/kinu/licenses/x.txt; do echo "text of $each" >"$tree/share/$each"; done
cp "$tree/lib/kinu/kinu-net.so" "$tree/lib/kinu/libraries/libx.so.1"
printf more >>"$tree/lib/kinu/libraries/libx.so.1"
tar -C "$work" -cJf "$work/$name.tar.xz" "$name"

"$root/tools/rpm.sh" "$work/$name.tar.xz" "$work/first" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
mkdir -p "$work/elsewhere"
cp "$work/$name.tar.xz" "$work/elsewhere"
(umask 027; TZ=Asia/Tokyo HOME=$work "$root/tools/rpm.sh" "$work/elsewhere/$name.tar.xz" "$work/second" >"$work/log" 2>&1) || fail "$(cat "$work/log")"
"$root/tools/compare_releases.py" "$work/first" "$work/second"
made=$(ls "$work"/first/*.rpm)
[ "$(rpm -qpR "$made" | grep -v '^rpmlib(')" = "glibc >= 2.36" ] || fail "it requires $(rpm -qpR "$made")"
rpm -qplv "$made" >"$work/list"
for each in "-rwxr-xr-x .* root *root .* /usr/bin/kinu" "-rw-r--r-- .* /usr/share/man/man1/kinu.1.gz" ".* /usr/lib/kinu/libraries/libx.so.1" \
  ".* /usr/share/licenses/kinu/LICENSE"; do
  grep -Eq "^$each$" "$work/list" || fail "no $each in $(cat "$work/list")"
done
rpm -qp --qf '%{BUILDHOST} %{BUILDTIME}\n' "$made" | grep -qx "reproducible $SOURCE_DATE_EPOCH" || fail "it names the machine or the time"
if [ "$(id -u)" = 0 ]; then
  in_root() { rpm --root "$work/root" --dbpath /var/lib/rpm "$@" 2>>"$work/log" || fail "rpm $*: $(cat "$work/log")"; }
  mkdir "$work/root"
  in_root --nodeps -i "$made"
  "$work/root/usr/bin/kinu" || fail "the installed program"
  in_root -e kinu
  left=$(find "$work/root" -path "$work/root/var/lib/rpm" -prune -o -name '*kinu*' -print)
  [ -z "$left" ] || fail "removed, and there is $left"
fi
# That of another processor, whose files this machine only packs.
if [ "$(uname -m)" = x86_64 ] && command -v aarch64-linux-gnu-gcc >/dev/null; then
  other=kinu-0.1.0-linux-aarch64
  cp -r "$tree" "$work/$other"
  printf 'int main() { return 0; }\n' | aarch64-linux-gnu-gcc -O2 -s -x c -o "$work/$other/bin/kinu" -
  for each in kinu-net.so libraries/libx.so.1; do
    printf '#include <stdio.h>\nvoid f() { puts("x"); }\n' |
      aarch64-linux-gnu-gcc -O2 -s -shared -fPIC -x c -o "$work/$other/lib/kinu/$each" -
  done
  tar -C "$work" -cJf "$work/$other.tar.xz" "$other"
  "$root/tools/rpm.sh" "$work/$other.tar.xz" "$work/other" >"$work/log" 2>&1 || fail "aarch64: $(cat "$work/log")"
  packed=$work/other/kinu-0.1.0-1.aarch64.rpm
  rpm -qp --qf '%{ARCH} %{OS} %{BUILDHOST} %{BUILDTIME}\n' "$packed" | grep -qx "aarch64 linux reproducible $SOURCE_DATE_EPOCH" ||
    fail "it is for $(rpm -qp --qf '%{ARCH} %{OS} %{BUILDHOST} %{BUILDTIME}' "$packed")"
  mkdir "$work/unpacked"
  (cd "$work/unpacked" && rpm2cpio "$packed" | cpio -id --quiet && file usr/bin/kinu | grep -q aarch64) || fail "its program is for another processor"
fi
if command -v rpmlint >/dev/null; then
  said=$(rpmlint -c "$root/packaging/rpm/rpmlint.toml" "$made" 2>&1 || true)
  grep -q ' 0 errors, 0 warnings' <<<"$said" || fail "$said"
  echo "rpm: ok, with rpmlint"
else
  echo "rpm: ok; rpmlint is not installed"
fi
