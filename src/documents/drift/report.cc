#include "drift/report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "diag/range_json.h"

namespace kinu::drift {
namespace {

constexpr std::string_view kFormatVersion = "1.0";
/// How much of a value people are shown.
constexpr size_t kShownBytes = 120;

/// A value for people: JSON, shortened between characters.
std::string Shown(const std::string& value) {
  if (value.empty()) {
    return "(absent)";
  }
  if (value == "\"(sensitive value)\"") {
    return "(sensitive value)";
  }
  if (value.size() <= kShownBytes) {
    return value;
  }
  size_t end = kShownBytes;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80) {
    --end;
  }
  return value.substr(0, end) + "…";
}

std::string NameOf(const Object& object) {
  return object.address +
         (object.deposed.empty() ? "" : " (deposed object " + object.deposed + ")");
}

/// `instance_type: "a" -> "b"`, as one line.
std::string LineOf(const Difference& difference) {
  return difference.PathText() + ": " + Shown(difference.before) + " -> " + Shown(difference.after);
}

/// What an apply would do; empty if nobody knows.
std::string RemedyOf(const Object& object) {
  if (object.action.empty()) {
    return {};
  }
  if (object.action == "no-op") {
    return "The configuration agrees, or says nothing about it.";
  }
  static constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
      {"create", "create it again"},
      {"update", "update it"},
      {"delete", "destroy it"},
      {"forget", "forget it"},
      {"read", "read it"}};
  const auto* verb =
      std::ranges::find(kVerbs, object.action, [](const auto& v) { return v.first; });
  return "An apply would " + std::string(verb == std::end(kVerbs) ? "replace it" : verb->second) +
         ".";
}

void AppendObject(std::string& out, const Object& object) {
  out += NameOf(object);
  out += object.happened == Happened::kGone ? " is gone" : " has changed outside";
  out += object.ignored.empty() ? "\n" : ", which does not count: " + object.ignored + "\n";
  if (object.place.valid()) {
    out += "    at " + object.place.filename + ":" + std::to_string(object.place.start.line) + "\n";
  }
  for (const Difference& difference : object.differences) {
    const bool aside = object.ignored.empty() && !difference.ignored.empty();
    out += "    " + LineOf(difference) +
           (aside ? " (does not count: " + difference.ignored + ")" : "") + "\n";
  }
  if (const std::string remedy = RemedyOf(object); object.ignored.empty() && !remedy.empty()) {
    out += "    " + remedy + "\n";
  }
  if (!object.note.empty()) {
    out += "    Note: " + object.note + ".\n";
  }
  out += "\n";
}

std::string Counted(size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

void WritePath(JsonWriter& json, const tfjson::Path& path) {
  json.BeginArray();
  for (const tfjson::PathStep& step : path.steps()) {
    if (const auto* index = std::get_if<uint64_t>(&step)) {
      json.Int(static_cast<int64_t>(*index));
    } else {
      json.String(std::get<std::string>(step));
    }
  }
  json.EndArray();
}

void WriteDifference(JsonWriter& json, const Difference& difference) {
  json.BeginObject();
  json.Key("path");
  WritePath(json, difference.path);
  for (const auto& [name, value] : {std::pair(std::string_view("before"), &difference.before),
                                    std::pair(std::string_view("after"), &difference.after)}) {
    if (!value->empty()) {
      json.Key(name);
      json.Raw(*value);
    }
  }
  if (!difference.ignored.empty()) {
    json.Member("ignored", std::string_view(difference.ignored));
  }
  json.EndObject();
}

void WriteObject(JsonWriter& json, const Object& object) {
  json.BeginObject();
  json.Member("address", std::string_view(object.address));
  if (!object.deposed.empty()) {
    json.Member("deposed", std::string_view(object.deposed));
  }
  json.Member("status", HappenedName(object.happened));
  if (!object.action.empty()) {
    json.Member("action", std::string_view(object.action));
  }
  if (!object.ignored.empty()) {
    json.Member("ignored", std::string_view(object.ignored));
  }
  if (!object.note.empty()) {
    json.Member("note", std::string_view(object.note));
  }
  if (object.place.valid()) {
    json.Key("position");
    json.BeginObject();
    WriteRangeMembers(json, object.place.filename, object.place.start, object.place.end);
    json.EndObject();
  }
  json.Key("differences");
  json.BeginArray();
  for (const Difference& difference : object.differences) {
    WriteDifference(json, difference);
  }
  json.EndArray();
  json.EndObject();
}

/// A text for a cell of a table.
std::string Cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '\\') {
      out += '\\';
    }
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string Code(std::string_view text) {
  return "`" + Cell(text) + "`";
}

