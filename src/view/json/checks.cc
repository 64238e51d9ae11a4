// Check results in plans and states. Ref: opentofu internal/command/jsonchecks.
#include <algorithm>

#include "view/json/documents.h"
#include "view/json/value.h"

namespace kinu::view {
namespace {

/// The parts of the address of an output, check or variable: "module.m[0].output.name".
struct NamedObject {
  std::string_view module;
  std::string_view name;
};

NamedObject SplitAddress(std::string_view address, std::string_view word) {
  NamedObject parts;
  const size_t dot = address.rfind('.');
  if (dot == std::string_view::npos) {
    return parts;
  }
  parts.name = address.substr(dot + 1);
  const std::string_view before = address.substr(0, dot);
  if (before.size() > word.size() && before.ends_with(word)) {
    parts.module = before.substr(0, before.size() - word.size() - 1);
  }
  return parts;
}

/// The keyword of a kind in addresses.
std::string_view KindWord(std::string_view kind) {
  if (kind == "output" || kind == "output_value") {
    return "output";
  }
  return kind == "check" ? "check" : "var";
}

void WriteStaticAddress(JsonWriter& out, Program& program, const state::CheckResult& check) {
  // Keys are sorted, as Go writes a map.
  out.BeginObject();
  if (check.kind == "resource") {
    ConfigResource resource;
    const bool parsed = program.ParseConfigResource(check.config_address, &resource);
    out.Member("kind", "resource");
    if (parsed) {
      out.Member("mode", ModeName(resource.resource.mode));
      WriteOptional(out, "module", std::string_view(program.ToText(resource.module)));
      out.Member("name", program.Text(resource.resource.name));
    }
    out.Member("to_display", check.config_address);
    if (parsed) {
      out.Member("type", program.Text(resource.resource.type));
    }
  } else {
    const std::string_view word = KindWord(check.kind);
    const NamedObject parts = SplitAddress(check.config_address, word);
    out.Member("kind", word == "output" ? "output_value" : word);
    WriteOptional(out, "module", parts.module);
    out.Member("name", parts.name);
    out.Member("to_display", check.config_address);
  }
  out.EndObject();
}

void WriteInstanceAddress(JsonWriter& out, Program& program, std::string_view kind,
                          std::string_view address) {
  out.BeginObject();
  if (kind == "resource") {
    ResourceInstance instance;
    if (program.ParseResourceInstance(address, &instance)) {
      if (!instance.key.none()) {
        out.Key("instance_key");
        WriteInstanceKey(out, program, instance.key);
      }
      WriteOptional(out, "module", std::string_view(program.ToText(instance.resource.module)));
    }
  } else {
    WriteOptional(out, "module", SplitAddress(address, KindWord(kind)).module);
  }
  out.Member("to_display", address);
  out.EndObject();
}

}  // namespace

bool HasChecks(std::span<const state::CheckResult> checks) {
  return !checks.empty();
}

void WriteChecks(JsonWriter& out, Program& program, std::span<const state::CheckResult> checks) {
  std::vector<const state::CheckResult*> sorted;
  for (const state::CheckResult& check : checks) {
    sorted.push_back(&check);
  }
  std::ranges::stable_sort(sorted, {}, [](const state::CheckResult* check) {
    return std::string_view(check->config_address);
  });
  out.BeginArray();
  for (const state::CheckResult* check : sorted) {
    out.BeginObject();
    out.Key("address");
    WriteStaticAddress(out, program, *check);
    out.Member("status", check->status);
    if (!check->objects.empty()) {
      std::vector<const state::CheckObject*> objects;
      for (const state::CheckObject& object : check->objects) {
        objects.push_back(&object);
      }
      std::ranges::stable_sort(objects, {}, [](const state::CheckObject* object) {
        return std::string_view(object->address);
      });
      out.Key("instances");
      out.BeginArray();
      for (const state::CheckObject* object : objects) {
        out.BeginObject();
        out.Key("address");
        WriteInstanceAddress(out, program, check->kind, object->address);
        out.Member("status", object->status);
        if (!object->failure_messages.empty()) {
          std::vector<std::string_view> messages(object->failure_messages.begin(),
                                                 object->failure_messages.end());
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
      out.EndArray();
    }
    out.EndObject();
  }
  out.EndArray();
}

}  // namespace kinu::view
