"""Tests of an object store: a local server of moto takes the place of S3."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from unittest import mock

from support import installed, program, state

import kinu
from kinu.__main__ import export

SERVER = shutil.which("moto_server")
MISSING = "pyarrow is not installed" if not installed("pyarrow", "pyarrow.fs", "pyarrow.parquet") else \
    "there is no moto_server" if SERVER is None else None
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "hidden", "AWS_EC2_METADATA_DISABLED": "true"}


def responds(address):
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except OSError:
        return False


@unittest.skipIf(MISSING, MISSING)
class Stores(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        environment = mock.patch.dict(os.environ, CREDENTIALS)
        environment.start()
        cls.addClassCleanup(environment.stop)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        server = subprocess.Popen([SERVER, "-H", "127.0.0.1", "-p", str(port)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.kill)
        while not responds("http://127.0.0.1:%d/moto-api/" % port):
            if server.poll() is not None:
                raise unittest.SkipTest("moto_server does not start")
            time.sleep(0.1)
        # pyarrow does not understand moto's answer to uploads in parts: small files are put as a whole.
        cls.settings = "?scheme=http&region=us-east-1&allow_delayed_open=true&endpoint_override=127.0.0.1:%d" % port
        cls.fs = installed("pyarrow.fs")[0]
        cls.store = cls.fs.S3FileSystem(scheme="http", region="us-east-1", endpoint_override="127.0.0.1:%d" % port,
                                        allow_bucket_creation=True, allow_delayed_open=True)
        cls.store.create_dir("bucket")

    def setUp(self):
        self.arrow, self.parquet = installed("pyarrow", "pyarrow.parquet")
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def uri(self, path):
        return "s3://bucket/" + path + self.settings

    def put(self, path, text):
        with self.store.open_output_stream("bucket/" + path, compression=None) as stream:
            stream.write(text)

    def names(self, path):
        return sorted(info.base_name for info in self.store.get_file_info(self.fs.FileSelector("bucket/" + path)))

    def test_prefixes_files_and_archives(self):
        self.put("states/one.tfstate", state(3))
        self.put("states/deep/two.tfstate", state(4))
        self.put("states/other.json", b"{}")
        self.put("states/damaged.tfstate", b"{")
        archive = shutil.make_archive(os.path.join(self.folder, "all"), "gztar", os.path.dirname(__file__), "support.py")
        with open(archive, "rb") as file:
            self.put("all.tar.gz", file.read())
        self.put("cut.tar.gz", b"\x1f\x8b\x08")
        sources = [self.uri(path) for path in ("states/", "all.tar.gz", "cut.tar.gz", "none.tfstate")]
        rows = self.arrow.table(kinu.tables(sources)).column("source").to_pylist()
        self.assertEqual(rows, ["s3://bucket/states/deep/two.tfstate"] * 4 + ["s3://bucket/states/one.tfstate"] * 3)
        problems = self.arrow.table(kinu.tables(sources, "problems")).to_pylist()
        self.assertEqual([row["source"] for row in problems],
                         ["s3://bucket/states/damaged.tfstate", "s3://bucket/cut.tar.gz", "s3://bucket/none.tfstate"])
        self.assertIn("not exist", problems[2]["problem"])
        self.assertNotIn("endpoint", str(problems))

    def test_export_from_a_store_into_it(self):
        for i in range(5):
            self.put("many/%d.tfstate" % i, state(10, i))
        self.assertEqual(export(self.uri("out/resources"), [self.uri("many")], workers=2), 50)
        self.assertEqual(self.names("out/resources"), ["part-00000.parquet", "part-00001.parquet"])
        self.assertEqual(self.parquet.read_table("bucket/out/resources", filesystem=self.store).num_rows, 50)
        # Another export takes the place of the first.
        run = subprocess.run([sys.executable, "-m", "kinu", "export", self.uri("out/resources"),
                              self.uri("many/3.tfstate")], check=True, capture_output=True, text=True)
        self.assertEqual(run.stdout, "10 rows\n")
        self.assertEqual(self.names("out/resources"), ["part-00000.parquet"])
        self.assertEqual(self.parquet.read_table("bucket/out/resources", filesystem=self.store).num_rows, 10)

    @unittest.skipIf(program() is None, "there is no program kinu (KINU_PROGRAM)")
    def test_fleet(self):
        self.put("clone/modules/a/main.tf", b'module "b" {\n  source = "../b"\n}\n')
        self.put("clone/modules/b/main.tf", b'resource "terraform_data" "x" {\n  input = 1\n}\n')
        plans = kinu.fleet.plan([self.uri("clone//modules/a")], program=program())
        self.assertEqual(plans.directories.column("status").to_pylist(), ["changed"], plans.directories.to_pylist())
        self.assertEqual(plans.changes.column("address").to_pylist(), ["module.b.terraform_data.x"])


if __name__ == "__main__":
    unittest.main()