std::string FindingText(const Object& object) {
  std::string text = object.happened == Happened::kGone ? "is gone" : "has changed outside";
  for (const Difference& difference : object.differences) {
    if (difference.ignored.empty()) {
      text += "\n" + LineOf(difference);
    }
  }
  const std::string remedy = RemedyOf(object);
  return remedy.empty() ? text : text + "\n" + remedy;
}

}  // namespace

std::string Headline(const Report& report) {
  const size_t gone = report.Count(Happened::kGone);
  const size_t all = gone + report.Count(Happened::kChanged);
  std::string out;
  if (all == 0) {
    out = report.errored ? "No drift was found before the errors" : "No drift";
  } else {
    out = Counted(all, "object has drifted", "objects have drifted");
    if (gone > 0) {
      out += ", " + Counted(gone, "of them is gone", "of them are gone");
    }
  }
  if (const size_t ignored = report.Ignored(); ignored > 0) {
    out += "; " + Counted(ignored, "more does not count", "more do not count");
  }
  return out + ".";
}

void WriteText(std::string& out, const Report& report) {
  for (const Object& object : report.objects) {
    AppendObject(out, object);
  }
  out += Headline(report) + "\n";
}

void WriteJson(std::string& out, const Report& report,
               const std::function<void(JsonWriter& json)>& problems) {
  JsonWriter json(out);
  json.BeginObject();
  json.Member("format_version", kFormatVersion);
  json.Key("summary");
  json.BeginObject();
  json.Member("changed", static_cast<int64_t>(report.Count(Happened::kChanged)));
  json.Member("gone", static_cast<int64_t>(report.Count(Happened::kGone)));
  json.Member("ignored", static_cast<int64_t>(report.Ignored()));
  json.EndObject();
  json.Key("errored");
  json.Bool(report.errored);
  json.Key("objects");
  json.BeginArray();
  for (const Object& object : report.objects) {
    WriteObject(json, object);
  }
  json.EndArray();
  json.Key("diagnostics");
  json.BeginArray();
  problems(json);
  json.EndArray();
  json.EndObject();
  out += "\n";
}

void WriteMarkdown(std::string& out, const Report& report) {
  out += "### " + Headline(report) + "\n";
  if (!report.any()) {
    return;
  }
  out += "\n| object | attribute | state | now | |\n|---|---|---|---|---|\n";
  for (const Object& object : report.objects) {
    if (!object.ignored.empty()) {
      continue;
    }
    std::string remedy = Cell(RemedyOf(object));
    const std::string name = Code(NameOf(object));
    if (object.differences.empty()) {
      out += "| " + name + " | | | " + (object.happened == Happened::kGone ? "gone" : "changed") +
             " | " + remedy + " |\n";
    }
    for (const Difference& difference : object.differences) {
      if (difference.ignored.empty()) {
        out += "| " + name + " | " + Code(difference.PathText()) + " | " +
               Code(Shown(difference.before)) + " | " + Code(Shown(difference.after)) + " | " +
               remedy + " |\n";
        remedy.clear();
      }
    }
  }
}

void WriteSarif(std::string& out, const Report& report, std::string_view version) {
  std::vector<check::Finding> findings;
  for (const Object& object : report.objects) {
    if (object.ignored.empty()) {
      const std::string text = FindingText(object);
      findings.push_back({.group = "drift",
                          .title = NameOf(object),
                          .rule = std::string(HappenedName(object.happened)),
                          .verdict = check::Verdict::kFail,
                          .message = text.substr(0, text.find('\n')),
                          .text = text,
                          .range = {},
                          .description = object.happened == Happened::kGone
                                             ? "An object of the state no longer exists."
                                             : "An object is not what the state says.",
                          .address = object.address,
                          .place = object.place});
    }
  }
  check::WriteSarif(out, {.name = "kinu drift", .version = version}, findings);
}

}  // namespace kinu::drift
