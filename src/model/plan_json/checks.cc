// Check results in plans and states. Ref: opentofu internal/command/jsonchecks.
#include <algorithm>

#include "plan_json/documents.h"
#include "plan_json/position.h"
#include "plan_json/value.h"

namespace kinu::view {
namespace {

void WriteStaticAddress(JsonWriter& out, const Program& program, const ConfigCheckable& address,
                        std::string_view text) {
  const ConfigResource& block = address.block;
  const bool is_resource = address.kind == CheckableKind::kResource;
  // Keys are sorted, as Go writes a map.
  out.BeginObject();
  out.Member("kind", address.kind == CheckableKind::kOutput ? "output_value"
                                                            : CheckableKindName(address.kind));
  if (is_resource) {
    out.Member("mode", ModeName(block.resource.mode));
  }
  WriteOptional(out, "module", std::string_view(program.ToText(block.module)));
  out.Member("name", program.Text(block.resource.name));
  out.Member("to_display", text);
  if (is_resource) {
    out.Member("type", program.Text(block.resource.type));
  }
  out.EndObject();
}

void WriteInstanceAddress(JsonWriter& out, const Program& program, const ResourceInstance& address,
                          std::string_view text) {
  out.BeginObject();
  if (!address.key.none()) {
    out.Key("instance_key");
    WriteInstanceKey(out, program, address.key);
  }
  WriteOptional(out, "module", std::string_view(program.ToText(address.resource.module)));
  out.Member("to_display", text);
  out.EndObject();
}

void WriteObject(JsonWriter& out, const Program& program, const state::CheckObject& object,
                 std::string_view text) {
  out.BeginObject();
  out.Key("address");
  WriteInstanceAddress(out, program, object.address, text);
  out.Member("status", CheckStatusName(object.status));
  if (!object.failure_messages.empty()) {
    std::vector<std::string_view> messages(object.failure_messages.begin(),
                                           object.failure_messages.end());
    std::ranges::sort(messages);
    out.Key("problems");
    out.BeginArray();
    for (const std::string_view message : messages) {
      out.BeginObject();
      out.Member("message", message);
      out.EndObject();
    }
    out.EndArray();
  }
  out.EndObject();
}

/// The elements with the texts of their addresses, sorted by them.
template <typename T, typename ToText>
std::vector<std::pair<std::string, const T*>> SortedByText(std::span<const T> elements,
                                                           const ToText& to_text) {
  std::vector<std::pair<std::string, const T*>> sorted;
  for (const T& element : elements) {
    sorted.emplace_back(to_text(element), &element);
  }
  std::ranges::stable_sort(sorted, {},
                           [](const auto& entry) { return std::string_view(entry.first); });
  return sorted;
}

}  // namespace

bool HasChecks(std::span<const state::CheckResult> checks) {
  return !checks.empty();
}

void WriteChecks(JsonWriter& out, const Program& program,
                 std::span<const state::CheckResult> checks, const BlockPositions* positions) {
  out.BeginArray();
  for (const auto& [block, check] : SortedByText(checks, [&](const state::CheckResult& result) {
         return ToText(program, result.block);
       })) {
    out.BeginObject();
    out.Key("address");
    WriteStaticAddress(out, program, check->block, block);
    out.Member("status", CheckStatusName(check->status));
    if (!check->objects.empty()) {
      out.Key("instances");
      out.BeginArray();
      for (const auto& [text, object] :
           SortedByText(std::span<const state::CheckObject>(check->objects),
                        [&](const state::CheckObject& element) {
                          return ToText(program, check->AddressOf(element));
                        })) {
        WriteObject(out, program, *object, text);
      }
      out.EndArray();
    }
    if (positions != nullptr) {
      positions->WriteCheckable(out, check->block);
    }
    out.EndObject();
  }
  out.EndArray();
}

}  // namespace kinu::view
