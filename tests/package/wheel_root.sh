#!/usr/bin/env bash
# Installs a wheel where there is nothing but what manylinux promises and Python, and uses it there:
#   wheel_root.sh WHEEL PYTHON [ARCH]
#
# The root has the libraries of glibc, libstdc++, libgcc_s and zlib, and PYTHON with its modules and what it is linked with;
# no shell and no other library. With ARCH, another processor as Debian calls it, all of that comes from build/python-ARCH
# (tools/wheel_target.sh), and tools/emulated.sh starts this script. KINU_QUICKSTART_MIRROR may name a mirror with the provider
# that the quickstart has a part for. Needs root; exits with 77 and the reason if something is
# missing.
set -euo pipefail
skip() { echo "tests/package/wheel_root.sh: skipped: $1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "needs root"
command -v dpkg >/dev/null || skip "not a Debian system"
unshare --mount --pid --fork true 2>/dev/null || skip "no new namespaces here"
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
wheel=$(realpath "$1")
name=$("$2" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
if [ -n "${3:-}" ]; then
  . "$source/tools/target.sh"
  target_of "$3"
  sysroot=$source/build/python-$3
  python=$sysroot/usr/bin/$name
  prefix=$sysroot/usr
  # Debian 12 has some of them in /lib alone.
  libraries=("$sysroot/usr/lib/$target_triplet" "$sysroot/lib/$target_triplet")
  of_glibc=$(cat "$sysroot/var/lib/dpkg/info/libc6:$3.list")
  objdump=$target_triplet-objdump
else
  python=$("$2" -c 'import os, sys; print(os.path.realpath(sys.executable))')
  prefix=$("$2" -c 'import sys; print(sys.base_prefix)')
  libraries=("$(dirname "$(ldconfig -p | sed -n "s/.*libc\.so\.6 .*$(uname -m | tr _ -).* => //p" | head -1)")")
  of_glibc=$(dpkg -L libc6)
  objdump=objdump
fi
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
mkdir -p "$root"/{etc,lib,proc,dev,tmp,python/bin,python/lib,w}
ln -s lib "$root/lib64"

# The file of a library; that of Python itself lies with Python.
library() {
  local place
  for place in "${libraries[@]}" "$prefix/lib"; do
    [ ! -e "$place/$1" ] || { echo "$place/$1"; return; }
  done
}
needed() { "$objdump" -p "$@" | sed -n 's/ *NEEDED *//p'; }
for file in $(grep -o '[^/]*\.so\.[0-9]*$' <<<"$of_glibc" | sort -u) libstdc++.so.6 libgcc_s.so.1 libz.so.1 $(needed "$python"); do
  cp -L "$(library "$file")" "$root/lib"
done
cp "$python" "$root/python/bin/$name"
cp -r "$prefix/lib/$name" "$root/python/lib"
rm -rf "$root/python/lib/$name/"{site-packages,test,idlelib}
# Modules of Python that need more than this root has are none of it.
for module in "$root/python/lib/$name/lib-dynload/"*.so; do
  for file in $(needed "$module"); do
    [ -e "$root/lib/$file" ] || { rm -f "$module"; break; }
  done
done
# A program that QEMU runs takes minutes to compile what it imports.
"$2" -m compileall -q -x config- "$root/python/lib/$name" >"$work/log" || { tail -5 "$work/log"; exit 1; }
mkdir -p "$root"/w/source/{python,docs,tests/golden}
cp -r "$source/python/tests" "$root/w/source/python"
cp -r "$source/docs/examples" "$root/w/source/docs"
cp -r "$source/tests/golden/plan" "$root/w/source/tests/golden"
cp "$wheel" "$root/w"
cp "$(dirname "$0")/main.tf" "$root/w"
cat >"$root/w/use.py" <<'PYTHON'
import os, sys
import kinu
assert kinu.evaluate('cidrsubnet("10.0.0.0/8", 8, n)', {"n": 1}) == "10.1.0.0/16"
assert kinu.evaluate('regex("b+", yamldecode("a: abbc").a)') == "bb"
assert len(kinu.evaluate('bcrypt("x")')) == 60 and kinu.evaluate('sha256("x")').startswith("2d71")
assert kinu.load_module("/w").files == ["main.tf"]
plan = kinu.open(b'{"format_version":"1.2","resource_changes":[{"address":"t.n","change":{"actions":["create"]}}]}')
assert plan.query("$.resource_changes[*].address") == ["t.n"] and plan.summary().startswith("Plan: 1 to add")
assert kinu.tables([("s", b"{}")], "problems").__arrow_c_stream__()
print("kinu", kinu.__version__, "in Python", sys.version.split()[0], "with", ", ".join(sorted(os.listdir("/lib"))))
PYTHON
# A program that is process 1 of its namespace does not end by a signal of its own.
# shellcheck disable=SC2016
enter=(unshare --mount --propagation private --pid --fork --kill-child bash -c
  'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && chroot "$@"; exit $?' - "$root")
in_root() {
  env -i PATH=/usr/sbin:/sbin:/usr/bin:/bin HOME=/tmp PYTHONDONTWRITEBYTECODE=1 "${enter[@]}" "$@"
}
in_root "/python/bin/$name" -m venv --without-pip /env >"$work/log" 2>&1 || { tail -5 "$work/log"; exit 1; }
packages=$root/env/lib/$name/site-packages
# Debian keeps the wheel of pip outside of Python.
"$2" -m zipfile -e "$(ls "$prefix"/share/python-wheels/pip-*.whl "$prefix/lib/$name"/ensurepip/_bundled/pip-*.whl 2>/dev/null | head -1)" "$packages"
"$2" -m compileall -q "$packages" >/dev/null
in_root /env/bin/python -m pip install --no-index "/w/$(basename "$wheel")" >"$work/log" 2>&1 || { tail -5 "$work/log"; exit 1; }
in_root /env/bin/python /w/use.py
in_root /env/bin/python -m unittest discover -s /w/source/python/tests -t /w/source/python/tests -p test_kinu.py >"$work/log" 2>&1 ||
  { tail -30 "$work/log"; exit 1; }
echo "the tests of the module: $(sed -n 's/^Ran \([0-9]* tests\).*/\1/p; /^OK/p' "$work/log" | tr '\n' ' ')"
# The program, if the wheel has it: libraries that it loads from the wheel unpack and connect, so init is part of this.
if [ -e "$root/env/bin/kinu" ]; then
  in_root /env/bin/kinu version
  mkdir "$root/w/m"
  mv "$root/w/main.tf" "$root/w/m"
  printf 'output "answer" {\n  value = module.m.installed\n}\nmodule "m" {\n  source = "./m"\n}\nmodule "packed" {\n  source = "/w/packed.tar.gz"\n}\n' >"$root/w/main.tf"
  tar -czf "$root/w/packed.tar.gz" -C "$root/w/m" main.tf
  for words in "init -no-color" "apply -auto-approve -no-color"; do
    # shellcheck disable=SC2086
    in_root /env/bin/kinu -chdir=/w $words >"$work/log" 2>&1 || { tail -5 "$work/log"; exit 1; }
  done
  [ "$(in_root /env/bin/kinu -chdir=/w output -raw answer)" = yes ]
  "$source/tools/quickstart.sh" --in "$root/w/quickstart" /w/quickstart "${KINU_QUICKSTART_MIRROR:-}" "${enter[@]}" /env/bin/kinu \
    >"$work/log" 2>&1 || { tail -20 "$work/log"; exit 1; }
  tail -1 "$work/log"
  # Nothing of it stays behind.
  in_root /env/bin/python -m pip uninstall -y kinu >"$work/log" 2>&1 || { tail -5 "$work/log"; exit 1; }
  left=$(find "$root/env" "$root/python" -iname '*kinu*' ! -name '__pycache__')
  [ -z "$left" ] || { echo "uninstalled, and there is $left"; exit 1; }
  echo "the program of the wheel: init, apply, output; uninstalled without a trace"
fi
