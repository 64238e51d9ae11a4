#include "state/upgrade.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <ranges>
#include <vector>

#include "addrs/provider_source.h"
#include "codec/base64.h"
#include "cty/json.h"
#include "cty/type.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu::state {
namespace {

using Flat = std::map<std::string, std::string, std::less<>>;

std::string_view Text(const JsonNode* node) {
  return node != nullptr && node->is_string() ? node->text() : std::string_view();
}

/// An address of the formats before 4: "type.name", "type.name.0" or these after "data.".
struct LegacyAddress {
  bool data = false;
  std::string type;
  std::string name;
  std::optional<int64_t> index;
};

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
    parts.push_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.push_back(text);
  return parts;
}

Result<LegacyAddress> ParseAddress(std::string_view text) {
  std::vector<std::string_view> parts = Split(text);
  auto invalid = [&] {
    return Fail(ErrorCode::kInvalid,
                "invalid internal resource address format: " + std::string(text));
  };
  LegacyAddress out;
  if (parts.size() < 2 || parts.size() > 4) {
    return invalid();
  }
  if (parts.size() > 2 && parts[0] == "data") {
    out.data = true;
    parts.erase(parts.begin());
  }
  if (parts.size() > 3) {
    return invalid();
  }
  out.type = parts[0];
  out.name = parts[1];
  if (parts.size() == 3) {
    int64_t index = 0;
    auto [end, error] = std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), index);
    if (error != std::errc() || end != parts[2].data() + parts[2].size()) {
      return Fail(ErrorCode::kInvalid, "error parsing resource address \"" + std::string(text) +
                                           "\": \"" + std::string(parts[2]) +
                                           "\" is not a whole number");
    }
    out.index = index;
  }
  return out;
}

