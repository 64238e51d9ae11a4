#!/usr/bin/env bash
# Installs a wheel where there is nothing but what manylinux promises and Python, and uses it there:
#   wheel_root.sh WHEEL PYTHON
#
# The root has the libraries of glibc, libstdc++, libgcc_s and zlib, and PYTHON with its modules; no shell and no other
# library. Needs root; exits with 77 and the reason if something is missing.
set -euo pipefail
skip() { echo "tests/package/wheel_root.sh: skipped: $1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "needs root"
command -v dpkg >/dev/null || skip "not a Debian system"
unshare --mount --pid --fork true 2>/dev/null || skip "no new namespaces here"
wheel=$(realpath "$1")
python=$("$2" -c 'import os, sys; print(os.path.realpath(sys.executable))')
prefix=$("$2" -c 'import sys; print(sys.base_prefix)')
name=$("$2" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
mkdir -p "$root"/{etc,lib64,proc,dev,tmp,python/bin,python/lib,w}

libraries=$(dirname "$(ldconfig -p | sed -n 's/.*libc\.so\.6 .*x86-64.* => //p' | head -1)")
for file in $(dpkg -L libc6 | grep -o '[^/]*\.so\.[0-9]*$' | sort -u) libstdc++.so.6 libgcc_s.so.1 libz.so.1; do
  cp -L "$libraries/$file" "$root/lib64"
done
[ ! -e "$prefix/lib/lib$name.so.1.0" ] || cp -L "$prefix/lib/lib$name.so.1.0" "$root/lib64"
echo /lib64 >"$root/etc/ld.so.conf"
PATH=$PATH:/usr/sbin:/sbin ldconfig -r "$root"
cp "$python" "$root/python/bin/$name"
cp -r "$prefix/lib/$name" "$root/python/lib"
rm -rf "$root/python/lib/$name/"{site-packages,test,idlelib}
# Modules of Python that need more than this root has are none of it.
for module in "$root/python/lib/$name/lib-dynload/"*.so; do
  for needed in $(objdump -p "$module" | sed -n 's/ *NEEDED *//p'); do
    [ -e "$root/lib64/$needed" ] || { rm -f "$module"; break; }
  done
done
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
print("kinu", kinu.__version__, "in Python", sys.version.split()[0], "with", ", ".join(sorted(os.listdir("/lib64"))))
PYTHON
in_root() {
  env -i PATH=/usr/sbin:/sbin:/usr/bin:/bin HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONHOME=/python unshare --mount --propagation private --pid \
    --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$@"' - "$root" "$@"
}
in_root "/python/bin/$name" -m ensurepip --root / >"$work/log" 2>&1 || { tail -5 "$work/log"; exit 1; }
in_root "/python/bin/$name" -m pip install --no-index "/w/$(basename "$wheel")" >"$work/log" 2>&1 || { tail -5 "$work/log"; exit 1; }
in_root "/python/bin/$name" /w/use.py
# The program, if the wheel has it: libraries that it loads from the wheel unpack and connect, so init is part of this.
if [ -e "$root/python/bin/kinu" ]; then
  mkdir "$root/w/m"
  mv "$root/w/main.tf" "$root/w/m"
  printf 'output "answer" {\n  value = module.m.installed\n}\nmodule "m" {\n  source = "./m"\n}\nmodule "packed" {\n  source = "/w/packed.tar.gz"\n}\n' >"$root/w/main.tf"
  tar -czf "$root/w/packed.tar.gz" -C "$root/w/m" main.tf
  for words in "init -no-color" "apply -auto-approve -no-color"; do
    # shellcheck disable=SC2086
    in_root /python/bin/kinu -chdir=/w $words >"$work/log" 2>&1 || { tail -5 "$work/log"; exit 1; }
  done
  [ "$(in_root /python/bin/kinu -chdir=/w output -raw answer)" = yes ]
  # Nothing of it stays behind.
  in_root "/python/bin/$name" -m pip uninstall -y kinu >"$work/log" 2>&1 || { tail -5 "$work/log"; exit 1; }
  left=$(find "$root/python" -iname '*kinu*' ! -name '__pycache__')
  [ -z "$left" ] || { echo "uninstalled, and there is $left"; exit 1; }
  echo "the program of the wheel: init, apply, output; uninstalled without a trace"
fi
