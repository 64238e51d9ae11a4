"""Tests of the package; those of Arrow libraries are skipped where these are not installed."""

import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import zipfile

from support import EXAMPLES, PLANS, installed, state

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

    def test_plan_files(self):
        path = os.path.join(PLANS, "replace.tfplan")
        plan = kinu.open(path)
        self.assertIn(["delete", "create"], plan.query("$.resource_changes[*].change.actions"))
        with io.open(path, "rb") as file:
            content = file.read()
        self.assertEqual(kinu.open(content).redacted(), plan.redacted())
        outline = kinu.load_plan_file(path)
        self.assertIn(["delete", "create"], [change["actions"] for change in outline.changes])
        self.assertEqual(([source["name"] for source in outline.sources], outline.backend["type"]), (["main.tf"], "local"))
        self.assertIsNone(outline.prior_state)
        self.assertEqual(kinu.load_plan_file(content, show_sensitive=True).prior_state["version"], 4)
        with self.assertRaises(kinu.Error) as caught:
            kinu.load_plan_file(b"{}")
        self.assertIn("zip", str(caught.exception))
        with tempfile.TemporaryDirectory() as folder:
            check = os.path.join(folder, "c.kinucheck.hcl")
            with io.open(check, "w") as file:
                file.write('check "c" {\n  plan {\n    expect_none {\n      selector = "$.nothing"\n'
                           '    }\n  }\n}\n')
            for each in (plan, kinu.open(content)):
                self.assertEqual(each.check(check)["summary"], {"passed": 1, "failed": 0, "errored": 0})

    def test_damaged(self):
        for text in (b"{", b"\xff", b'"\xc3"', b""):
            with self.assertRaises(kinu.Error):
                kinu.open(text)
        for read in (kinu.parse, kinu.convert):
            with self.assertRaises(kinu.Error):
                read(b'a = "\xff"')
        with self.assertRaises(kinu.Error) as caught:
            kinu.open("/nothing/here.json")
        self.assertIn("/nothing/here.json", str(caught.exception))
        with self.assertRaises(kinu.Error):
            kinu.open(b"{}").query("$[")
        with self.assertRaises(ValueError):
            kinu.tables("x", "nothing")


class Capsule:
    """A stream of the documents of an iterator."""

    def __init__(self, documents, table="resources"):
        self.documents, self.table = documents, table

    def __arrow_c_stream__(self, requested_schema=None):
        return kinu._kinu.table_of_documents(self.table, self.documents, False)


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

    def test_plan_files(self):
        table = self.arrow.table(kinu.tables(PLANS, "changes"))
        self.assertIn("replace", table.column("action").to_pylist())
        plan = os.path.join(PLANS, "replace.tfplan")
        self.assertEqual(self.arrow.table(kinu.open(plan).table("changes")),
                         self.arrow.table(kinu.tables(plan, "changes")))
        for table in ("changes", "references", "problems"):
            read = self.arrow.ipc.open_stream(kinu.open(plan).arrow(table)).read_all()
            read.validate(full=True)
            self.assertEqual(read, self.arrow.table(kinu.tables(plan, table)))
            self.assertEqual(read, self.arrow.ipc.open_stream(kinu.arrow(plan, table)).read_all())
        problems = self.arrow.table(kinu.tables([("p", b"PK\x03\x04")], "problems")).to_pylist()
        self.assertIn("zip", problems[0]["problem"])

    def test_bytes_of_a_document(self):
        document = kinu.open(state(3))
        for show_sensitive in (False, True):
            table = self.arrow.ipc.open_stream(document.arrow("resources", "a", show_sensitive)).read_all()
            self.assertEqual(table, self.arrow.table(kinu.tables([("a", state(3))], "resources", show_sensitive)))
            self.assertEqual(b"hidden" in document.arrow("attributes", "a", show_sensitive), show_sensitive)
            self.assertEqual(kinu.arrow(state(3), "resources", "a", show_sensitive),
                             document.arrow("resources", "a", show_sensitive))
        for other, table in ((state(3), "nothing"), (b"[1]", "resources"), (b"PK\x03\x04", "changes")):
            with self.assertRaises(kinu.Error):
                kinu.arrow(other, table)
        for other, table in ((document, "nothing"), (kinu.open(b"[1]"), "resources")):
            with self.assertRaises(kinu.Error):
                other.arrow(table)

    def test_errors_of_iterators(self):
        def broken():
            yield "a", state(1)
            raise OSError("the store is gone")

        with self.assertRaisesRegex(OSError, "OSError: the store is gone"):
            self.arrow.RecordBatchReader.from_stream(Capsule(broken())).read_all()
        with self.assertRaisesRegex(OSError, "a text is str or bytes"):
            self.arrow.RecordBatchReader.from_stream(Capsule(iter([("a", 1)]))).read_all()

    def test_interrupt(self):
        def interrupted():
            yield "a", state(1)
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            try:
                self.arrow.RecordBatchReader.from_stream(Capsule(interrupted())).read_all()
            except OSError:
                time.sleep(1)  # the interrupt comes when Python runs again

    def test_interrupt_of_files(self):
        """Reading ends soon after the signal, whatever is left."""
        path = os.path.join(self.folder, "0.tfstate")
        program = ("import pyarrow, kinu\nprint('begin', flush=True)\n"
                   "pyarrow.table(kinu.Table('resources', [%r] * 1000000, False))\n" % path)
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        try:
            _, problems = process.communicate(timeout=30)
        finally:
            process.kill()
        self.assertIn(b"KeyboardInterrupt", problems)
        self.assertNotEqual(process.returncode, 0)

    def test_interrupt_of_an_export(self):
        """An interrupt leaves the earlier export as it was."""
        out = os.path.join(self.folder, "out")
        export = [sys.executable, "-m", "kinu", "export", out]
        subprocess.run([*export, os.path.join(self.folder, "1.tfstate")], check=True, capture_output=True)
        many = [os.path.join(self.folder, "0.tfstate")] * 20000
        process = subprocess.Popen([*export, *many], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not any(name.startswith(".part") for name in os.listdir(out)):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=30)
        finally:
            process.kill()
        self.assertEqual((process.returncode, sorted(os.listdir(out))), (130, ["part-00000.parquet"]))
        self.assertEqual(self.parquet.read_table(out).num_rows, 100)

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
