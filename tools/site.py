#!/usr/bin/env python3
"""Renders the documentation as static HTML with a search, readable without a server.

    tools/site.py [--to build/site]

The generator is installed into a virtual environment below DIRECTORY from tools/site/requirements.txt, the first time
and when that file changes. Pages and their order are those of docs/navigation.txt. Links to files that are no pages
become plain text.
"""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, ".."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from docs_links import INDEXES, navigation  # noqa: E402

LINK = re.compile(r"(!?)\[((?:[^][]|\[[^]]*\])*)\]\(<?([^)\s>]+)>?\)")


def generator(folder):
    """Installs the generator below folder. Returns its Python."""
    requirements = os.path.join(HERE, "site", "requirements.txt")
    with open(requirements, "rb") as handle:
        wanted = hashlib.sha256(handle.read()).hexdigest()
    home, mark = os.path.join(folder, "generator"), os.path.join(folder, "generator", "installed")
    python = os.path.join(home, "bin", "python")
    if not os.path.exists(mark) or open(mark, encoding="utf-8").read() != wanted:
        venv.create(home, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--require-hashes",
                        "-r", requirements], check=True)
        with open(mark, "w", encoding="utf-8") as handle:
            handle.write(wanted)
    return python


def with_links(text, page, known):
    """The text of a page, with links to files outside the site as plain text."""
    def link(match):
        picture, label, target = match.groups()
        path, _, anchor = target.partition("#")
        if picture or not path or re.match(r"[a-z]+:", target):
            return match.group(0)
        file = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if os.path.join(file, "README.md") in known:
            path = path.rstrip("/") + "/README.md"
        elif file not in known:
            return label
        return "[%s](%s%s)" % (label, path, "#" + anchor if anchor else "")
    parts = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def stage(source, sections):
    """Copies the pages and their pictures into source, and writes the table of contents."""
    shutil.rmtree(source, ignore_errors=True)
    known = {page for _, pages in sections for page in pages} | set(INDEXES)
    for page in sorted(known):
        with open(os.path.join(ROOT, page), encoding="utf-8") as handle:
            text = with_links(handle.read(), page, known)
        os.makedirs(os.path.dirname(os.path.join(source, page)), exist_ok=True)
        with open(os.path.join(source, page), "w", encoding="utf-8") as handle:
            handle.write(text)
    shutil.copytree(os.path.join(ROOT, "docs", "manual", "pictures"), os.path.join(source, "docs", "manual", "pictures"))
    shutil.copy(os.path.join(HERE, "site", "conf.py"), source)
    contents = "".join("```{toctree}\n:caption: %s\n:maxdepth: 1\n:hidden:\n%s\n```\n\n"
                       % (title, "\n".join(re.sub(r"\.md$", "", page) for page in pages)) for title, pages in sections)
    with open(os.path.join(source, "README.md"), "a", encoding="utf-8") as handle:
        handle.write("\n" + contents)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--to", default=os.path.join(ROOT, "build", "site"))
    to = os.path.abspath(parser.parse_args().to)
    os.makedirs(to, exist_ok=True)
    python, source, html = generator(to), os.path.join(to, "source"), os.path.join(to, "html")
    stage(source, navigation())
    shutil.rmtree(html, ignore_errors=True)
    subprocess.run([python, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", os.path.join(to, "read"), source, html],
                   check=True)
    shutil.copy(os.path.join(html, "README.html"), os.path.join(html, "index.html"))
    print(os.path.join(html, "index.html"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
