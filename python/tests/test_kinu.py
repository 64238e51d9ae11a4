"""Tests of the package; those of Arrow libraries are skipped where these are not installed."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
import zipfile

from support import EXAMPLES, installed, state

import kinu


class Language(unittest.TestCase):
    def test_errors_have_places(self):
        with self.assertRaises(kinu.Error) as caught:
            kinu.evaluate("1 +\n  nothing.here")
        problem = caught.exception.problems[0]
        self.assertEqual((problem.summary, problem.start), ("Variables not allowed", (2, 3, 6)))
        with self.assertRaises(kinu.Error):
            kinu.parse("a = ", "f.hcl")

    def test_values(self):
        self.assertEqual(kinu.evaluate("{a = [1, 2.5, null], b = upper(x)}", {"x": "y"}),
                         {"a": [1, 2.5, None], "b": "Y"})

    def test_convert(self):
        native = 'output "o" {\n  value = var.x\n}\n'
        text = kinu.convert(native)
        self.assertIn('"${var.x}"', text)
        self.assertEqual(kinu.convert(text, "main.tf.json", to="native"), native)
        with self.assertRaises(kinu.Error):
            kinu.convert(native, to="yaml")

    def test_threads(self):
        found = []
        threads = [threading.Thread(target=lambda: found.append(kinu.evaluate("sum(range(1000))")))
                   for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [499500] * 16)


class Modules(unittest.TestCase):
    def test_module(self):
        with tempfile.TemporaryDirectory() as folder:
            with io.open(os.path.join(folder, "main.tf"), "w") as file:
                file.write('variable "n" {\n  type = number\n  validation {\n    condition = var.n > 1\n'
                           '    error_message = "too small"\n  }\n}\nlocals {\n  twice = var.n * 2\n}\n'
                           'module "m" {\n  source = "./m"\n  count = var.n\n}\n')
            module = kinu.load_module(folder)
            self.assertEqual(module.files, ["main.tf"])
            self.assertTrue(module.variables["n"]["required"])
            self.assertEqual(module.module_calls["m"]["source"], "./m")
            self.assertEqual(module.locals["twice"]["references"], ["var.n"])
            self.assertEqual(module.values({"n": "3"}),
                             {"variables": {"n": 3}, "locals": {"twice": 6}, "outputs": {}})
            with self.assertRaises(kinu.Error) as caught:
                module.values({"n": 1})
            self.assertIn("too small", str(caught.exception))
        with self.assertRaises(kinu.Error):
            kinu.load_module(os.path.join(folder, "nothing"))


class Documents(unittest.TestCase):
    def test_summary(self):
        plan = kinu.open(os.path.join(EXAMPLES, "plan.json"))
        self.assertEqual(plan.summary().splitlines()[0], "Plan: 1 to replace, 1 to add, 1 outputs")
        self.assertLessEqual(len(plan.summary(60).encode()), 60)
        with self.assertRaises(kinu.Error):
            kinu.open(os.path.join(EXAMPLES, "state.json")).summary()

    def test_check(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.kinucheck.hcl")
            with io.open(path, "w") as file:
                file.write('check "c" {\n  plan {\n    expect_none {\n'
                           '      selector = "$.resource_changes[?action(@)==\'delete\']"\n    }\n  }\n}\n')
            report = kinu.open(os.path.join(EXAMPLES, "plan.json")).check(path)
        self.assertEqual(report["summary"], {"passed": 1, "failed": 0, "errored": 0})

    def test_damaged(self):
        with self.assertRaises(kinu.Error):
            kinu.open(b"{")
        with self.assertRaises(kinu.Error):
            kinu.open(b"{}").query("$[")
        with self.assertRaises(ValueError):
            kinu.tables("x", "nothing")


@unittest.skipUnless(installed("pyarrow", "pyarrow.parquet"), "pyarrow is not installed")
class Tables(unittest.TestCase):
    def setUp(self):
        self.arrow, self.parquet = installed("pyarrow", "pyarrow.parquet")
        self.folder = tempfile.mkdtemp()
        for i in range(10):
            with io.open(os.path.join(self.folder, "%d.tfstate" % i), "wb") as file:
                file.write(state(100, i))
        with io.open(os.path.join(self.folder, "damaged.tfstate"), "wb") as file:
            file.write(b"{")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def test_files(self):
        table = self.arrow.table(kinu.tables(self.folder))
        self.assertEqual(table.num_rows, 1000)
        self.assertNotIn("hidden", str(table.column("values").to_pylist()))
        shown = self.arrow.table(kinu.tables(self.folder, "attributes", show_sensitive=True))
        self.assertIn("hidden-99", shown.column("text").to_pylist())
        problems = self.arrow.table(kinu.tables(self.folder, "problems")).to_pylist()
        self.assertEqual([os.path.basename(row["source"]) for row in problems], ["damaged.tfstate"])

    def test_documents(self):
        table = self.arrow.table(kinu.tables([("a", state(2)), ("b", state(3))]))
        self.assertEqual(table.column("source").to_pylist(), ["a", "a", "b", "b", "b"])
        plan = kinu.open(os.path.join(EXAMPLES, "plan.json"))
        self.assertEqual(self.arrow.table(plan.table("changes")).num_rows, 2)

    def test_many_readers(self):
        table = kinu.tables(self.folder)
        counts = []
        threads = [threading.Thread(target=lambda: counts.append(self.arrow.table(table).num_rows)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(counts, [1000] * 8)

    def test_polars_and_pandas(self):
        if polars := installed("polars"):
            self.assertEqual(polars[0].DataFrame(kinu.tables(self.folder)).height, 1000)
        if installed("pandas"):
            self.assertEqual(len(self.arrow.table(kinu.tables(self.folder)).to_pandas()), 1000)

    def test_export(self):
        with zipfile.ZipFile(os.path.join(self.folder, "more.zip"), "w") as archive:
            archive.writestr("a/one.tfstate", state(7))
            archive.writestr("a/readme.txt", "no state")
        with tarfile.open(os.path.join(self.folder, "more.tar.gz"), "w:gz") as archive:
            info = tarfile.TarInfo("two.tfstate")
            info.size = len(state(5))
            archive.addfile(info, io.BytesIO(state(5)))
        out = os.path.join(self.folder, "out")
        sources = [self.folder, os.path.join(self.folder, "more.zip"), os.path.join(self.folder, "more.tar.gz"),
                   "file://" + self.folder, os.path.join(self.folder, "none.zip")]
        run = subprocess.run([sys.executable, "-m", "kinu", "export", out, *sources], check=True, capture_output=True,
                             text=True)
        self.assertEqual(run.stdout, "2012 rows\n")
        self.assertEqual(self.parquet.read_table(out).num_rows, 2012)
        # Another export takes the place of the first.
        subprocess.run([sys.executable, "-m", "kinu", "export", out, sources[1]], check=True, capture_output=True)
        self.assertEqual(self.parquet.read_table(out).num_rows, 7)
        subprocess.run([sys.executable, "-m", "kinu", "export", out, sources[-1]], check=True, capture_output=True)
        self.assertEqual(self.parquet.read_table(out).num_rows, 0)


if __name__ == "__main__":
    unittest.main()
