// The formats of reports.
#include <memory>

#include "base/flat_map.h"
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

void AppendXml(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // XML 1.0 allows no other control characters.
        out += static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' ? '?' : c;
    }
  }
}

void Attribute(std::string& out, std::string_view name, std::string_view value) {
  out += ' ';
  out += name;
  out += "=\"";
  AppendXml(out, value);
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

void WriteJunit(std::string& out, const Report& report, bool show_sensitive) {
  SecretsOfDocuments secrets;
  out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";
  Attribute(out, "name", "kinu check");
  Attribute(out, "tests", std::to_string(report.results.size()));
  Attribute(out, "failures", std::to_string(report.failed));
  Attribute(out, "errors", std::to_string(report.errored));
  out += ">\n";
  for (size_t i = 0; i < report.results.size();) {
    const Check* check = report.results[i].check;
    size_t end = i;
    size_t failures = 0;
    size_t errors = 0;
    for (; end < report.results.size() && report.results[end].check == check; ++end) {
      failures += report.results[end].status == Status::kFail ? 1 : 0;
      errors += report.results[end].status == Status::kError ? 1 : 0;
    }
    out += "  <testsuite";
    Attribute(out, "name", check->name);
    Attribute(out, "tests", std::to_string(end - i));
    Attribute(out, "failures", std::to_string(failures));
    Attribute(out, "errors", std::to_string(errors));
    out += ">\n";
    for (; i < end; ++i) {
      const Result& result = report.results[i];
      out += "    <testcase";
      Attribute(out, "classname", check->name);
      Attribute(out, "name", std::to_string(result.index) + " " + Title(result));
      Attribute(out, "file", result.assertion->range.file->name());
      Attribute(out, "line", std::to_string(result.assertion->range.start_position().line));
      if (result.status == Status::kPass) {
        out += "/>\n";
        continue;
      }
      out += ">\n      <";
      const std::string_view element = result.status == Status::kFail ? "failure" : "error";
      out += element;
      Attribute(out, "message", result.outcome.message);
      out += '>';
      AppendXml(out, MessageWithValue(result, show_sensitive, secrets) + "\nat " +
                         PositionText(result.assertion->range));
      out += "</" + std::string(element) + ">\n    </testcase>\n";
    }
    out += "  </testsuite>\n";
  }
  out += "</testsuites>\n";
}

void WriteSarif(std::string& out, const Report& report, bool show_sensitive,
                std::string_view version) {
  SecretsOfDocuments secrets;
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
  json.Member("name", "kinu check");
  json.Member("version", version);
  json.Key("rules");
  json.BeginArray();
  FlatSet<std::string> rules;
  for (const Result& result : report.results) {
    if (result.status != Status::kPass && rules.insert(result.assertion->kind_name).second) {
      json.BeginObject();
      json.Member("id", std::string_view(result.assertion->kind_name));
      json.EndObject();
    }
  }
  json.EndArray();
  json.EndObject();
  json.EndObject();
  json.Key("results");
  json.BeginArray();
  for (const Result& result : report.results) {
    if (result.status == Status::kPass) {
      continue;
    }
    const SourceRange& range = result.assertion->range;
    json.BeginObject();
    json.Member("ruleId", std::string_view(result.assertion->kind_name));
    json.Member("level", "error");
    json.Key("message");
    json.BeginObject();
    json.Member("text", std::string_view(result.check->name + ": " + Title(result) + ": " +
                                         MessageWithValue(result, show_sensitive, secrets)));
    json.EndObject();
    json.Key("locations");
    json.BeginArray();
    json.BeginObject();
    json.Key("physicalLocation");
    json.BeginObject();
    json.Key("artifactLocation");
    json.BeginObject();
    json.Member("uri", std::string_view(range.file->name()));
    json.EndObject();
    json.Key("region");
    json.BeginObject();
    json.Member("startLine", static_cast<int64_t>(range.start_position().line));
    json.Member("startColumn", static_cast<int64_t>(range.start_position().column));
    json.Member("endLine", static_cast<int64_t>(range.end_position().line));
    json.Member("endColumn", static_cast<int64_t>(range.end_position().column));
    json.EndObject();
    json.EndObject();
    json.EndObject();
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.EndObject();
  out += '\n';
}

void WriteAnnotations(std::string& out, const Report& report, bool show_sensitive) {
  SecretsOfDocuments secrets;
  for (const Result& result : report.results) {
    if (result.status == Status::kPass) {
      continue;
    }
    const SourceRange& range = result.assertion->range;
    out += "::error file=";
    AppendCommand(out, range.file->name(), true);
    out += ",line=" + std::to_string(range.start_position().line);
    out += ",endLine=" + std::to_string(range.end_position().line);
    out += ",title=";
    AppendCommand(out, result.check->name, true);
    out += "::";
    AppendCommand(out, Title(result) + ": " + MessageWithValue(result, show_sensitive, secrets),
                  false);
    out += '\n';
  }
}

}  // namespace kinu::check
