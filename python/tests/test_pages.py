"""Runs the examples of pages: python/README.md, docs/guide/python.md and examples/tables/README.md."""

import doctest
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import EXAMPLES, ROOT, installed, write

PAGES = ("python/README.md", "docs/guide/python.md", "examples/tables/README.md")
NEEDED = ("pyarrow", "duckdb", "polars", "pandas")
#: The directory "module" of python/README.md.
MODULE = """variable "size" {
  type = number
}
locals {
  double = var.size * 2
}
module "zone" {
  source = "./zone"
}
"""
MISSING = ", ".join(name for name in NEEDED if not installed(name))


@unittest.skipIf(MISSING, "not installed: " + MISSING)
class Pages(unittest.TestCase):
    """Each page has a directory with the documents of docs/examples and those of examples/tables."""

    def test_pages(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        for page in PAGES:
            with self.subTest(page), tempfile.TemporaryDirectory() as folder:
                shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
                tables = os.path.join(ROOT, "examples", "tables")
                shutil.copytree(tables, folder, dirs_exist_ok=True)
                write(folder, "module/main.tf", MODULE)
                subprocess.run([sys.executable, os.path.join(tables, "make.py"), folder], check=True)
                os.chdir(folder)
                with open(os.path.join(ROOT, page), encoding="utf-8") as file:
                    text = "".join("\n" if line.startswith("```") else line for line in file)
                example = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
                self.assertGreater(len(example.examples), 2)
                report = []
                doctest.DocTestRunner(verbose=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(example, out=report.append)
                os.chdir(before)
                self.assertEqual("".join(report), "")


if __name__ == "__main__":
    unittest.main()
