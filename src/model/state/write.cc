// Writes state files, byte for byte as OpenTofu. Ref: opentofu
// internal/states/statefile/version4.go writeStateV4; encoding/json Marshal, Indent.
#include <algorithm>
#include <charconv>
#include <memory>
#include <tuple>
#include <utility>

#include "codec/base64.h"
#include "compatibility/features.h"
#include "cty/json.h"
#include "cty/ops.h"
#include "state/json_text.h"
#include "state/paths.h"
#include "state/reader.h"
#include "state/state.h"

namespace kinu::state {
namespace {

/// A resource with the texts that its position in the file depends on.
struct Placed {
  const Resource* resource;
  std::string_view module;
  std::string_view mode;
  std::string_view type;
  std::string_view name;
};

/// Resources of one type in one module differ in their names alone, so these parts are compared by
/// their places first.
bool StandsBefore(const Placed& a, const Placed& b) {
  if (a.module.data() == b.module.data() && a.mode.data() == b.mode.data() &&
      a.type.data() == b.type.data()) {
    return a.name < b.name;
  }
  return std::tie(a.module, a.mode, a.type, a.name) < std::tie(b.module, b.mode, b.type, b.name);
}

/// 16 hexadecimal digits.
std::string HexText(uint64_t number) {
  std::string digits(16, '0');
  char* const end = digits.data() + digits.size();
  const auto written = std::to_chars(digits.data(), end, number, 16);
  std::ranges::rotate(digits.data(), written.ptr, end);
  return digits;
}

class StateWriter {
 public:
  StateWriter(const State& state, Layout layout, std::string& out)
      : state_(state),
        program_(*state.program),
        indented_(layout == Layout::kIndented),
        out_(out),
        writer_(out, JsonWriter::Options{.indent = indented_ ? "  " : ""}) {}

  void Write(std::string_view lineage, uint64_t serial);

 private:
  void WriteOutputs();
  void WriteResources();
  void WriteResource(const Placed& placed);
  void WriteObject(const Resource& resource, const Instance& instance, const Object& object,
                   std::string_view deposed, bool provider_here);
  void WriteChecks();
  /// Writes a member whose value is JSON text, indented for its depth.
  void WriteJson(std::string_view key, std::string_view json, int depth);
  const std::string& DependenciesJson(const DependencyList& list);
  const std::string& ProviderText(const ProviderConfig& provider);