bool IsNumber(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Before version 3 the size of a map is under "#", as that of a list is. Moves it to "%" and
/// removes the sizes of empty collections.
void UpgradeCounts(Flat& attributes) {
  std::vector<std::string> prefixes;
  for (const auto& [key, value] : attributes) {
    if (key.ends_with(".#")) {
      prefixes.push_back(key.substr(0, key.size() - 1));
    }
  }
  for (const std::string& prefix : prefixes) {
    bool any = false;
    bool words = false;
    for (auto it = attributes.lower_bound(prefix);
         it != attributes.end() && it->first.starts_with(prefix); ++it) {
      std::string_view rest = std::string_view(it->first).substr(prefix.size());
      if (rest == "#") {
        continue;
      }
      any = true;
      words = words || !IsNumber(rest.substr(0, rest.find('.')));
    }
    std::string count = prefix + "#";
    if (words) {
      attributes[prefix + "%"] = attributes[count];
    }
    if (words || !any) {
      attributes.erase(count);
    }
  }
}

/// The type of an output before tuples and objects existed: a list or map if its elements agree.
Type Simplify(const Type& type) {
  std::optional<Type> element;
  auto all_equal = [&](const Type& other) {
    bool same = !element || *element == other;
    element = other;
    return same;
  };
  if (type.is_tuple() && !type.elements().empty()) {
    return std::all_of(type.elements().begin(), type.elements().end(), all_equal)
               ? Type::List(Simplify(*element))
               : type;
  }
  if (type.is_object() && !type.attributes().empty()) {
    return std::all_of(type.attributes().begin(), type.attributes().end(),
                       [&](const ObjectAttribute& attribute) { return all_equal(attribute.type); })
               ? Type::Map(Simplify(*element))
               : type;
  }
  return type;
}

/// Converts a provider address of the old formats: "provider.aws.west", "module.a.provider.aws",
/// "aws.west", "".
std::string UpgradeProvider(std::string_view text, const std::string& module,
                            std::string_view implied) {
  std::string prefix = module.empty() ? "" : module + ".";
  constexpr std::string_view kMark = "provider.";
  size_t at = text.find(kMark);
  if (at != std::string_view::npos) {
    prefix = text.substr(0, at);
    text.remove_prefix(at + kMark.size());
  }
  std::string_view name = text.substr(0, text.find('.'));
  std::string_view alias = name.size() < text.size() ? text.substr(name.size() + 1) : "";
  if (name.empty()) {
    name = implied;
  }
  std::string address = name == "terraform"
                            ? std::string(kBuiltInProvider)
                            : std::string(kDefaultRegistryHost) + "/-/" + std::string(name);
  std::string out = prefix + "provider[\"" + address + "\"]";
  return alias.empty() ? out : out + "." + std::string(alias);
}

class Upgrader {
 public:
  Upgrader(std::string_view text, uint64_t version)
      : text_(text), version_(version), document_(ParseJson(text)) {}

  Result<std::string> Run() {
    const JsonNode& root = document_.root();
    if (!document_.ok() || !root.is_object()) {
      return Fail(ErrorCode::kInvalid, "The state file could not be parsed as JSON.");
    }
    JsonWriter out(out_);
    out.BeginObject();
    out.Key("version");
    out.Int(4);
    std::string_view release = Text(root.Find("terraform_version"));
    out.Member("terraform_version", release.empty() ? std::string_view("0.0.0") : release);
    out.Key("serial");
    const JsonNode* serial = root.Find("serial");
    if (serial != nullptr && serial->is_number() && serial->text().starts_with('-')) {
      return Fail(ErrorCode::kInvalid, "state has serial less than zero, which is invalid");
    }
    out.Raw(serial != nullptr && serial->is_number() ? serial->text() : "0");
    out.Member("lineage", Text(root.Find("lineage")));
    out.Key("outputs");
    out.BeginObject();
    if (auto written = ForEachModule([&](const JsonNode& module, const std::string& address) {
          return address.empty() ? WriteOutputs(out, module) : Result<void>();
        });
        !written) {
      return std::unexpected(written.error());
    }
    out.EndObject();
    out.Key("resources");
    out.BeginArray();
    if (auto written = ForEachModule([&](const JsonNode& module, const std::string& address) {
          return WriteResources(out, module, address);
        });
        !written) {
      return std::unexpected(written.error());
    }
    out.EndArray();
    out.EndObject();
    return std::move(out_);
  }

 private:
  template <typename F>
  Result<void> ForEachModule(F&& work) {
    const JsonNode* modules = document_.root().Find("modules");
    if (modules == nullptr) {
      return {};
    }
    for (const JsonNode& module : modules->elements()) {
      std::string address;
      const JsonNode* path = module.Find("path");
      size_t steps = path == nullptr ? 0 : path->elements().size();
      if (steps == 0 ? version_ > 1 : path->elements()[0].text() != "root") {
        return Fail(ErrorCode::kInvalid, "state contains invalid module path");
      }
      for (size_t i = 1; i < steps; ++i) {
        address += (i > 1 ? "." : "") + ("module." + std::string(path->elements()[i].text()));
      }
      if (Result<void> done = work(module, address); !done) {
        return done;
      }
    }
    return {};
  }

  std::string_view Raw(const JsonNode& node) const {
    return text_.substr(node.begin(), node.end() - node.begin());
  }

  Result<void> WriteOutputs(JsonWriter& out, const JsonNode& module) {
    const JsonNode* outputs = module.Find("outputs");
    if (outputs == nullptr) {
      return {};
    }
    for (const JsonMember& member : outputs->members()) {
      const JsonNode* value = version_ == 1 ? &member.value : member.value.Find("value");
      const JsonNode* sensitive = member.value.Find("sensitive");
      std::string_view json = value == nullptr ? "null" : Raw(*value);
      ValueResult<Type> type = ImpliedTypeOfJson(json);
      if (!type) {
        return Fail(ErrorCode::kInvalid, "failed to parse output \"" + std::string(member.name) +
                                             "\" value from JSON: " + type.error().ToText());
      }
      out.Key(member.name);
      out.BeginObject();
      out.Key("value");
      out.Embed(json);
      out.Key("type");
      out.Raw(TypeToJson(Simplify(*type)));
      if (version_ > 1 && sensitive != nullptr && sensitive->boolean()) {
        out.Member("sensitive", true);
      }
      out.EndObject();
    }
    return {};
  }

  struct Instance {
    std::optional<int64_t> index;
    const JsonNode* state;
  };
  struct Group {
    LegacyAddress address;
    std::string provider;
    std::vector<Instance> instances;
  };

  /// The old formats have one entry per instance. Instances of one resource are grouped.
  Result<void> WriteResources(JsonWriter& out, const JsonNode& module,
                              const std::string& module_address) {
    const JsonNode* resources = module.Find("resources");
    if (resources == nullptr) {
      return {};
    }
    std::map<std::string, Group> groups;
    for (const JsonMember& member : resources->members()) {
      Result<LegacyAddress> address = ParseAddress(member.name);
      if (!address) {
        return std::unexpected(address.error());
      }
      Group& group = groups[(address->data ? "data." : "") + address->type + "." + address->name];
      if (group.instances.empty()) {
        std::string_view implied = std::string_view(address->type);
        group.provider = UpgradeProvider(Text(member.value.Find("provider")), module_address,
                                         ImpliedProviderName(implied));
        group.address = *address;
      }
      group.instances.push_back({address->index, &member.value});
    }
    for (Group& group : groups | std::views::values) {
      std::stable_sort(group.instances.begin(), group.instances.end(),
                       [](const Instance& a, const Instance& b) { return a.index < b.index; });
      out.BeginObject();
      if (!module_address.empty()) {
        out.Member("module", module_address);
      }
      out.Member("mode", group.address.data ? "data" : "managed");
      out.Member("type", group.address.type);
      out.Member("name", group.address.name);
      out.Member("provider", group.provider);
      out.Key("instances");
      out.BeginArray();
      for (const Instance& instance : group.instances) {
        const JsonNode* primary = instance.state->Find("primary");
        if (primary != nullptr && primary->is_object()) {
          WriteObject(out, *primary, instance.index, 0);
        }
        if (const JsonNode* deposed = instance.state->Find("deposed")) {
          int number = 0;
          for (const JsonNode& object : deposed->elements()) {
            WriteObject(out, object, instance.index, ++number);
          }
        }
      }
      out.EndArray();
      out.EndObject();
    }
    return {};
  }

  void WriteObject(JsonWriter& out, const JsonNode& object, std::optional<int64_t> index,
                   int deposed) {
    uint64_t schema_version = 0;
    std::map<std::string, std::string_view> rest;
    if (const JsonNode* meta = object.Find("meta")) {
      for (const JsonMember& member : meta->members()) {
        if (member.name == "schema_version" && ReadVersion(member.value, &schema_version)) {
          continue;
        }
        rest[std::string(member.name)] = Raw(member.value);
      }
    }
    Flat attributes;
    if (const JsonNode* given = object.Find("attributes")) {
      for (const JsonMember& member : given->members()) {
        attributes[std::string(member.name)] = Text(&member.value);
      }
    }
    std::string_view id = Text(object.Find("id"));
    if (!id.empty() && attributes["id"].empty()) {
      attributes["id"] = id;
    }
    if (version_ < 3) {
      UpgradeCounts(attributes);
    }
    const JsonNode* tainted = object.Find("tainted");
    out.BeginObject();
    if (index) {
      out.Member("index_key", *index);
    }
    if (version_ > 1 && tainted != nullptr && tainted->is_bool() && tainted->boolean()) {
      out.Member("status", "tainted");
    }
    if (deposed > 0) {
      std::string key = std::to_string(deposed);
      out.Member("deposed", std::string(8 - std::min<size_t>(8, key.size()), '0') + key);
    }
    out.Key("schema_version");
    out.Uint(schema_version);
    out.Key("attributes_flat");
    out.BeginObject();
    for (const auto& [name, value] : attributes) {
      out.Member(name, value);
    }
    out.EndObject();
    if (!rest.empty()) {
      std::string json;
      JsonWriter data(json);
      data.BeginObject();
      for (const auto& [name, value] : rest) {
        data.Key(name);
        data.Embed(value);
      }
      data.EndObject();
      out.Member("private", EncodeBase64(json));
    }
    out.EndObject();
  }

  /// The schema version: legacy SDKs stored a number or a string that holds one.
  static bool ReadVersion(const JsonNode& node, uint64_t* version) {
    if (!node.is_string() && !node.is_number()) {
      return false;
    }
    std::string_view digits = node.text();
    if (node.is_number()) {
      digits = digits.substr(0, digits.find('.'));
    }
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *version);
    return error == std::errc() && end == digits.data() + digits.size();
  }

  std::string_view text_;
  uint64_t version_;
  JsonDocument document_;
  std::string out_;
};

}  // namespace

Result<std::string> UpgradeText(std::string_view text, uint64_t version) {
  return Upgrader(text, version).Run();
}

}  // namespace kinu::state
