#include "risks/report.h"

#include "diag/range_json.h"

namespace kinu::risks {
namespace {

constexpr std::string_view kFormatVersion = "1.0";
/// How many addresses people are shown.
constexpr size_t kShown = 3;

/// What happens to the objects, after their addresses.
std::string_view HappensTo(const Risk& risk) {
  static constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
      {"no-op", "does not change"}, {"create", "is created"},   {"read", "is read"},
      {"update", "is updated"},     {"delete", "is destroyed"}, {"replace", "is replaced"},
      {"forget", "is forgotten"}};
  for (const auto& [action, verb] : kVerbs) {
    if (risk.action == action) {
      return verb;
    }
  }
  return risk.action.empty() ? std::string_view() : std::string_view("changes");
}

void AppendRisk(std::string& out, const Risk& risk) {
  const std::string addresses = Addresses(risk);
  const std::string_view verb = HappensTo(risk);
  out += std::string(SeverityName(risk.severity)) + ": " + std::string(risk.rule);
  if (!addresses.empty()) {
    out += ": " + addresses;
  }
  if (!verb.empty()) {
    out += risk.addresses.size() > 1 ? ": each " : " ";
    out += verb;
  }
  out += risk.ignored.empty() ? "\n" : ", which does not count: " + risk.ignored + "\n";
  if (risk.place.valid()) {
    out += "    at " + risk.place.filename + ":" + std::to_string(risk.place.start.line) + "\n";
  }
  if (risk.ignored.empty()) {
    out += "    " + risk.reason + "\n";
  }
  if (!risk.note.empty()) {
    out += "    Note: " + risk.note + ".\n";
  }
}

void WriteRisk(JsonWriter& json, const Risk& risk) {
  json.BeginObject();
  json.Member("rule", risk.rule);
  json.Member("severity", SeverityName(risk.severity));
  if (!risk.action.empty()) {
    json.Member("action", std::string_view(risk.action));
  }
  json.Key("addresses");
  json.BeginArray();
  for (const std::string& address : risk.addresses) {
    json.String(address);
  }
  json.EndArray();
  json.Member("reason", std::string_view(risk.reason));
  if (risk.place.valid()) {
    json.Key("position");
    json.BeginObject();
    WriteRangeMembers(json, risk.place.filename, risk.place.start, risk.place.end);
    json.EndObject();
  }
  if (!risk.ignored.empty()) {
    json.Member("ignored", std::string_view(risk.ignored));
  }
  if (!risk.note.empty()) {
    json.Member("note", std::string_view(risk.note));
  }
  json.EndObject();
}

}  // namespace

std::string Addresses(const Risk& risk) {
  std::string out;
  for (size_t i = 0; i < risk.addresses.size() && i < kShown; ++i) {
    out += (i == 0 ? "" : ", ") + risk.addresses[i];
  }
  if (risk.addresses.size() > kShown) {
    out += " and " + std::to_string(risk.addresses.size() - kShown) + " more";
  }
  return out;
}

std::string Headline(const Report& report) {
  std::string out;
  for (const Severity severity : {Severity::kHigh, Severity::kMedium}) {
    if (const size_t count = report.Count(severity); count > 0) {
      out += (out.empty() ? "" : ", ") + std::to_string(count) + " " +
             std::string(SeverityName(severity));
    }
  }
  if (out.empty()) {
    out = "none";
  }
  if (report.errored) {
    out += "; planning failed, there may be more";
  }
  if (const size_t ignored = report.Ignored(); ignored > 0) {
    out += "; " + std::to_string(ignored) + (ignored == 1 ? " does not count" : " do not count");
  }
  return "Risks: " + out + ".";
}

void WriteText(std::string& out, const Report& report) {
  out += Headline(report) + "\n";
  for (const Risk& risk : report.risks) {
    out += "\n";
    AppendRisk(out, risk);
  }
}

void WriteRisks(JsonWriter& json, const Report& report) {
  json.BeginArray();
  for (const Risk& risk : report.risks) {
    WriteRisk(json, risk);
  }
  json.EndArray();
}

void WriteJson(std::string& out, const Report& report,
               const std::function<void(JsonWriter& json)>& problems) {
  JsonWriter json(out);
  json.BeginObject();
  json.Member("format_version", kFormatVersion);
  json.Key("summary");
  json.BeginObject();
  json.Member("high", static_cast<int64_t>(report.Count(Severity::kHigh)));
  json.Member("medium", static_cast<int64_t>(report.Count(Severity::kMedium)));
  json.Member("ignored", static_cast<int64_t>(report.Ignored()));
  json.EndObject();
  json.Key("errored");
  json.Bool(report.errored);
  json.Key("risks");
  WriteRisks(json, report);
  json.Key("diagnostics");
  json.BeginArray();
  problems(json);
  json.EndArray();
  json.EndObject();
  out += "\n";
}

}  // namespace kinu::risks
