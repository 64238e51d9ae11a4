#include "operation/cloud_plan.h"

#include "base/files.h"
#include "codec/json_reader.h"
#include "codec/json_writer.h"

namespace kinu::operation {

std::optional<CloudPlan> ReadCloudPlan(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  if (!text || !text->starts_with('{')) {
    return std::nullopt;
  }
  const JsonDocument document = ParseJson(*text);
  if (!document.ok() || !document.root().is_object()) {
    return std::nullopt;
  }
  const JsonNode* format = document.root().Find("remote_plan_format");
  const JsonNode* run = document.root().Find("run_id");
  const JsonNode* host = document.root().Find("hostname");
  if (format == nullptr || !format->is_number() || format->text() != "1" || run == nullptr ||
      !run->is_string() || !run->text().starts_with("run-") || host == nullptr ||
      !host->is_string() || host->text().empty()) {
    return std::nullopt;
  }
  return CloudPlan{.run = std::string(run->text()), .host = std::string(host->text())};
}

Result<void> SaveCloudPlan(const std::string& path, const CloudPlan& plan) {
  std::string text;
  JsonWriter writer(text);
  writer.BeginObject();
  writer.Member("remote_plan_format", 1);
  writer.Member("run_id", std::string_view(plan.run));
  writer.Member("hostname", std::string_view(plan.host));
  writer.EndObject();
  constexpr unsigned kMode = 0644;
  return ReplaceFile(path, text, kMode);
}

}  // namespace kinu::operation
