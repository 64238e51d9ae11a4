#!/usr/bin/env python3
"""Makes a container image of an archive of `make package`: an OCI layout in a tar file, without a daemon.

    tools/image.py ARCHIVE.tar.xz DIRECTORY [--git] [--level LEVEL]

Writes DIRECTORY/kinu-VERSION-linux-ARCHITECTURE.oci.tar, which `skopeo copy oci-archive:FILE …` and `podman load` read.
The image has the C library of this machine (of KINU_SYSROOT for another processor) and its certificates in one layer and
the archive, without manual pages and completions, in another. With --git, which adds `-git` to the name, a layer between
them has git and ssh, by which modules come, and the shell of git's submodules. It runs as user 65532 in /work. Equal
archives give equal bytes (tools/source_date.sh).
"""
import argparse
import ctypes
import datetime
import glob
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile

import bundled

USER = 65532
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# Where the loader of Debian looks for libraries, without a cache.
LIBRARIES = {"x86_64": "lib/x86_64-linux-gnu", "aarch64": "lib/aarch64-linux-gnu"}
LOADERS = {"x86_64": "lib64/ld-linux-x86-64.so.2", "aarch64": "lib/ld-linux-aarch64.so.1"}
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
SYSROOT = os.environ.get("KINU_SYSROOT")
LEFT_OUT = re.compile(r"share/(man|bash-completion|zsh|fish)(/|$)|share/doc/kinu/(docs)(/|$)|README$")
# What the variant with git and ssh has, by the names where Debian has them, and what else these are called.
GIT_FILES = ["usr/bin/git", *("usr/lib/git-core/" + name for name in (
    "git-remote-http", "git-sh-i18n", "git-sh-i18n--envsubst", "git-sh-setup", "git-submodule")),
             "usr/bin/ssh", "bin/dash", "bin/sed", "bin/uname", "usr/bin/basename"]