  const State& state_;
  const Program& program_;
  bool indented_;
  std::string& out_;
  JsonWriter writer_;
  FlatMap<uint64_t, std::string> dependencies_;  // by address of the list
  FlatMap<ProviderConfig, std::string> providers_;
};

void StateWriter::WriteJson(std::string_view key, std::string_view json, int depth) {
  writer_.Key(key);
  writer_.Raw({});  // the value follows
  AppendJson(out_, json, indented_ ? depth : -1);
}

const std::string& StateWriter::ProviderText(const ProviderConfig& provider) {
  auto [it, inserted] = providers_.try_emplace(provider);
  if (inserted) {
    it.value() = program_.ToText(provider);
  }
  return it->second;
}

const std::string& StateWriter::DependenciesJson(const DependencyList& list) {
  auto [it, inserted] = dependencies_.try_emplace(reinterpret_cast<uintptr_t>(list.get()));
  if (inserted) {
    std::string& text = it.value();
    text += '[';
    for (const ConfigResource& dependency : *list) {
      if (text.size() > 1) {
        text += ',';
      }
      JsonWriter::AppendQuoted(text, program_.ToText(dependency), JsonEscape::kHtml);
    }
    text += ']';
  }
  return it->second;
}

/// The members of the flat map, sorted by key as Go writes a map.
std::string SortedFlatMap(std::string_view json) {
  std::vector<std::pair<std::string, std::string_view>> members;
  JsonCursor cursor(json);
  std::string_view key;
  bool first = true;
  if (cursor.Take('{')) {
    while (cursor.NextMember(&first, &key)) {
      members.emplace_back(DecodeStringBody(key), cursor.Value());
    }
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out = "{";
  for (const auto& [name, value] : members) {
    if (out.size() > 1) {
      out += ',';
    }
    JsonWriter::AppendQuoted(out, name, JsonEscape::kHtml);
    out += ':';
    out += value;
  }
  out += '}';
  return out;
}

void StateWriter::WriteOutputs() {
  std::vector<const OutputValue*> sorted;
  for (const OutputValue& output : state_.outputs) {
    sorted.push_back(&output);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const OutputValue* a, const OutputValue* b) { return a->name < b->name; });
  writer_.Key("outputs");
  writer_.BeginObject();
  for (const OutputValue* output : sorted) {
    Value value = output->value.UnmarkDeep();
    if (!value.IsWhollyKnown()) {
      value = UnknownAsNull(value);
    }
    ValueResult<std::string> json = ValueToJson(value, value.type(), WholeNumbers::kExact);
    if (!json) {
      continue;  // CheckWritable() reports it
    }
    writer_.Key(output->name);
    writer_.BeginObject();
    WriteJson("value", *json, 3);
    WriteJson("type", TypeToJson(value.type()), 3);
    if (output->sensitive) {
      writer_.Member("sensitive", true);
    }
    if (!output->deprecated.empty()) {
      writer_.Member("deprecated", output->deprecated);
    }
    writer_.EndObject();
  }
  writer_.EndObject();
}

void StateWriter::WriteObject(const Resource& resource, const Instance& instance,
                              const Object& object, std::string_view deposed, bool provider_here) {
  constexpr int kDepth = 5;
  writer_.BeginObject();
  if (instance.key.kind() == InstanceKey::Kind::kInt) {
    writer_.Member("index_key", instance.key.index());
  } else if (instance.key.kind() == InstanceKey::Kind::kString) {
    writer_.Member("index_key", program_.Text(instance.key.symbol()));
  }
  if (object.status == ObjectStatus::kTainted) {
    writer_.Member("status", "tainted");
  }
  if (!deposed.empty()) {
    writer_.Member("deposed", deposed);
  }
  if (provider_here) {
    writer_.Member("provider",
                   ProviderText(resource.provider) + program_.ToText(instance.provider_key));
  }
  writer_.Key("schema_version");
  writer_.Uint(object.schema_version);
  if (!object.attributes.empty()) {
    WriteJson("attributes", object.attributes, kDepth);
  }
  if (!object.attributes_flat.empty()) {
    std::string flat = SortedFlatMap(object.attributes_flat);
    if (flat != "{}") {
      WriteJson("attributes_flat", flat, kDepth);
    }
  }
  if (!object.sensitive.empty()) {
    std::string paths;
    AppendPathsJson(paths, object.sensitive);
    WriteJson("sensitive_attributes", paths, kDepth);
  } else if (!object.sensitive_paths.empty()) {
    WriteJson("sensitive_attributes", object.sensitive_paths, kDepth);
  } else {
    writer_.Key("sensitive_attributes");
    writer_.Raw("[]");
  }
  if (!object.private_data.empty()) {
    writer_.Key("private");
    writer_.Raw('"' + EncodeBase64(object.private_data) + '"');
  }
  if (object.dependencies != nullptr && !object.dependencies->empty()) {
    WriteJson("dependencies", DependenciesJson(object.dependencies), kDepth);
  }
  if (object.create_before_destroy) {
    writer_.Member("create_before_destroy", true);
  }
  if (object.skip_destroy) {
    writer_.Member("skip_destroy", true);
  }
  if (!object.identity.empty()) {
    WriteJson("identity", object.identity, kDepth);
  }
  if (object.identity_schema_version) {
    writer_.Key("identity_schema_version");
    writer_.Uint(*object.identity_schema_version);
  }
  if (object.configuration != 0) {
    writer_.Member(kConfigurationMember, HexText(object.configuration));
  }
  writer_.EndObject();
}

void StateWriter::WriteResource(const Placed& placed) {
  const Resource& resource = *placed.resource;
  bool provider_keys =
      std::any_of(resource.instances.begin(), resource.instances.end(),
                  [](const Instance& instance) { return !instance.provider_key.none(); });
  writer_.BeginObject();
  if (!placed.module.empty()) {
    writer_.Member("module", placed.module);
  }
  writer_.Member("mode", placed.mode);
  writer_.Member("type", placed.type);
  writer_.Member("name", placed.name);
  if (!provider_keys) {
    writer_.Member("provider", ProviderText(resource.provider));
  }
  writer_.Key("instances");
  writer_.BeginArray();
  for (const Instance& instance : resource.instances) {
    if (instance.current != nullptr) {
      WriteObject(resource, instance, *instance.current, {}, provider_keys);
    }
    for (const DeposedObject& deposed : instance.deposed) {
      WriteObject(resource, instance, deposed.object, deposed.key, provider_keys);
    }
  }
  writer_.EndArray();
  writer_.EndObject();
}

void StateWriter::WriteResources() {
  FlatMap<uint32_t, std::unique_ptr<std::string>> modules;
  std::vector<Placed> sorted;
  sorted.reserve(state_.resources.size());
  for (const CopyOnWrite<Resource>& resource : state_.resources) {
    const AbsResource& address = resource->address;
    if (address.resource.mode == ResourceMode::kEphemeral) {
      continue;
    }
    auto [module, inserted] = modules.try_emplace(address.module.id);
    if (inserted) {
      module.value() = std::make_unique<std::string>(program_.ToText(address.module));
    }
    sorted.push_back(Placed{.resource = &*resource,
                            .module = *module->second,
                            .mode = ModeName(address.resource.mode),
                            .type = program_.Text(address.resource.type),
                            .name = program_.Text(address.resource.name)});
  }
  // The file is sorted by these texts, which is not the order of addresses. Ref: sortResourcesV4.
  // A state that was read from a file usually has this order already.
  if (!std::ranges::is_sorted(sorted, StandsBefore)) {
    std::ranges::stable_sort(sorted, StandsBefore);
  }
  writer_.Key("resources");
  writer_.BeginArray();
  for (const Placed& placed : sorted) {
    WriteResource(placed);
  }
  writer_.EndArray();
}

void StateWriter::WriteChecks() {
  writer_.Key("check_results");
  if (state_.checks.empty()) {
    writer_.Null();
    return;
  }
  writer_.BeginArray();
  for (const CheckResult& check : state_.checks) {
    writer_.BeginObject();
    writer_.Member("object_kind", CheckableKindName(check.block.kind));
    writer_.Member("config_addr", ToText(*state_.program, check.block));
    writer_.Member("status", CheckStatusName(check.status));
    writer_.Key("objects");
    if (check.objects.empty()) {
      writer_.Null();
    } else {
      writer_.BeginArray();
      for (const CheckObject& object : check.objects) {
        writer_.BeginObject();
        writer_.Member("object_addr", ToText(*state_.program, check.AddressOf(object)));
        writer_.Member("status", CheckStatusName(object.status));
        if (!object.failure_messages.empty()) {
          writer_.Key("failure_messages");
          writer_.BeginArray();
          for (const std::string& message : object.failure_messages) {
            writer_.String(message);
          }
          writer_.EndArray();
        }
        writer_.EndObject();
      }
      writer_.EndArray();
    }
    writer_.EndObject();
  }
  writer_.EndArray();
}

void StateWriter::Write(std::string_view lineage, uint64_t serial) {
  writer_.BeginObject();
  writer_.Member("version", 4);
  writer_.Member("terraform_version", compatibility::Release());
  writer_.Key("serial");
  writer_.Uint(serial);
  writer_.Member("lineage", lineage);
  WriteOutputs();
  WriteResources();
  WriteChecks();
  writer_.EndObject();
  const bool two = indented_ && !compatibility::Has(compatibility::Feature::kOneNewline);
  out_ += two ? "\n\n" : "\n";
}

}  // namespace

std::string WriteState(const State& state, Layout layout) {
  return WriteState(state, layout, state.lineage, state.serial);
}

std::string WriteState(const State& state, Layout layout, std::string_view lineage,
                       uint64_t serial) {
  std::string out;
  if (state.buffer != nullptr) {
    // The text that was read usually is indented, which doubles its size.
    const size_t size = state.buffer->size();
    out.reserve(layout == Layout::kCompact ? size / 2 + size / 16 : size + size / 8);
  }
  StateWriter(state, layout, out).Write(lineage, serial);
  return out;
}

std::pair<std::string, std::string_view> Relabel(std::string_view text, std::string_view lineage,
                                                 uint64_t serial) {
  // Inside strings, quotes are escaped: the first match is the member of the document.
  constexpr std::string_view kFirst = "\"outputs\":";
  State empty;
  empty.program = std::make_shared<Program>();
  std::string start = WriteState(empty, Layout::kCompact, lineage, serial);
  start.resize(start.find(kFirst));
  return {std::move(start), text.substr(text.find(kFirst))};
}

Result<void> CheckWritable(const State& state) {
  for (const OutputValue& output : state.outputs) {
    Value value = output.value.UnmarkDeep();
    if (!value.IsWhollyKnown()) {
      value = UnknownAsNull(value);
    }
    if (ValueResult<std::string> json = ValueToJson(value, value.type()); !json) {
      return Fail(ErrorCode::kInvalid,
                  "Failed to serialize output value in state: An error "
                  "occurred while serializing output value \"" +
                      output.name + "\": " + json.error().ToText() + ".");
    }
  }
  return {};
}

}  // namespace kinu::state
