"""What names plans and states: files, directories, archives, and object stores.

    kinu.sources.find(["states/", "old.tar.gz", "s3://bucket/states/"])

A source is a path or a URI (s3://, gs://, abfs://, hdfs://, file://; these need pyarrow) of

- a file,
- a directory or a prefix: the documents in it and below (see kinu.is_document), and no archives,
- an archive (.zip, .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz): the documents in it.
"""

from __future__ import annotations

import io
import os
import posixpath
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any, Literal, NamedTuple

import kinu

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")

#: What an archive or a file raises that is damaged, cut off or encrypted.
_DAMAGE = (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, RuntimeError, ValueError)

#: What compressed archives begin with, and the modes in which tarfile reads them.
_MODES: tuple[tuple[bytes, Literal["r:gz", "r:bz2", "r:xz"]], ...] = (
    (b"\x1f\x8b", "r:gz"), (b"BZh", "r:bz2"), (b"\xfd7zXZ", "r:xz"))


class Named(NamedTuple):
    """A document with its name, or the reason why it could not be read."""

    name: str
    text: bytes | None
    problem: str = ""


@dataclass(frozen=True)
class Source:
    """A file or an archive that is read as a whole, by one worker."""

    path: str
    #: Found in a prefix of a store and not named itself: what is no document is left out.
    found: bool = False

    @property
    def name(self) -> str:
        """The path without the settings and credentials that a URI may have."""
        return _USER.sub("://", _address(self.path)) if self.is_remote else self.path

    @property
    def is_remote(self) -> bool:
        return is_uri(self.path)

    @property
    def is_archive(self) -> bool:
        return not self.found and is_archive(self.path)


_USER = re.compile(r"://[^/@]*@")
#: The settings of a URI, in a text.
_SETTINGS = re.compile(r"(://[^\s?'\"]*)\?[^\s'\"]*")


def is_uri(path: str) -> bool:
    """Whether the path names a file of a store."""
    return "://" in path


def _address(path: str) -> str:
    """A URI without its settings (s3://bucket/path?region=eu-west-1)."""
    return path.partition("?")[0] if is_uri(path) else path


def is_archive(path: str) -> bool:
    return _address(path).lower().endswith(ARCHIVES)


def below(uri: str, path: str) -> str:
    """The URI of a file below another URI."""
    address, mark, settings = uri.partition("?")
    return address.rstrip("/") + "/" + path + mark + settings


def file_system(uri: str) -> tuple[Any, str]:
    """The pyarrow file system of a URI, and the path in it."""
    from pyarrow import fs
    return fs.FileSystem.from_uri(uri)


def _listed(uri: str) -> Iterator[Source]:
    """The files below a URI, in the order of their names; the URI itself if that is a file or cannot be had."""
    from pyarrow import fs
    try:
        system, path = file_system(uri)
        if system.get_file_info(path).type != fs.FileType.Directory:
            yield Source(uri)
            return
        files = sorted(info.path for info in system.get_file_info(fs.FileSelector(path, recursive=True))
                       if info.type == fs.FileType.File)
    except _DAMAGE:
        yield Source(uri)
        return
    for file in files:
        name = posixpath.relpath(file, path)
        if name.endswith((".tfstate", ".tfplan", ".json")) and not any(part.startswith(".") for part in name.split("/")):
            yield Source(below(uri, name), found=True)


def find(sources: Iterable[kinu.Path] | kinu.Path) -> list[Source]:
    """The files and archives that sources stand for. Directories are listed here, documents are read later."""
    given = [sources] if isinstance(sources, (str, os.PathLike)) else sources
    found: list[Source] = []
    for source in [os.fspath(each) for each in given]:
        if is_uri(source) and not is_archive(source):
            found += _listed(source)
        else:
            found += [Source(file) for file in kinu._files(source)]
    return found


def _open(source: Source) -> IO[bytes]:
    if not source.is_remote:
        return io.open(source.path, "rb")
    system, path = file_system(source.path)
    return system.open_input_file(path)


def _reason(problem: Exception) -> str:
    """What an exception says, in one line and without the settings and credentials of a URI."""
    text = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return _SETTINGS.sub(r"\1", _USER.sub("://", " ".join(text.split())))


def _zip(file: IO[bytes], name: str) -> Iterator[Named]:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if member.is_dir():
                continue
            whole = "%s!%s" % (name, member.filename)
            try:
                text = archive.read(member)
            except _DAMAGE as problem:
                yield Named(whole, None, _reason(problem))
                continue
            if kinu.is_document(member.filename, text[:4096]):
                yield Named(whole, text)


def _tar(file: IO[bytes], name: str) -> Iterator[Named]:
    head = file.read(8)
    file.seek(0)
    mode = next((each for magic, each in _MODES if head.startswith(magic)), None)
    last = ""
    with tarfile.open(fileobj=file, mode=mode or "r:") as archive:
        try:
            for member in archive:
                last = member.name
                content = archive.extractfile(member) if member.isfile() else None
                if content is not None:
                    text = content.read()
                    if kinu.is_document(member.name, text[:4096]):
                        yield Named("%s!%s" % (name, member.name), text)
            # tarfile takes a damaged header for the end.
            unpacked = archive.fileobj
            assert unpacked is not None
            unpacked.seek(archive.offset)
            end = unpacked.read(tarfile.BLOCKSIZE)
            if end != bytes(tarfile.BLOCKSIZE):
                yield Named(name, None, "%s follows the member %s" %
                            ("a damaged header" if end else "no end of the archive", last))
        except _DAMAGE as problem:
            yield Named(name, None, "%s, in or after the member %s" % (_reason(problem), last))


def _of(source: Source) -> Iterator[Named]:
    with _open(source) as file:
        if source.is_archive:
            yield from (_zip if source.name.lower().endswith(".zip") else _tar)(file, source.name)
            return
        text = file.read()
    if not source.found or kinu.is_document(source.name, text[:4096]):
        yield Named(source.name, text)


def documents(sources: Iterable[Source]) -> Iterator[Named]:
    """The documents of sources, one at a time. What is damaged has a row of problems, and the next one follows."""
    for source in sources:
        try:
            yield from _of(source)
        except _DAMAGE as problem:
            yield Named(source.name, None, _reason(problem))


class SourceTable(kinu.Table):
    """A table of sources: local files are read in place, others by way of documents()."""

    def __init__(self, sources: list[Source], table: str, show_sensitive: bool = False):
        super().__init__(table, [source.path for source in sources], show_sensitive)
        self._others = sources if any(source.is_remote or source.is_archive for source in sources) else []

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if not self._others:
            return super().__arrow_c_stream__(requested_schema)
        return kinu._kinu.table_of_documents(self.name, documents(self._others), self._show_sensitive)


def split(sources: list[Source], parts: int) -> list[list[Source]]:
    """The sources as at most so many lists of neighbours; archives and files of stores apart from local files, which
    are read without a copy."""
    plain = [source for source in sources if not (source.is_remote or source.is_archive)]
    other = [source for source in sources if source.is_remote or source.is_archive]
    share = max(1, round(parts * len(plain) / max(1, len(sources)))) if plain else 0
    return _chunks(plain, share) + _chunks(other, max(1, parts - share))


def _chunks(sources: list[Source], parts: int) -> list[list[Source]]:
    step = -(-len(sources) // max(1, parts))
    return [sources[at:at + step] for at in range(0, len(sources), step or 1)]
