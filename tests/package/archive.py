#!/usr/bin/env python3
"""Makes the archive and the container image of a build twice, which must give equal bytes, and uses the image.

    tests/package/archive.py BUILD             makes them with little compression
    tests/package/archive.py --archive FILE    the image of that archive alone, which must have 25 MB at most

The second time is another hour, folder, umask and language. The image's layers are unpacked into a directory and its
program runs there: version, init with a module and with the archive of one, plan, apply. The variant with git and ssh also
clones a repository with a submodule over HTTP, and starts ssh. Exits with 77 without root or the programs that pack.
"""
import functools
import glob
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools")
MOST_BYTES = 25_000_000
PATHS = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
CHROOT, UNSHARE = shutil.which("chroot", path=PATHS), shutil.which("unshare", path=PATHS)
# What starts programs of another processor: ["tools/emulated.sh", "arm64"].
LAUNCHER = []
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
    run(["bash", "-c", before + ' "$0"/tarball.sh "$1" "$2" && "$0"/image.py "$2"/*.tar.xz "$2" --level 1 && '
         '"$0"/image.py "$2"/*.tar.xz "$2" --git --level 1', TOOLS, build, folder],
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
    """The command line that runs a program in a root, with what a container has: the mounts of /proc and of /dev/null vanish
    with it."""
    return [*LAUNCHER, UNSHARE, "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "/bin/bash", "-c",
            '/bin/mount -t proc proc "$1/proc" && /bin/mount --bind /dev/null "$1/dev/null" && '
            'exec "$0" --userspec="$2" "$1" "${@:3}"', CHROOT, root, user, *words]


def prepare(root):
    """Makes the places of the mounts of inside()."""
    for name in ("proc", "dev"):
        os.makedirs(os.path.join(root, name), exist_ok=True)
    with open(os.path.join(root, "dev", "null"), "w", encoding="utf-8"):
        pass


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


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def make_repositories(folder, address):
    """Two repositories as files for a server: `module`, which has `part` as a submodule."""
    def git(*words, place):
        run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "protocol.file.allow=always", *words],
            cwd=os.path.join(folder, place))
    for name in ("part", "module"):
        os.makedirs(os.path.join(folder, name))
        git("init", "-q", place=name)
        shutil.copy(os.path.join(HERE, "main.tf"), os.path.join(folder, name))
        if name == "module":
            git("submodule", "add", "-q", folder + "/part", "part", place=name)
            git("config", "-f", ".gitmodules", "submodule.part.url", address + "/part/.git", place=name)
        git("add", "-A", place=name)
        git("commit", "-qm", "t", place=name)
        git("update-server-info", place=name)


def use_git(root, settings, folder):
    """Installs a module by git in the image's root, from a server of this machine, and starts its ssh."""
    environment = dict(each.split("=", 1) for each in settings["Env"])
    served = os.path.join(folder, "served")
    os.mkdir(served)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=served))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = "http://127.0.0.1:%d" % server.server_port
    make_repositories(served, address)
    work = os.path.join(root, "work", "cloned")
    os.mkdir(work)
    with open(os.path.join(work, "main.tf"), "w", encoding="utf-8") as file:
        file.write('module "m" {\n  source = "git::%s/module/.git"\n}\noutput "answer" {\n  value = module.m.installed\n}\n' % address)
    run(["chown", "-R", "65532:65532", work])
    kinu = [*settings["Entrypoint"], "-chdir=/work/cloned"]
    run(inside(root, settings["User"], *kinu, "init", "-no-color"), env=environment)
    server.shutdown()
    expect(os.path.exists(os.path.join(work, ".terraform", "modules", "m", "part", "main.tf")), "the submodule is not there")
    run(inside(root, settings["User"], *kinu, "apply", "-auto-approve", "-no-color"), env=environment)
    said = subprocess.run(inside(root, settings["User"], "/usr/bin/git", "ls-remote", "ssh://127.0.0.1:1/x"), check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment).stdout
    expect("ssh: connect to host 127.0.0.1 port 1: Connection refused" in said, "git over ssh says " + said)
    print("git and ssh: a module with a submodule over HTTP; ssh starts")


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
    prepare(root)
    use(root, settings)
    loads(root)
    if os.path.exists(os.path.join(root, "usr", "bin", "git")):
        use_git(root, settings, folder)
    problems = subprocess.run([os.path.join(TOOLS, "bundled.py"), "files", root], check=False, stdout=subprocess.PIPE, text=True)
    expect(problems.returncode == 0, problems.stdout)
    print("image: %.1f MB compressed, used as %s" % (size / 1e6, settings["User"]))
    return 0


def images_of(folder):
    """The image, and its variant with git and ssh."""
    plain = [os.path.join(folder, name) for name in os.listdir(folder) if re.search(r"-linux-\w+\.oci\.tar$", name)][0]
    return plain, plain.replace(".oci.tar", "-git.oci.tar")


def test_images(folder, work, most):
    """Both images, each unpacked in a folder of its own. Only the plain one has a greatest size."""
    results = []
    for number, image in enumerate(images_of(folder)):
        own = os.path.join(work, "unpacked%d" % number)
        os.mkdir(own)
        results.append(test_image(image, own, most if number == 0 else None))
        shutil.rmtree(own)
    return max(results)


def main(words):
    skipped = 0
    os.umask(0o022)  # the user of the image reads what is unpacked here
    missing = [each for each in ("patchelf", "xz", "objdump", "ldconfig") if not shutil.which(each, path=PATHS)]
    if missing:
        print("tests/package/archive.py: skipped: no %s" % ", ".join(missing))
        return 77
    with tempfile.TemporaryDirectory() as folder:
        if words[:1] == ["--archive"]:
            run([os.path.join(TOOLS, "image.py"), words[1], folder])
            run([os.path.join(TOOLS, "image.py"), words[1], folder, "--git"])
            skipped = test_images(folder, folder, MOST_BYTES)
        else:
            test_comparison(folder)
            one, other = os.path.join(folder, "first"), os.path.join(folder, "a", "second", "folder")
            make(words[0], one)
            make(words[0], other, "umask 077; export TZ=Asia/Tokyo LC_ALL=C.UTF-8;")
            done = compare(one, other)
            expect(done.returncode == 0, done.stdout)
            shutil.rmtree(other)
            skipped = test_images(one, folder, None)
    print("archive: %s" % ("%d failed" % len(failures) if failures else "ok"))
    return 1 if failures else skipped


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
