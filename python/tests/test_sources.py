"""Tests of what names plans and states."""

import os
import shutil
import tarfile
import tempfile
import unittest
import zipfile

from support import installed, state, write

import kinu
from kinu.sources import Source, SourceTable, below, documents, find, split


class Sources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def names(self, sources):
        return [(os.path.relpath(each.name, self.folder), each.text is not None) for each in documents(sources)]

    def problems(self, *sources):
        """What the table of problems says of them."""
        table = installed("pyarrow")[0].table(kinu.tables(sources, "problems"))
        return [(os.path.relpath(row["source"], self.folder), row["problem"]) for row in table.to_pylist()]

    def tar(self, name, mode="w"):
        """An archive of three states; returns its path and the places of their headers."""
        path = os.path.join(self.folder, name)
        with tarfile.open(path, mode) as archive:
            for i in range(3):
                archive.add(write(self.folder, "tar/%d.tfstate" % i, state(50)), "%d.tfstate" % i)
        with tarfile.open(path) as archive:
            return path, [member.offset for member in archive]

    def test_names_without_secrets(self):
        uri = "s3://key:secret@bucket/states?region=eu&endpoint_override=h:1"
        self.assertEqual(Source(uri).name, "s3://bucket/states")
        self.assertEqual(below(uri, "a.tfstate"),
                         "s3://key:secret@bucket/states/a.tfstate?region=eu&endpoint_override=h:1")
        self.assertTrue(Source("s3://bucket/all.ZIP?region=eu").is_archive)
        self.assertEqual(Source("a/b@c?d").name, "a/b@c?d")

    def test_order_and_hidden_files(self):
        for name in ("b.tfstate", "a/x.tfstate", ".terraform/terraform.tfstate", "a/.x.tfstate", "readme.txt",
                     "c.json"):
            write(self.folder, name, state(1))
        self.assertEqual([os.path.relpath(source.path, self.folder) for source in find(self.folder)],
                         ["b.tfstate", "a/x.tfstate"])

    def test_damage_in_archives(self):
        path = os.path.join(self.folder, "all.zip")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ("a", "b", "c"):
                archive.writestr(name + ".tfstate", state(50))
            place = archive.getinfo("b.tfstate").header_offset
        with open(path, "r+b") as file:
            file.seek(place + 100)
            file.write(b"\xff" * 200)
        self.assertEqual(self.names(find(path)),
                         [("all.zip!a.tfstate", True), ("all.zip!b.tfstate", False), ("all.zip!c.tfstate", True)])
        for name in ("cut.tgz", "text.tar", "empty.zip"):
            write(self.folder, name, b"\x1f\x8b\x08\0\0")
            self.assertEqual(self.names(find(os.path.join(self.folder, name))), [(name, False)])
        self.assertEqual(self.names(find(os.path.join(self.folder, "none.tar"))), [("none.tar", False)])
        if pyarrow := installed("pyarrow"):
            self.assertEqual(pyarrow[0].table(kinu.tables([path, self.folder])).num_rows, 100)

    @unittest.skipUnless(installed("pyarrow"), "pyarrow is not installed")
    def test_reasons_of_damage(self):
        path = os.path.join(self.folder, "all.zip")
        with zipfile.ZipFile(path, "w") as archive:
            for name in ("a", "b"):
                archive.writestr(name + ".tfstate", state(50))
            place = archive.getinfo("a.tfstate").header_offset
        with open(path, "r+b") as file:
            file.seek(place + 100)
            file.write(b"\xff")
        self.assertEqual(self.problems(path), [("all.zip!a.tfstate", "Bad CRC-32 for file 'a.tfstate'")])
        self.assertEqual(self.problems(write(self.folder, "no.zip", "x")), [("no.zip", "File is not a zip file")])
        self.assertEqual(self.problems(write(self.folder, "no.tar", "x" * 600)), [("no.tar", "invalid header")])
        self.assertEqual(self.problems(os.path.join(self.folder, "none.tgz")),
                         [("none.tgz", "No such file or directory")])

    @unittest.skipUnless(installed("pyarrow"), "pyarrow is not installed")
    def test_reasons_of_damage_in_tar(self):
        path, places = self.tar("all.tar")
        with open(path, "rb") as file:
            whole = file.read()
        self.assertEqual(self.problems(path), [])
        damaged = whole[:places[2]] + b"\xff" * 100 + whole[places[2] + 100:]
        write(self.folder, "all.tar", damaged)
        self.assertEqual(self.names(find(path)),
                         [("all.tar!0.tfstate", True), ("all.tar!1.tfstate", True), ("all.tar", False)])
        self.assertEqual(self.problems(path), [("all.tar", "a damaged header follows the member 1.tfstate")])
        write(self.folder, "all.tar", whole[:places[2]])
        self.assertEqual(self.problems(path), [("all.tar", "no end of the archive follows the member 1.tfstate")])
        write(self.folder, "all.tar", whole[:places[2] + 600])
        self.assertIn("in or after the member 1.tfstate", self.problems(path)[0][1])
        path, _ = self.tar("all.tgz", "w:gz")
        self.assertEqual(self.problems(path), [])
        with open(path, "r+b") as file:
            file.truncate(os.path.getsize(path) - 100)
        self.assertIn("end-of-stream", self.problems(path)[0][1])

    @unittest.skipUnless(installed("pyarrow", "pyarrow.fs"), "pyarrow is not installed")
    def test_reasons_without_secrets(self):
        for uri in ("s3://key:secret@/states?region=secret", "nothing://key:secret@host/a.tfstate?x=secret"):
            problems = installed("pyarrow")[0].table(kinu.tables([uri], "problems")).to_pylist()
            self.assertEqual(len(problems), 1)
            self.assertNotIn("secret", str(problems))
            self.assertNotIn("it could not be read", str(problems))

    @unittest.skipUnless(installed("pyarrow", "pyarrow.fs"), "pyarrow is not installed")
    def test_stores(self):
        pyarrow = installed("pyarrow")[0]
        write(self.folder, "s/a.tfstate", state(2))
        write(self.folder, "s/b.json", "{}")
        write(self.folder, "s/.hidden/c.tfstate", state(2))
        write(self.folder, "s/damaged.tfstate", "{")
        store = "file://" + self.folder
        sources = find([store + "/s", store + "/none", "nothing://x"])
        self.assertEqual([source.name for source in sources],
                         [store + "/s/a.tfstate", store + "/s/b.json", store + "/s/damaged.tfstate", store + "/none",
                          "nothing://x"])
        self.assertEqual(pyarrow.table(SourceTable(sources, "resources")).num_rows, 2)
        problems = pyarrow.table(SourceTable(sources, "problems")).column("source").to_pylist()
        self.assertEqual(problems, [store + "/s/damaged.tfstate", store + "/none", "nothing://x"])

    def test_parts(self):
        plain = [Source("%d.tfstate" % i) for i in range(7)]
        other = [Source("a.zip"), Source("s3://b/c.tfstate")]
        parts = split(plain + other, 3)
        self.assertEqual(sorted(source.path for part in parts for source in part),
                         sorted(source.path for source in plain + other))
        self.assertTrue(all(len({source.is_archive or source.is_remote for source in part}) == 1 for part in parts))
        self.assertLessEqual(len(parts), 3)
        self.assertEqual(split([], 3), [])
        self.assertEqual(split(other, 1), [other])


if __name__ == "__main__":
    unittest.main()
