// The formats of reports.
#include <memory>
#include <vector>

#include "base/flat_map.h"
#include "check/finding.h"
#include "check/run.h"
#include "diag/range_json.h"
#include "json/writer.h"

namespace kinu::check {
namespace {

/// Finds the secrets of each document once.
class SecretsOfDocuments {
 public:
  const tfjson::Secrets& Of(const json::Node& node) {
    const auto [at, added] = known_.emplace(reinterpret_cast<uintptr_t>(&node.tree()), nullptr);
    if (added) {
      at.value() = std::make_unique<tfjson::Secrets>(node.tree().root());
    }
    return *at->second;
  }

 private:
  FlatMap<uintptr_t, std::unique_ptr<tfjson::Secrets>> known_;  // by the address of the tree
};

/// A found value as compact JSON; empty if there is none.
std::string FoundText(const json::Node& found, const tfjson::MaskCursor& masks, bool show_sensitive,
                      SecretsOfDocuments& secrets) {
  std::string out;
  if (!found) {
    return out;
  }
  if (show_sensitive) {
    json::AppendCompact(out, found.text());
  } else {
    tfjson::AppendRedacted(out, found, masks, secrets.Of(found));
  }
  return out;
}
std::string FoundText(const Result& result, bool show_sensitive, SecretsOfDocuments& secrets) {
  return FoundText(result.outcome.found, result.outcome.masks, show_sensitive, secrets);
}

std::string PositionText(const SourceRange& range) {
  return range.file->name() + ":" + std::to_string(range.start_position().line);
}

/// The message and the found value.
std::string MessageWithValue(const Result& result, bool show_sensitive,
                             SecretsOfDocuments& secrets) {
  std::string message = result.outcome.message;
  if (const std::string found = FoundText(result, show_sensitive, secrets); !found.empty()) {
    message += "; found " + found;
  }
  return message;
}

/// " (main.tf:3)", or nothing.
std::string PlaceText(const Place& place) {
  return place.valid() ? " (" + place.filename + ":" + std::to_string(place.start.line) + ")" : "";
}

/// The message of one failure, with its address and the found value.
std::string FailureText(const Failure& failure, bool show_sensitive, SecretsOfDocuments& secrets) {
  std::string text = failure.address.empty() ? "" : failure.address + ": ";
  text += failure.message;
  const std::string found = FoundText(failure.found, failure.masks, show_sensitive, secrets);
  if (!found.empty()) {
    text += "; found " + found;
  }
  return text;
}

/// All failures of a result, one per line; the first line is the message where there is one failure
/// without an address.
std::vector<std::string> Lines(const Result& result, bool show_sensitive,
                               SecretsOfDocuments& secrets) {
  std::vector<std::string> lines;
  for (const Failure& failure : result.outcome.failures) {
    lines.push_back(FailureText(failure, show_sensitive, secrets) + PlaceText(failure.place));
  }
  if (lines.empty()) {
    lines.push_back(MessageWithValue(result, show_sensitive, secrets) +
                    PlaceText(result.outcome.place));
  }
  return lines;
}

std::string Title(const Result& result) {
  std::string title = result.assertion->kind_name;
  if (const std::string_view address = result.assertion->TextNamed("address"); !address.empty()) {
    title += " " + std::string(address);
  } else if (const std::string_view name = result.assertion->TextNamed("name"); !name.empty()) {
    title += " output " + std::string(name);
  }
  return title;
}

/// The member `position`, if there is a place.
void WritePlace(JsonWriter& json, const Place& place) {
  if (place.valid()) {
    json.Key("position");
    json.BeginObject();
    WriteRangeMembers(json, place.filename, place.start, place.end);
    json.EndObject();
  }
}

/// The member `failures`, unless the assertion is about one object.
void WriteFailures(JsonWriter& json, const Result& result, bool show_sensitive,
                   SecretsOfDocuments& secrets) {
  if (result.outcome.failures.empty()) {
    return;
  }
  json.Key("failures");
  json.BeginArray();
  for (const Failure& failure : result.outcome.failures) {
    json.BeginObject();
    if (!failure.address.empty()) {
      json.Member("address", std::string_view(failure.address));
    }
    if (!failure.path.steps().empty()) {
      json.Key("path");
      json.Raw(failure.path.ToJson());
    }
    json.Member("message", std::string_view(failure.message));
    const std::string found = FoundText(failure.found, failure.masks, show_sensitive, secrets);
    if (!found.empty()) {
      json.Key("found");
      json.Raw(found);
    }
    WritePlace(json, failure.place);
    json.EndObject();
  }
  json.EndArray();
}

std::string SummaryText(const Report& report) {
  std::string text = std::to_string(report.passed) + " passed, " + std::to_string(report.failed) +
                     " failed, " + std::to_string(report.errored) + " errored";
  if (report.warned > 0) {
    text += ", " + std::to_string(report.warned) + " warned";
  }
  if (report.excepted > 0) {
    text += ", " + std::to_string(report.excepted) + " excepted";
  }
  return text + ".\n";
}

}  // namespace

void WriteJson(std::string& out, const Report& report, bool show_sensitive) {
  SecretsOfDocuments secrets;
  JsonWriter json(out, {.escape = JsonEscape::kPlain});
  json.BeginObject();
  json.Member("format_version", "1.0");
  json.Key("summary");
  json.BeginObject();
  json.Member("passed", static_cast<int64_t>(report.passed));
  json.Member("failed", static_cast<int64_t>(report.failed));
  json.Member("errored", static_cast<int64_t>(report.errored));
  if (report.warned > 0) {
    json.Member("warned", static_cast<int64_t>(report.warned));
  }
  if (report.excepted > 0) {
    json.Member("excepted", static_cast<int64_t>(report.excepted));
  }
  json.EndObject();
  json.Key("results");
  json.BeginArray();
  for (const Result& result : report.results) {
    json.BeginObject();
    json.Member("check", std::string_view(result.check->name));
    json.Member("kind", std::string_view(result.assertion->kind_name));
    json.Member("index", static_cast<int64_t>(result.index));
    json.Member("status", StatusName(result.status));
    json.Member("message", std::string_view(result.outcome.message));
    if (const auto address = result.assertion->TextNamed("address"); !address.empty()) {
      json.Member("address", address);
    }
    if (const tfjson::Path* path = result.assertion->FirstPath()) {
      json.Key("path");
      json.Raw(path->ToJson());
    }
    if (const std::string found = FoundText(result, show_sensitive, secrets); !found.empty()) {
      json.Key("found");
      json.Raw(found);
    }
    if (result.check->warning) {
      json.Member("severity", "warning");
    }
    if (!result.check->description.empty() && result.status != Status::kPass) {
      json.Member("description", std::string_view(result.check->description));
    }
    WriteFailures(json, result, show_sensitive, secrets);
    if (result.status != Status::kPass) {
      const SourceRange& range = result.assertion->range;
      json.Key("range");
      json.BeginObject();
      WriteRangeMembers(json, range);
      json.EndObject();
      WritePlace(json, result.outcome.place);
    }
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  out += '\n';
}

namespace {

/// The word for a result that is not a pass, in a column.
std::string_view ColumnWord(const Result& result) {
  if (result.IsWarning()) {
    return "WARN  ";
  }
  return result.status == Status::kFail ? "FAIL  " : "ERROR ";
}

}  // namespace

void WriteText(std::string& out, const Report& report, bool show_sensitive) {
  SecretsOfDocuments secrets;
  for (const Result& result : report.results) {
    if (result.status == Status::kPass) {
      continue;
    }
    out += ColumnWord(result);
    out += result.check->name + ": " + Title(result) + "\n";
    if (!result.check->description.empty()) {
      out += "      " + result.check->description + "\n";
    }
    for (const std::string& line : Lines(result, show_sensitive, secrets)) {
      out += "      " + line + "\n";
    }
    out += "      at " + PositionText(result.assertion->range) + "\n";
  }
  out += SummaryText(report);
}

namespace {

Verdict VerdictOf(Status status) {
  switch (status) {
    case Status::kPass:
      return Verdict::kPass;
    case Status::kFail:
      return Verdict::kFail;
    case Status::kError:
      break;
  }
  return Verdict::kError;
}

/// The result as a finding, without messages.
Finding FindingOf(const Result& result) {
  return {.group = result.check->name,
          .title = Title(result),
          .rule = result.check->name,
          .verdict = VerdictOf(result.status),
          .message = result.outcome.message,
          .range = result.assertion->range,
          .warning = result.IsWarning(),
          .description = result.check->description,
          .address = std::string(result.assertion->TextNamed("address"))};
}

/// A finding for each result.
std::vector<Finding> FindingsOf(const Report& report, bool show_sensitive) {
  SecretsOfDocuments secrets;
  std::vector<Finding> findings;
  for (const Result& result : report.results) {
    Finding finding = FindingOf(result);
    for (const std::string& line : Lines(result, show_sensitive, secrets)) {
      finding.text += finding.text.empty() ? line : "\n" + line;
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

/// A finding for each failure.
std::vector<Finding> FindingsOfFailures(const Report& report, bool show_sensitive) {
  SecretsOfDocuments secrets;
  std::vector<Finding> findings;
  for (const Result& result : report.results) {
    if (result.outcome.failures.empty()) {
      findings.push_back(FindingOf(result));
      findings.back().text = MessageWithValue(result, show_sensitive, secrets);
      findings.back().place = result.outcome.place;
      continue;
    }
    for (const Failure& failure : result.outcome.failures) {
      findings.push_back(FindingOf(result));
      findings.back().message = failure.message;
      findings.back().text = FailureText(failure, show_sensitive, secrets);
      findings.back().address = failure.address;
      findings.back().place = failure.place;
    }
  }
  return findings;
}

/// The text on one line of TAP. In a title, '#' would begin a directive.
std::string TapText(std::string_view text, bool is_title) {
  std::string out;
  for (const char c : text) {
    if (is_title && (c == '#' || c == '\\')) {
      out += '\\';
    }
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

/// The text on one line of a Markdown table.
std::string TableText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '<' || c == '`' || c == '*' || c == '_' || c == '[') {
      out += '\\';
    }
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

constexpr std::string_view kFinder = "kinu check";

}  // namespace

void WriteJunit(std::string& out, const Report& report, bool show_sensitive) {
  std::vector<Finding> findings = FindingsOf(report, show_sensitive);
  for (size_t i = 0; i < findings.size(); ++i) {
    findings[i].title = std::to_string(report.results[i].index) + " " + findings[i].title;
  }
  WriteJunit(out, {kFinder, {}}, findings);
}

void WriteSarif(std::string& out, const Report& report, bool show_sensitive,
                std::string_view version) {
  WriteSarif(out, {kFinder, version}, FindingsOfFailures(report, show_sensitive));
}

void WriteAnnotations(std::string& out, const Report& report, bool show_sensitive) {
  WriteAnnotations(out, FindingsOfFailures(report, show_sensitive));
}

void WriteTap(std::string& out, const Report& report, bool show_sensitive) {
  SecretsOfDocuments secrets;
  out += "TAP version 13\n1.." + std::to_string(report.results.size()) + "\n";
  size_t number = 0;
  for (const Result& result : report.results) {
    const std::string title = TapText(result.check->name + ": " + Title(result), true);
    const bool good = result.status == Status::kPass || result.IsWarning();
    out += (good ? "ok " : "not ok ") + std::to_string(++number) + " - " + title + "\n";
    if (result.status == Status::kPass) {
      continue;
    }
    for (const std::string& line : Lines(result, show_sensitive, secrets)) {
      out += (result.IsWarning() ? "# warning: " : "# ") + TapText(line, false) + "\n";
    }
    out += "# at " + PositionText(result.assertion->range) + "\n";
  }
}

namespace {

/// The word for a finding that is not a pass.
std::string_view FailureWord(const Finding& finding) {
  if (finding.warning) {
    return "warning";
  }
  return finding.verdict == Verdict::kFail ? "failure" : "error";
}

}  // namespace

void WriteMarkdown(std::string& out, const Report& report, bool show_sensitive) {
  bool any = false;
  for (const Finding& finding : FindingsOfFailures(report, show_sensitive)) {
    if (finding.verdict == Verdict::kPass) {
      continue;
    }
    if (!any) {
      out += "| | Check | Address | Message |\n|---|---|---|---|\n";
      any = true;
    }
    std::string message = finding.text;
    if (!finding.address.empty() && message.starts_with(finding.address + ": ")) {
      message.erase(0, finding.address.size() + 2);
    }
    out.append("| ").append(FailureWord(finding)) += " | ";
    out += TableText(finding.group) + " | " + TableText(finding.address) + " | " +
           TableText(message) + " |\n";
  }
  out += (any ? "\n" : "") + SummaryText(report);
}

}  // namespace kinu::check
