#!/usr/bin/env python3
"""Checks the links of the documentation and its navigation.

    tests/docs_links.py

Each relative link in a page must lead to a file or directory of the repository, its part after "#" to a heading of
that page. Each page must be in docs/navigation.txt, or be an index that leads to its directory. docs/decisions/README.md
must lead to each decision.
"""
import fnmatch
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.S | re.M)
LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)")
INDEXES = ("README.md", "docs/README.md", "docs/manual/README.md")
DECISIONS = "docs/decisions/README.md"


def pages():
    """The pages of the repository, as paths from its root."""
    done = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT,
                          stdout=subprocess.PIPE, text=True)
    listed = done.stdout.split() if done.returncode == 0 else [
        os.path.relpath(os.path.join(folder, name), ROOT) for folder, _, names in os.walk(os.path.join(ROOT, "docs"))
        for name in names if name.endswith(".md")]
    return sorted(page for page in listed if page.startswith("docs/") or "/" not in page)


def navigation():
    """The sections of docs/navigation.txt: [(title, [page])]."""
    with open(os.path.join(ROOT, "docs", "navigation.txt"), encoding="utf-8") as handle:
        lines = [line.strip() for line in handle if line.strip() and not line.startswith("#")]
    named, everything, sections = set(lines), pages(), []
    for line in lines:
        if line.startswith("["):
            sections.append((line.strip("[]"), []))
        elif "*" in line:
            sections[-1][1].extend(page for page in everything if fnmatch.fnmatch(page, line) and page not in named
                                   and os.path.dirname(page) == os.path.dirname(line))
        else:
            sections[-1][1].append(line)
    return sections


def anchors(text):
    """The names of the headings of a page, as code hosts make them."""
    found, seen = set(), {}
    for heading in re.findall(r"^#+ +(.*?) *#*$", FENCE.sub("", text), re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.add(name + ("-%d" % count if count else ""))
    return found


def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as handle:
        return handle.read()


def links(text):
    """The relative links of a page."""
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))
    return [link for link in LINK.findall(text) if not re.match(r"[a-z]+:", link)]


def problems_of(page):
    for link in links(read(page)):
        path, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(os.path.join(ROOT, target)):
            yield "%s: there is no %s" % (page, link)
        elif anchor and target.endswith(".md") and anchor not in anchors(read(target)):
            yield "%s: %s has no heading %s" % (page, target, anchor)


def main():
    everything, problems = pages(), []
    for page in everything:
        problems.extend(problems_of(page))
    listed = [page for _, section in navigation() for page in section]
    problems += ["docs/navigation.txt: %s is missing" % page for page in everything
                 if page not in listed and page not in INDEXES]
    problems += ["docs/navigation.txt: there is no %s" % page for page in listed if page not in everything]
    problems += ["docs/navigation.txt: %s is there twice" % page for page in set(listed) if listed.count(page) > 1]
    decisions = [page for page in everything if page.startswith("docs/decisions/") and page != DECISIONS]
    problems += ["%s: %s is missing" % (DECISIONS, page) for page in decisions
                 if os.path.basename(page) not in links(read(DECISIONS))]
    print("\n".join(problems + ["%d pages, %d problems" % (len(everything), len(problems))]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
