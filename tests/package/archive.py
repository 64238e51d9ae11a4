#!/usr/bin/env python3
"""Makes the archive and the container image of a build twice, which must give equal bytes, and uses the image.

    tests/package/archive.py BUILD             makes them with little compression
    tests/package/archive.py --archive FILE    the image of that archive alone, which must have 25 MB at most

The second time is another hour, folder, umask and language. The image's layers are unpacked into a directory and its
program runs there: version, init with a module and with the archive of one, plan, apply. Exits with 77 without root or the
programs that pack.
"""
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools")
MOST_BYTES = 25_000_000
PATHS = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
CHROOT, UNSHARE = shutil.which("chroot", path=PATHS), shutil.which("unshare", path=PATHS)
failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print("FAILED: " + message)


def run(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit("%s: exit %d\n%s" % (words, done.returncode, done.stdout[-2000:]))
    return done.stdout


def make(build, folder, before=""):
    """The archive and the image of a build, in a new folder."""
    os.makedirs(folder)
    run(["bash", "-c", before + ' "$0"/tarball.sh "$1" "$2" && "$0"/image.py "$2"/*.tar.xz "$2" --level 1', TOOLS, build, folder],
        env={**os.environ, "KINU_XZ_LEVEL": "-0", "SOURCE_DATE_EPOCH": "1790000000"})


def compare(one, other):
    return subprocess.run([sys.executable, os.path.join(TOOLS, "compare_releases.py"), one, other], check=False,
                          stdout=subprocess.PIPE, text=True)


def test_comparison(folder):
    """What compare_releases.py says of archives in archives."""
    def archive(name, text, time):
        inner, outer = os.path.join(folder, "inner.tar.xz"), os.path.join(folder, name)
        path = os.path.join(folder, "text")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.utime(path, (time, time))
        with tarfile.open(inner, "w:xz") as tar:
            tar.add(path, "a/text")
        os.utime(inner, (5, 5))
        with tarfile.open(outer, "w") as tar:
            tar.add(inner, "inner.tar.xz")
        return outer
    one = archive("one", "abcd", 7)
    for text, time, wanted in (("abXd", 7, "one: inner.tar.xz: a/text: byte 2 is 63, 58"),
                               ("abcd", 8, "one: inner.tar.xz: a/text: time is 7, 8")):
        done = compare(one, archive("two", text, time))
        expect(done.returncode == 1 and done.stdout.strip() == wanted, done.stdout)
    done = compare(one, one)
    expect(done.returncode == 0 and done.stdout.startswith("one: equal"), done.stdout)


def blob(layout, descriptor):
    path = os.path.join(layout, "blobs", *descriptor["digest"].split(":"))
    with open(path, "rb") as file:
        content = file.read()
    expect("sha256:" + hashlib.sha256(content).hexdigest() == descriptor["digest"] and len(content) == descriptor["size"],
           "%s is not what its digest says" % path)
    return content


def unpack(image, folder):
    """Checks a layout, and unpacks its layers into folder/root. Returns the settings and the bytes of the layers."""
    layout, root = os.path.join(folder, "layout"), os.path.join(folder, "root")
    os.mkdir(layout)
    run(["tar", "-xf", image, "-C", layout])
    with open(os.path.join(layout, "oci-layout"), encoding="utf-8") as file:
        expect(json.load(file) == {"imageLayoutVersion": "1.0.0"}, "oci-layout")
    with open(os.path.join(layout, "index.json"), encoding="utf-8") as file:
        manifest = json.loads(blob(layout, json.load(file)["manifests"][0]))
    settings = json.loads(blob(layout, manifest["config"]))
    for layer, difference in zip(manifest["layers"], settings["rootfs"]["diff_ids"], strict=True):
        blob(layout, layer)
        path = os.path.join(layout, "blobs", *layer["digest"].split(":"))
        unzipped = subprocess.run(["gzip", "-dc", path], check=True, stdout=subprocess.PIPE).stdout
        expect("sha256:" + hashlib.sha256(unzipped).hexdigest() == difference, "another digest of an unpacked layer")
        os.makedirs(root, exist_ok=True)
        subprocess.run(["tar", "-xpC", root], check=True, input=unzipped)
    return settings["config"], sum(each["size"] for each in manifest["layers"])


def inside(root, user, *words):
    """The command line that runs a program in a root, with what a container has: the mount of /proc vanishes with it."""
    return [UNSHARE, "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "/bin/bash", "-c",
            '/bin/mount -t proc proc "$1/proc" && exec "$0" --userspec="$2" "$1" "${@:3}"', CHROOT, root, user, *words]


def use(root, settings):
    """Runs the image's program as a container would."""
    user = settings["User"]
    expect(user == "65532:65532", "the image runs as %s" % user)
    environment = dict(each.split("=", 1) for each in settings["Env"])

    def kinu(*words):
        return run(inside(root, user, *settings["Entrypoint"], *words), env=environment)
    print(kinu("version").splitlines()[0])
    work = os.path.join(root, "work")
    expect(os.stat(work).st_uid == 65532, "its user cannot write /work")
    for name, text in (("main.tf", 'output "answer" {\n  value = module.m.installed\n}\nmodule "m" {\n  source = "./m"\n}\n'
                        'module "packed" {\n  source = "/work/packed.tar.gz"\n}\n'),
                       ("m/main.tf", open(os.path.join(HERE, "main.tf"), encoding="utf-8").read())):
        path = os.path.join(work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    # libarchive unpacks it, with all that it loads.
    run(["tar", "-czf", os.path.join(work, "packed.tar.gz"), "-C", HERE, "main.tf"])
    run(["chown", "-R", "65532:65532", work])
    kinu("-chdir=/work", "init", "-no-color")
    kinu("-chdir=/work", "plan", "-no-color", "-out=p")
    kinu("-chdir=/work", "apply", "-no-color", "p")
    expect(kinu("-chdir=/work", "output", "-raw", "answer") == "yes", "the output of the apply")
    expect("libarchive" in kinu("about", "-sbom"), "about -sbom")


def loads(root):
    """Each module and library of the image must find what it asks for there."""
    loader = sorted(glob.glob(os.path.join(root, "lib*", "ld-linux*")))[0][len(root):]
    modules = os.path.join(root, "usr", "local", "lib", "kinu")
    for name in sorted(os.listdir(modules)):
        if name.endswith(".so"):
            said = run(inside(root, "0:0", loader, "--list", "/usr/local/lib/kinu/" + name))
            expect("not found" not in said, "%s: %s" % (name, said))


def test_image(image, folder, most=None):
    if os.geteuid() != 0 or subprocess.run([UNSHARE, "--mount", "--pid", "--fork", "true"], check=False).returncode != 0:
        print("tests/package/archive.py: skipped: running the image needs root and new namespaces")
        return 77
    settings, size = unpack(image, folder)
    expect(most is None or size <= most, "the image has %d bytes" % size)
    root = os.path.join(folder, "root")
    os.makedirs(os.path.join(root, "proc"), exist_ok=True)
    use(root, settings)
    loads(root)
    problems = subprocess.run([os.path.join(TOOLS, "bundled.py"), "files", root], check=False, stdout=subprocess.PIPE, text=True)
    expect(problems.returncode == 0, problems.stdout)
    print("image: %.1f MB compressed, used as %s" % (size / 1e6, settings["User"]))
    return 0


def image_of(folder):
    return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".oci.tar")][0]


def main(words):
    skipped = 0
    missing = [each for each in ("patchelf", "xz", "objdump", "ldconfig") if not shutil.which(each, path=PATHS)]
    if missing:
        print("tests/package/archive.py: skipped: no %s" % ", ".join(missing))
        return 77
    with tempfile.TemporaryDirectory() as folder:
        if words[:1] == ["--archive"]:
            run([os.path.join(TOOLS, "image.py"), words[1], folder])
            skipped = test_image(image_of(folder), folder, MOST_BYTES)
        else:
            test_comparison(folder)
            one, other = os.path.join(folder, "first"), os.path.join(folder, "a", "second", "folder")
            make(words[0], one)
            make(words[0], other, "umask 077; export TZ=Asia/Tokyo LC_ALL=C.UTF-8;")
            done = compare(one, other)
            expect(done.returncode == 0, done.stdout)
            shutil.rmtree(other)
            skipped = test_image(image_of(one), folder)
    print("archive: %s" % ("%d failed" % len(failures) if failures else "ok"))
    return 1 if failures else skipped


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