GIT_LINKS = {"bin/sh": "dash", "usr/lib/git-core/git-remote-https": "git-remote-http"}
GIT_TEMPLATES = "usr/share/git-core/templates"  # without it git warns
TEXTS = {
    "etc/passwd": "root:x:0:0:root:/:/usr/sbin/nologin\nkinu:x:%d:%d:kinu:/work:/usr/sbin/nologin\n" % (USER, USER),
    "etc/group": "root:x:0:\nkinu:x:%d:\n" % USER,
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def gzipped(content, level):
    """The content as a file of gzip without a name and a time. Levels above 9 are libdeflate's, whose files are 4 % smaller."""
    if level <= 9:
        return gzip.compress(content, level, mtime=0)
    deflate = ctypes.CDLL("libdeflate.so.0")
    deflate.libdeflate_alloc_compressor.restype = ctypes.c_void_p
    deflate.libdeflate_gzip_compress.restype = deflate.libdeflate_gzip_compress_bound.restype = ctypes.c_size_t
    compressor = ctypes.c_void_p(deflate.libdeflate_alloc_compressor(level))
    out = ctypes.create_string_buffer(deflate.libdeflate_gzip_compress_bound(compressor, ctypes.c_size_t(len(content))))
    size = deflate.libdeflate_gzip_compress(compressor, content, ctypes.c_size_t(len(content)), out, ctypes.c_size_t(len(out)))
    deflate.libdeflate_free_compressor(compressor)
    return out.raw[:size]


def source_date():
    return int(subprocess.run([os.path.join(bundled.ROOT, "tools", "source_date.sh")], check=True,
                              stdout=subprocess.PIPE).stdout)


class Layer:
    """A tar file of a layer: names in order, no times and owners but those given."""

    def __init__(self, date):
        self.date, self.entries = date, {}

    def add(self, name, content=None, mode=0o644, link=None, user=0):
        entry = tarfile.TarInfo(name)
        entry.mtime, entry.mode, entry.uid, entry.gid = self.date, mode, user, user
        if link is not None:
            entry.type, entry.linkname = tarfile.SYMTYPE, link
        elif content is None:
            entry.type = tarfile.DIRTYPE
        else:
            entry.size = len(content)
        self.entries[name] = (entry, content)
        parent = os.path.dirname(name)
        if parent and parent not in self.entries:
            self.add(parent, mode=0o755)

    def bytes(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for name in sorted(self.entries):
                entry, content = self.entries[name]
                tar.addfile(entry, io.BytesIO(content) if content is not None else None)
        return out.getvalue()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def libc_files(machine):
    """The parts of the C library of this machine, or of KINU_SYSROOT (tools/sysroot.sh)."""
    directory = libc_directory(machine)
    names = [os.path.basename(path) for path in glob.glob(os.path.join(directory, "lib*.so.[0-9]*"))]
    return {name: read(os.path.join(directory, name)) for name in names
            if bundled.OF_LIBC.match(name) or name.startswith("libnss_dns.so.") or name.startswith("libnss_files.so.")}


def libc_directory(machine):
    if SYSROOT:
        return os.path.join(SYSROOT, LIBRARIES[machine])
    found = subprocess.run(["ldconfig", "-p"], check=True, stdout=subprocess.PIPE, text=True,
                           env={**os.environ, "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"}).stdout
    libc = re.search(r"^\s*libc\.so\.6 \(libc6,(?:x86-64|AArch64).*=> (\S+)", found, re.M).group(1)
    return os.path.dirname(libc)


def system_layer(date, machine):
    layer = Layer(date)
    for name, content in libc_files(machine).items():
        layer.add(os.path.join(LIBRARIES[machine], name), content)
    loader = LOADERS[machine]
    layer.add(loader, read(os.path.join(SYSROOT or "/", loader)), 0o755)
    layer.add(CERTIFICATES[1:], read(CERTIFICATES))
    for name, text in TEXTS.items():
        layer.add(name, text.encode())
    layer.add("tmp", mode=0o1777)
    layer.add("work", mode=0o755, user=USER)
    return layer


def libraries_of(files, machine):
    """What ELF files ask for and what that asks for, without the C library: {name: path}."""
    folders = [os.path.join(SYSROOT or "/", above, LIBRARIES[machine]) for above in ("", "usr")]
    found, open_files = {}, list(files)
    while open_files:
        path = open_files.pop()
        for name in bundled.needed(path) if bundled.is_elf(path) else []:
            if name not in found and not bundled.OF_LIBC.match(name):
                found[name] = next(place for place in (os.path.join(folder, name) for folder in folders)
                                   if os.path.exists(place))
                open_files.append(found[name])
    return found


def git_layer(date, machine, programs):
    """The layer of git and ssh. Libraries that the layer of kinu has as well are links to them."""
    layer = Layer(date)
    files = {name: os.path.join(SYSROOT or "/", name) for name in GIT_FILES}
    for name, path in files.items():
        layer.add(name, read(path), 0o755)
    for name, path in libraries_of(files.values(), machine).items():
        there = "usr/local/lib/kinu/libraries/" + name
        place = os.path.join(LIBRARIES[machine], name)
        if there in programs.entries:
            layer.add(place, link="/" + there)
        else:
            layer.add(place, read(path))
    for name, link in GIT_LINKS.items():
        layer.add(name, link=link)
    layer.add(GIT_TEMPLATES, mode=0o755)
    for row in bundled.libraries():
        if row["linked"] == "git-image":
            layer.add("usr/local/share/doc/kinu/licenses/%s.txt" % row["package"],
                      read(os.path.join(SYSROOT or "/", "usr/share/doc", row["package"], "copyright")))
    return layer


def program_layer(date, archive):
    layer = Layer(date)
    with tarfile.open(archive) as tar:
        for entry in tar:
            name = entry.name.partition("/")[2]
            if name and not LEFT_OUT.match(name):
                if entry.issym():
                    layer.add("usr/local/" + name, link=entry.linkname)
                elif entry.isfile():
                    layer.add("usr/local/" + name, tar.extractfile(entry).read(), 0o755 if entry.mode & 0o100 else 0o644)
    return layer


class Layout:
    """The blobs of an OCI layout."""

    def __init__(self):
        self.files = {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}\n'}

    def blob(self, media_type, content):
        name = hashlib.sha256(content).hexdigest()
        self.files["blobs/sha256/" + name] = content
        return {"mediaType": media_type, "digest": "sha256:" + name, "size": len(content)}

    def write(self, path, date):
        layer = Layer(date)
        for name, content in self.files.items():
            layer.add(name, content)
        with open(path, "wb") as file:
            file.write(layer.bytes())


def as_json(value):
    return (json.dumps(value, indent=1) + "\n").encode()


def image(archive, version, machine, level, with_git):
    date = source_date()
    created = datetime.datetime.fromtimestamp(date, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    layout, layers, ids = Layout(), [], []
    programs, path = program_layer(date, archive), "/usr/local/bin"
    made = {"C library and certificates": system_layer(date, machine)}
    if with_git:
        made["git and ssh"] = git_layer(date, machine, programs)
        path += ":/usr/bin:/bin"
    made["kinu"] = programs
    for layer in made.values():
        content = layer.bytes()
        ids.append("sha256:" + hashlib.sha256(content).hexdigest())
        layers.append(layout.blob("application/vnd.oci.image.layer.v1.tar+gzip", gzipped(content, level)))
    labels = {"org.opencontainers.image.title": "kinu", "org.opencontainers.image.version": version,
              "org.opencontainers.image.licenses": "MPL-2.0", "org.opencontainers.image.created": created}
    config = layout.blob("application/vnd.oci.image.config.v1+json", as_json({
        "created": created, "architecture": ARCHITECTURES[machine], "os": "linux",
        "config": {"User": "%d:%d" % (USER, USER), "Env": ["PATH=" + path, "HOME=/work"], "WorkingDir": "/work",
                   "Entrypoint": ["/usr/local/bin/kinu"], "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": ids},
        "history": [{"created": created, "created_by": text} for text in made]}))
    manifest = layout.blob("application/vnd.oci.image.manifest.v1+json", as_json({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config,
        "layers": layers, "annotations": labels}))
    layout.files["index.json"] = as_json({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{**manifest, "platform": {"architecture": ARCHITECTURES[machine], "os": "linux"},
                       "annotations": {"org.opencontainers.image.ref.name": version}}]})
    return layout, date, sum(each["size"] for each in layers)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("archive")
    parser.add_argument("directory")
    parser.add_argument("--git", action="store_true")
    parser.add_argument("--level", type=int, default=12)
    options = parser.parse_args()
    version, machine = re.search(r"kinu-([0-9.]+)-linux-(\w+)\.tar", os.path.basename(options.archive)).groups()
    layout, date, size = image(options.archive, version, machine, options.level, options.git)
    os.makedirs(options.directory, exist_ok=True)
    path = os.path.join(options.directory, "kinu-%s-linux-%s%s.oci.tar" % (
        version, ARCHITECTURES[machine], "-git" if options.git else ""))
    layout.write(path, date)
    print("%s (%.1f MB compressed)" % (path, size / 1e6))


if __name__ == "__main__":
    main()
