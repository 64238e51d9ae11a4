#include "check/finding.h"

#include <algorithm>
#include <cstdio>

#include "base/flat_map.h"
#include "codec/xml.h"
#include "json/writer.h"

namespace kinu::check {
namespace {

/// The text of an XML document. XML 1.0 allows no control characters but tabs and line ends.
std::string XmlText(std::string_view text) {
  std::string out = EscapeXml(text);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n'; },
      '?');
  return out;
}

void Attribute(std::string& out, std::string_view name, std::string_view value) {
  out += ' ';
  out += name;
  out += "=\"";
  out += XmlText(value);
  out += '"';
}

/// Appends the text of a workflow command; its properties escape ':' and ',' too.
void AppendCommand(std::string& out, std::string_view text, bool property) {
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      out += '%';
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      out += c;
    }
  }
}

/// The attribute `time`, if it was measured.
void Time(std::string& out, double seconds) {
  if (seconds >= 0) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", seconds);
    Attribute(out, "time", text);
  }
}

std::string FileOf(const Finding& finding) {
  return finding.range.valid() ? std::string(finding.range.file->name()) : std::string();
}

int64_t LineOf(const Finding& finding) {
  return static_cast<int64_t>(finding.range.start_position().line);
}

const std::string& TextOf(const Finding& finding) {
  return finding.text.empty() ? finding.message : finding.text;
}

bool IsProblem(const Finding& finding) {
  return finding.verdict == Verdict::kFail || finding.verdict == Verdict::kError;
}

/// The attributes that count findings, and the time that they took.
void Totals(std::string& out, std::span<const Finding> findings) {
  size_t failures = 0;
  size_t errors = 0;
  size_t skipped = 0;
  double seconds = -1;
  for (const Finding& finding : findings) {
    failures += finding.verdict == Verdict::kFail ? 1 : 0;
    errors += finding.verdict == Verdict::kError ? 1 : 0;
    skipped += finding.verdict == Verdict::kSkip ? 1 : 0;
    if (finding.seconds >= 0) {
      seconds = (seconds < 0 ? 0 : seconds) + finding.seconds;
    }
  }
  Attribute(out, "tests", std::to_string(findings.size()));
  Attribute(out, "failures", std::to_string(failures));
  Attribute(out, "errors", std::to_string(errors));
  if (skipped > 0) {
    Attribute(out, "skipped", std::to_string(skipped));
  }
  Time(out, seconds);
}

void TestCase(std::string& out, const Finding& finding) {
  out += "    <testcase";
  Attribute(out, "classname", finding.group);
  Attribute(out, "name", finding.title);
  if (finding.range.valid()) {
    Attribute(out, "file", FileOf(finding));
    Attribute(out, "line", std::to_string(LineOf(finding)));
  }
  Time(out, finding.seconds);
  if (finding.verdict == Verdict::kPass) {
    out += "/>\n";
    return;
  }
  if (finding.verdict == Verdict::kSkip) {
    out += ">\n      <skipped/>\n    </testcase>\n";
    return;
  }
  out += ">\n      <";
  const std::string_view element = finding.verdict == Verdict::kFail ? "failure" : "error";
  out += element;
  Attribute(out, "message", finding.message);
  out += '>';
  out += XmlText(TextOf(finding));
  if (finding.range.valid()) {
    out += XmlText("\nat " + FileOf(finding) + ":" + std::to_string(LineOf(finding)));
  }
  out += "</" + std::string(element) + ">\n    </testcase>\n";
}

/// The place of a range, in a form without its file.
Place PlaceOf(const SourceRange& range) {
  return range.valid() ? Place{range.file->name(), range.start_position(), range.end_position()}
                       : Place();
}

/// The place that is shown first: that of the object, or else that of the rule.
Place FirstPlace(const Finding& finding) {
  return finding.place.valid() ? finding.place : PlaceOf(finding.range);
}

void PhysicalLocation(JsonWriter& json, const Place& place) {
  json.Key("physicalLocation");
  json.BeginObject();
  json.Key("artifactLocation");
  json.BeginObject();
  json.Member("uri", std::string_view(place.filename));
  json.EndObject();
  json.Key("region");
  json.BeginObject();
  json.Member("startLine", int64_t{place.start.line});
  json.Member("startColumn", int64_t{place.start.column});
  json.Member("endLine", int64_t{place.end.line});
  json.Member("endColumn", int64_t{place.end.column});
  json.EndObject();
  json.EndObject();
}

