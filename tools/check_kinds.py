#!/usr/bin/env python3
"""Checks that no code decides by the English text of a diagnostic or an error.

    tools/check_kinds.py [ROOT]

A diagnostic has a kind (diag/diagnostic.h), an error has a code (base/result.h): whoever must tell
one from another asks for these. Prints a line per comparison of a text and exits with 1, or prints
`ok`.
"""
import os
import re
import sys

# What is asked of a summary at all, and of a detail or a message with a text in quotes.
ASKS = r"\.\s*(?:starts_with|ends_with|contains|find|rfind|compare)\s*\(\s*"
SUMMARY = re.compile(r"\bsummary\b\s*(?:[!=]=(?!\s*nullptr)|%s)|[!=]=\s*[\w.>()\[\]-]*\bsummary\b" % ASKS)
QUOTED = re.compile(r"\b(?:detail|message)(?:\(\))?\s*(?:[!=]=|%s)\s*\"|\"\s*[!=]=\s*[\w.>()-]*\b(?:detail|message)\b"
                    % ASKS)
# Texts that another program wrote: nothing else tells its answers apart.
OF_OTHERS = {
    "backend/consul.cc": "an object that the service has no room for",
    "backend/hosted_runs.cc": "a parameter that an older service does not know",
    "backend/hosted_state.cc": "a parameter that an older service wants, a version that is not ready",
    "remote/winrm_client.cc": "a time that is over",
}


def is_test(path):
    return path.endswith("_test.cc") or "/testing/" in path


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def problems(root):
    sources = os.path.join(root, "src")
    used = set()
    for folder, _, names in sorted(os.walk(sources)):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), sources)
            if not name.endswith((".cc", ".h")) or is_test(path):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as handle:
                text = without_comments(handle.read())
            other = next((place for place in OF_OTHERS if path.endswith(place)), None)
            for match in list(SUMMARY.finditer(text)) + list(QUOTED.finditer(text)):
                if other is not None:
                    used.add(other)
                    continue
                yield "src/%s:%d: decides by a text (%s): give it a DiagnosticKind or an ErrorCode" % (
                    path, text.count("\n", 0, match.start()) + 1,
                    " ".join(match.group().split()))
    for place in sorted(set(OF_OTHERS) - used):
        yield "tools/check_kinds.py: %s compares no text any more" % place


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = list(problems(root))
    for problem in found:
        print(problem)
    if not found:
        print("ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
