#!/usr/bin/env python3
"""Writes the bill of materials of kinu from packaging/libraries.json and the packages of this machine.

    tools/sbom.py spdx|cyclonedx [OPTIONS]      on standard output
    tools/sbom.py embed FILE [OPTIONS]          as a C++ source, which is left alone when nothing changed

SPDX 2.3 and CycloneDX 1.6, both as JSON. Options: --created TIME (else SOURCE_DATE_EPOCH or the last commit),
--version VERSION (else CMakeLists.txt), --dynamic (no archives were linked, which is KINU_STATIC_LIBRARIES=OFF).
Equal inputs give equal bytes.
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import uuid

import bundled

NAMESPACE = uuid.UUID("6b1f3f0a-6a49-5a43-8d0c-3f6b0d5c2f11")
HOW = {"static": "Linked statically into %s.", "dynamic": "Loaded by %s.", "header": "Headers alone, compiled into %s.",
       "carried": "Used by other libraries; the archive has it, packages of distributions depend on it.",
       "image": "In the container images; elsewhere of the machine.",
       "git-image": "In the container image with git and ssh; elsewhere of the machine.",
       "python": "Linked statically into %s."}
RELATIONS = {"static": "STATIC_LINK", "dynamic": "DYNAMIC_LINK", "header": "CONTAINS", "carried": "DEPENDS_ON",
             "image": "DEPENDS_ON", "git-image": "DEPENDS_ON", "python": "STATIC_LINK"}
PUBLIC_DOMAIN = "LicenseRef-public-domain"


class Component:
    """A library as both formats describe it."""

    def __init__(self, row, version, dynamic):
        self.name, self.license, self.source = row["name"], row["license"], row["source"]
        self.linked = "dynamic" if dynamic and row["linked"] == "static" else row["linked"]
        self.files = row.get("files", [])
        self.places = row.get("in", [])
        self.version = bundled.upstream(version) if version else None
        self.purl = None
        if version and "package" in row:
            self.purl = "pkg:deb/debian/%s@%s" % (row["package"], version.replace("+", "%2B").replace(":", "%3A"))
        elif version:
            self.purl = "pkg:pypi/%s@%s" % (row["name"], version)
        self.id = re.sub(r"[^A-Za-z0-9.]+", "-", row["name"]).strip("-")

    def how(self):
        text = HOW[self.linked]
        return text % ", ".join(self.places) if "%s" in text else text


def components(dynamic, python=False):
    """The libraries of the program and of what it loads; with `python` those of the wheel."""
    without = ("image", "git-image") if python else ("python",)
    rows = [row for row in bundled.libraries() if row["linked"] not in without]
    versions = bundled.versions(rows)
    return [Component(row, versions.get(row.get("package")) or version_in_wheel(row), dynamic) for row in rows]


def version_in_wheel(row):
    """The version of a library that is no package of Debian, as python/pyproject.toml names it."""
    found = re.search(r'"%s==([0-9.]+)"' % re.escape(row["name"]), bundled.read(bundled.ROOT, "python/pyproject.toml"))
    return found.group(1) if found else None


def without_nothing(pairs):
    return {key: value for key, value in pairs.items() if value is not None}


def spdx(parts, version, created):
    """The document of SPDX 2.3."""
    packages = [{"SPDXID": "SPDXRef-kinu", "name": "kinu", "versionInfo": version, "downloadLocation": "NOASSERTION",
                 "filesAnalyzed": False, "licenseConcluded": "MPL-2.0", "licenseDeclared": "MPL-2.0",
                 "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION", "externalRefs": [
                     {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                      "referenceLocator": "pkg:generic/kinu@" + version}]}]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-kinu")]
    for part in parts:
        packages.append(without_nothing({
            "SPDXID": "SPDXRef-" + part.id, "name": part.name, "versionInfo": part.version,
            "downloadLocation": "NOASSERTION", "homepage": part.source, "filesAnalyzed": False,
            "licenseConcluded": part.license, "licenseDeclared": part.license, "copyrightText": "NOASSERTION",
            "comment": part.how(), "primaryPackagePurpose": "LIBRARY",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": part.purl}] if part.purl else None}))
        relations.append(("SPDXRef-kinu", RELATIONS[part.linked], "SPDXRef-" + part.id))
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                "name": "kinu-" + version,
                "creationInfo": {"created": created, "creators": ["Organization: kinu", "Tool: kinu-sbom"]},
                "packages": packages,
                "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                                  for one, kind, other in relations],
                "hasExtractedLicensingInfos": [{
                    "licenseId": PUBLIC_DOMAIN, "name": "Public domain",
                    "extractedText": "The authors have put the library into the public domain."}]}
    document["documentNamespace"] = "https://spdx.org/spdxdocs/kinu-%s-%s" % (version, content_id(document))
    return document


def cyclonedx(parts, version, created):
    """The document of CycloneDX 1.6."""
    main = {"type": "application", "bom-ref": "kinu", "name": "kinu", "version": version,
            "licenses": [{"license": {"id": "MPL-2.0"}}], "purl": "pkg:generic/kinu@" + version}
    entries = []
    for part in parts:
        properties = [{"name": "kinu:linked", "value": part.linked}]
        properties += [{"name": "kinu:in", "value": place} for place in part.places]
        properties += [{"name": "kinu:file", "value": file} for file in part.files]
        entries.append(without_nothing({
            "type": "library", "bom-ref": part.id, "name": part.name, "version": part.version,
            "description": part.how(), "licenses": [{"expression": part.license}], "purl": part.purl,
            "externalReferences": [{"type": "website", "url": part.source}], "properties": properties}))
    document = {"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX",
                "specVersion": "1.6", "version": 1, "metadata": {"timestamp": created, "component": main},
                "components": entries, "dependencies": [{"ref": "kinu", "dependsOn": [part.id for part in parts]}] +
                [{"ref": part.id} for part in parts]}
    document["serialNumber"] = "urn:uuid:" + content_id(document)
    return document


def content_id(document):
    return str(uuid.uuid5(NAMESPACE, json.dumps(document, sort_keys=True)))


def text_of(document):
    """JSON with an element of each list on a line."""
    pieces = []
    for key, value in document.items():
        if isinstance(value, list) and value:
            lines = ",\n".join("  " + json.dumps(each) for each in value)
            pieces.append("%s: [\n%s\n ]" % (json.dumps(key), lines))
        else:
            pieces.append("%s: %s" % (json.dumps(key), json.dumps(value)))
    return "{\n " + ",\n ".join(pieces) + "\n}\n"


def literal(text):
    """A string literal of C++; compilers need not accept longer pieces."""
    return "\n".join('R"sbom(%s)sbom"' % text[at:at + 12000] for at in range(0, len(text), 12000))


def source_text(parts, version, created):
    """The C++ source that the program has its bill of materials from."""
    rows = "".join("    {%s, %s, %s},\n" % (json.dumps(part.name), json.dumps(part.license),
                                            "true" if part.linked == "dynamic" else "false")
                   for part in parts if part.linked not in ("carried", "image", "git-image"))
    return ('#include "cli/bill_of_materials.h"\n\nnamespace kinu::cli {\n\nnamespace {\n\n'
            "constexpr Library kLibraries[] = {\n%s};\n\n}  // namespace\n\n"
            "std::span<const Library> Libraries() {\n  return kLibraries;\n}\n\n"
            "const std::string_view kSpdxDocument =\n%s;\nconst std::string_view kCycloneDxDocument =\n%s;\n\n"
            "}  // namespace kinu::cli\n" % (rows, literal(text_of(spdx(parts, version, created))),
                                             literal(text_of(cyclonedx(parts, version, created)))))


def write_if_changed(path, text):
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except OSError:
        pass
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def own_version():
    return re.search(r"^project\(kinu VERSION ([0-9.]+)", bundled.read(bundled.ROOT, "CMakeLists.txt"), re.M).group(1)


def created_time():
    """The time of tools/source_date.sh, as both formats write it."""
    seconds = subprocess.run([os.path.join(bundled.ROOT, "tools", "source_date.sh")], check=True, stdout=subprocess.PIPE).stdout
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["spdx", "cyclonedx", "embed"])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--created")
    parser.add_argument("--version")
    parser.add_argument("--dynamic", action="store_true")
    options = parser.parse_args()
    version, created = options.version or own_version(), options.created or created_time()
    parts = components(options.dynamic)
    if options.what == "embed":
        write_if_changed(options.file, source_text(parts, version, created))
        return
    document = spdx if options.what == "spdx" else cyclonedx
    print(text_of(document(parts, version, created)), end="")


if __name__ == "__main__":
    main()