void Location(JsonWriter& json, const Finding& finding) {
  json.BeginObject();
  if (const Place place = FirstPlace(finding); place.valid()) {
    PhysicalLocation(json, place);
  }
  if (!finding.address.empty()) {
    json.Key("logicalLocations");
    json.BeginArray();
    json.BeginObject();
    json.Member("fullyQualifiedName", std::string_view(finding.address));
    json.Member("kind", "resource");
    json.EndObject();
    json.EndArray();
  }
  json.EndObject();
}

void SarifRule(JsonWriter& json, const Finding& finding) {
  json.BeginObject();
  json.Member("id", std::string_view(finding.rule));
  if (!finding.description.empty()) {
    json.Key("shortDescription");
    json.BeginObject();
    json.Member("text", std::string_view(finding.description));
    json.EndObject();
  }
  json.EndObject();
}

void SarifResult(JsonWriter& json, const Finding& finding) {
  json.BeginObject();
  json.Member("ruleId", std::string_view(finding.rule));
  json.Member("level", finding.warning ? "warning" : "error");
  json.Key("message");
  json.BeginObject();
  json.Member("text",
              std::string_view(finding.group + ": " + finding.title + ": " + TextOf(finding)));
  json.EndObject();
  json.Key("locations");
  json.BeginArray();
  if (finding.range.valid() || !finding.address.empty()) {
    Location(json, finding);
  }
  json.EndArray();
  if (finding.place.valid() && finding.range.valid()) {
    json.Key("relatedLocations");
    json.BeginArray();
    json.BeginObject();
    PhysicalLocation(json, PlaceOf(finding.range));
    json.Key("message");
    json.BeginObject();
    json.Member("text", "the assertion");
    json.EndObject();
    json.EndObject();
    json.EndArray();
  }
  json.EndObject();
}

}  // namespace

void WriteJunit(std::string& out, const Finder& finder, std::span<const Finding> findings) {
  out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";
  Attribute(out, "name", finder.name);
  Totals(out, findings);
  out += ">\n";
  for (size_t i = 0; i < findings.size();) {
    size_t end = i;
    while (end < findings.size() && findings[end].group == findings[i].group) {
      ++end;
    }
    out += "  <testsuite";
    Attribute(out, "name", findings[i].group);
    Totals(out, findings.subspan(i, end - i));
    out += ">\n";
    for (; i < end; ++i) {
      TestCase(out, findings[i]);
    }
    out += "  </testsuite>\n";
  }
  out += "</testsuites>\n";
}

void WriteSarif(std::string& out, const Finder& finder, std::span<const Finding> findings) {
  JsonWriter json(out, {.escape = JsonEscape::kPlain, .indent = "  "});
  json.BeginObject();
  json.Member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json.Member("version", "2.1.0");
  json.Key("runs");
  json.BeginArray();
  json.BeginObject();
  json.Key("tool");
  json.BeginObject();
  json.Key("driver");
  json.BeginObject();
  json.Member("name", finder.name);
  json.Member("version", finder.version);
  json.Key("rules");
  json.BeginArray();
  FlatSet<std::string> rules;
  for (const Finding& finding : findings) {
    if (IsProblem(finding) && rules.insert(finding.rule).second) {
      SarifRule(json, finding);
    }
  }
  json.EndArray();
  json.EndObject();
  json.EndObject();
  json.Key("results");
  json.BeginArray();
  for (const Finding& finding : findings) {
    if (IsProblem(finding)) {
      SarifResult(json, finding);
    }
  }
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.EndObject();
  out += '\n';
}

void WriteAnnotations(std::string& out, std::span<const Finding> findings) {
  for (const Finding& finding : findings) {
    if (!IsProblem(finding)) {
      continue;
    }
    out += finding.warning ? "::warning " : "::error ";
    if (const Place place = FirstPlace(finding); place.valid()) {
      out += "file=";
      AppendCommand(out, place.filename, true);
      out += ",line=" + std::to_string(place.start.line);
      out += ",endLine=" + std::to_string(place.end.line) + ",";
    }
    out += "title=";
    AppendCommand(out, finding.group, true);
    out += "::";
    AppendCommand(out, finding.title + ": " + TextOf(finding), false);
    out += '\n';
  }
}

}  // namespace kinu::check
