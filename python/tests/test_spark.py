"""Tests of Spark. They need pyspark, pyarrow and Java."""

import gc
import importlib
import json
import os
import shutil
import socket
import sys
import tempfile
import unittest
import unittest.mock
import zipfile

from support import installed, program, state, write
from test_fleet import Killer, resources

import kinu

MISSING = "pyspark or pyarrow is not installed" if not installed("pyspark", "pyspark.sql", "pyarrow") else \
    "there is no Java" if not (os.environ.get("JAVA_HOME") or shutil.which("java")) else None


@unittest.skipIf(MISSING, MISSING)
class Spark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from pyspark.sql import SparkSession
        os.environ["PYSPARK_PYTHON"] = sys.executable
        # Two workers; a task may fail three times.
        cls.spark = SparkSession.builder.master("local[2,4]").config(map={
            "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
            "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}).getOrCreate()
        cls.spark.sparkContext.setLogLevel("OFF")

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_same_rows_as_arrow(self):
        pyarrow = installed("pyarrow")[0]
        for i in range(20):
            write(self.folder, "%02d.tfstate" % i, state(10, i, size=i + 0.1))
        write(self.folder, "damaged.tfstate", "{")
        for table in ("resources", "attributes", "problems"):
            found = [row.asDict() for row in kinu.spark.read(self.spark, self.folder, table).collect()]
            wanted = pyarrow.table(kinu.tables(self.folder, table)).to_pylist()
            by = sorted(wanted[0], key=lambda name: name not in ("source", "address", "path"))
            self.assertEqual(*(sorted(rows, key=lambda row: [str(row[name]) for name in by])
                               for rows in (found, wanted)))
            self.assertNotIn("hidden", str(found))
        shown = kinu.spark.read(self.spark, [self.folder], "attributes", show_sensitive=True, partitions=3)
        self.assertEqual(shown.rdd.getNumPartitions(), 3)
        self.assertEqual(shown.filter("text like 'hidden%'").count(), 200)

    def test_archives_and_stores(self):
        write(self.folder, "stored/one.tfstate", state(3))
        write(self.folder, "stored/other.json", "{}")
        with zipfile.ZipFile(os.path.join(self.folder, "more.zip"), "w") as archive:
            archive.writestr("two.tfstate", state(4))
        write(self.folder, "cut.tar.gz", b"\x1f\x8b\x08")
        paths = ["file://" + os.path.join(self.folder, "stored"), os.path.join(self.folder, "more.zip"),
                 os.path.join(self.folder, "cut.tar.gz"), os.path.join(self.folder, "none.tfstate")]
        counts = kinu.spark.read(self.spark, paths).groupBy("source").count().collect()
        self.assertEqual(sorted((os.path.basename(row["source"]), row["count"]) for row in counts),
                         [("more.zip!two.tfstate", 4), ("one.tfstate", 3)])
        problems = kinu.spark.read(self.spark, paths, "problems").collect()
        self.assertEqual(sorted(os.path.basename(row["source"]) for row in problems), ["cut.tar.gz", "none.tfstate"])

    def test_nothing(self):
        self.assertEqual(kinu.spark.read(self.spark, []).count(), 0)
        with self.assertRaises(ValueError):
            kinu.spark.read(self.spark, [], "nothing")

    @unittest.skipIf(program() is None, "there is no program kinu (KINU_PROGRAM)")
    def test_fleet(self):
        for i in range(40):
            write(self.folder, "d%02d/main.tf" % i, "nothing = 1\n" if i == 7 else resources(i % 3))
        directories = kinu.fleet.find(self.folder)
        with Killer("pyspark.daemon", 1.0) as killer:
            plans = kinu.fleet.plan(directories, program=program(), spark=self.spark, tables=["references"])
        rows = plans.directories.to_pylist()
        self.assertEqual([row["directory"] for row in rows], directories)
        wanted = ["failed" if i == 7 else "changed" if i % 3 else "unchanged" for i in range(40)]
        self.assertEqual([row["status"] for row in rows], wanted)
        self.assertEqual(plans.changes.num_rows, sum(i % 3 for i in range(40) if i != 7))
        self.assertIn("Unsupported argument", json.loads(rows[7]["diagnostics"])[0]["summary"])
        self.assertEqual(list(plans.tables), ["changes", "references"])
        self.assertEqual(kinu.fleet.plan([], program=program(), spark=self.spark).directories.num_rows, 0)
        print("40 directories on Spark, %d kills" % killer.kills)
        with Killer("pyspark.daemon", 1.0) as killer:
            batches = kinu.fleet.plan(directories, program=program(), spark=self.spark, tables=["references"],
                                      directories_per_task=7)
        self.assertEqual([row["status"] for row in batches.directories.to_pylist()], wanted)
        self.assertEqual(batches.changes, plans.changes)
        print("the same in 6 tasks, %d kills" % killer.kills)

    def test_end_of_a_task(self):
        """Python would read archives anew before the next task, and search all objects behind it."""
        from kinu import spark
        archive = os.path.join(self.folder, "modules.zip")
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("of_an_archive.py", "here = 1\n")
        sys.path.insert(0, archive)
        self.addCleanup(sys.path.remove, archive)
        for parts in (iter([]), iter([None])):
            sys.modules.pop("of_an_archive", None)
            self.assertEqual(importlib.import_module("of_an_archive").here, 1)
            self.assertIn(archive, sys.path_importer_cache)
            try:
                list(spark._reader("resources", False)(parts))
            except AttributeError:
                pass
            self.assertNotIn(archive, sys.path_importer_cache)
        self.assertGreater(gc.get_freeze_count(), 10_000)
        gc.unfreeze()

    def test_connections_acknowledge_at_once(self):
        from kinu import spark
        with socket.create_server(("127.0.0.1", 0)) as server, \
                socket.create_connection(server.getsockname()) as connection, \
                unittest.mock.patch.object(spark, "_keep_objects"):
            def quick():
                return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK)

            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)
            self.addCleanup(socket.setdefaulttimeout, None)
            socket.setdefaulttimeout(1)
            spark.end_task()
            self.assertEqual((quick(), os.get_blocking(connection.fileno())), (0, True))
            socket.setdefaulttimeout(None)
            spark.end_task()
            self.assertEqual((quick(), os.get_blocking(connection.fileno())), (1, True))

    def test_one_row_a_task(self):
        frame = kinu.spark.one_a_task(self.spark, [("row %d" % i,) for i in range(25)], "name string")
        self.assertEqual(frame.rdd.glom().map(len).collect(), [1] * 25)


if __name__ == "__main__":
    unittest.main()
