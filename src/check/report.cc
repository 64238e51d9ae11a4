// The formats of reports.
#include <memory>
#include <vector>

#include "base/flat_map.h"
#include "check/finding.h"
#include "check/run.h"
#include "codec/json_writer.h"

namespace kinu::check {
namespace {

/// Finds the secrets of each document once.
class SecretsOfDocuments {
 public:
  const tfjson::Secrets& Of(const tfjson::Node& node) {
    const auto [at, added] = known_.emplace(reinterpret_cast<uintptr_t>(&node.tree()), nullptr);
    if (added) {
      at.value() = std::make_unique<tfjson::Secrets>(node.tree().root());
    }
    return *at->second;
  }

 private:
  FlatMap<uintptr_t, std::unique_ptr<tfjson::Secrets>> known_;  // by the address of the tree
};

/// The found value as compact JSON; empty if there is none.
std::string FoundText(const Result& result, bool show_sensitive, SecretsOfDocuments& secrets) {
  std::string out;
  if (!result.outcome.found) {
    return out;
  }
  if (show_sensitive) {
    tfjson::AppendCompact(out, result.outcome.found.text());
  } else {
    tfjson::AppendRedacted(out, result.outcome.found, result.outcome.masks,
                           secrets.Of(result.outcome.found));
  }
  return out;
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

std::string Title(const Result& result) {
  std::string title = result.assertion->kind_name;
  if (const std::string_view address = result.assertion->TextNamed("address"); !address.empty()) {
    title += " " + std::string(address);
  } else if (const std::string_view name = result.assertion->TextNamed("name"); !name.empty()) {
    title += " output " + std::string(name);
  }
  return title;
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
    if (result.status != Status::kPass) {
      const SourceRange& range = result.assertion->range;
      const Position start = range.start_position();
      const Position end = range.end_position();
      json.Key("range");
      json.BeginObject();
      json.Member("filename", std::string_view(range.file->name()));
      for (const auto& [name, position] : {std::pair("start", start), std::pair("end", end)}) {
        json.Key(name);
        json.BeginObject();
        json.Member("line", static_cast<int64_t>(position.line));
        json.Member("column", static_cast<int64_t>(position.column));
        json.Member("byte", static_cast<int64_t>(position.byte));
        json.EndObject();
      }
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  out += '\n';
}

void WriteText(std::string& out, const Report& report, bool show_sensitive) {
  SecretsOfDocuments secrets;
  for (const Result& result : report.results) {
    if (result.status == Status::kPass) {
      continue;
    }
    out += result.status == Status::kFail ? "FAIL  " : "ERROR ";
    out += result.check->name + ": " + Title(result) + "\n";
    out += "      " + MessageWithValue(result, show_sensitive, secrets) + "\n";
    out += "      at " + PositionText(result.assertion->range) + "\n";
  }
  out += std::to_string(report.passed) + " passed, " + std::to_string(report.failed) + " failed, " +
         std::to_string(report.errored) + " errored.\n";
}

namespace {

std::vector<Finding> FindingsOf(const Report& report, bool show_sensitive) {
  SecretsOfDocuments secrets;
  std::vector<Finding> findings;
  for (const Result& result : report.results) {
    findings.push_back({.group = result.check->name,
                        .title = Title(result),
                        .rule = result.assertion->kind_name,
                        .verdict = result.status == Status::kPass   ? Verdict::kPass
                                   : result.status == Status::kFail ? Verdict::kFail
                                                                    : Verdict::kError,
                        .message = result.outcome.message,
                        .text = MessageWithValue(result, show_sensitive, secrets),
                        .range = result.assertion->range});
  }
  return findings;
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
  WriteSarif(out, {kFinder, version}, FindingsOf(report, show_sensitive));
}

void WriteAnnotations(std::string& out, const Report& report, bool show_sensitive) {
  WriteAnnotations(out, FindingsOf(report, show_sensitive));
}

}  // namespace kinu::check
