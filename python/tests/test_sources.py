"""Tests of what names plans and states."""

import os
import shutil
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
        return [(os.path.relpath(name, self.folder), text is not None) for name, text in documents(sources)]

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
