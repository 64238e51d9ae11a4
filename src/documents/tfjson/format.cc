#include "tfjson/format.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "addrs/provider_source.h"
#include "addrs/version.h"
#include "base/flat_map.h"
#include "json/writer.h"

namespace kinu::tfjson {

Result<FormatVersion> ParseFormatVersion(std::string_view text) {
  const auto version = Version::Parse(text);
  if (!version) {
    return Fail(ErrorCode::kInvalid,
                "its format_version, \"" + std::string(text) + "\", is no version");
  }
  static const Version kLowest = *Version::Parse("0.1");
  static const Version kBeyond = *Version::Parse("2.0");
  if (*version < kLowest || !(*version < kBeyond)) {
    return Fail(ErrorCode::kUnsupported, "its format_version is \"" + std::string(text) +
                                             "\"; versions from 0.1 to below 2.0 are understood");
  }
  return FormatVersion{version->numbers()[0], version->numbers()[1]};
}

Result<FormatVersion> FormatVersionOf(const json::Node& document) {
  if (!document.is_object()) {
    return Fail(ErrorCode::kInvalid, "the document is no JSON object but of type " +
                                         std::string(json::KindName(document.kind())));
  }
  const json::Node version = document.Find("format_version");
  if (!version || version.is_null()) {
    return Fail(ErrorCode::kInvalid, "the document has no format_version");
  }
  if (!version.is_string()) {
    return Fail(ErrorCode::kInvalid,
                "its format_version, " + std::string(version.text()) + ", is no version");
  }
  return ParseFormatVersion(version.String());
}

namespace {

std::string TextOf(const json::Node& object, std::string_view name) {
  const json::Node text = object.Find(name);
  return text && text.is_string() ? text.String() : std::string();
}

/// Writes documents of format 0.1 from those of 1.x. One function for each representation that the
/// format's page has; the order of a function's body is the order of the members there.
class OldWriter {
 public:
  OldWriter(std::string& out, const json::Node& document) : out_(out), document_(document) {}

  Result<void> Plan() {
    if (const json::Node changes = document_.Find("resource_changes")) {
      for (const json::Node entry : changes.elements()) {
        if (const json::Node deposed = entry.Find("deposed"); !deposed) {
          changes_.emplace(TextOf(entry, "address"), entry.Find("change"));
        }
      }
    }
    out_.BeginObject();
    out_.Member("format_version", kVersion);
    if (const json::Node prior = document_.Find("prior_state")) {
      out_.Key("prior_state");
      State(prior);
    }
    if (const json::Node configuration = document_.Find("configuration")) {
      out_.Key("config");
      Configuration(configuration);
    }
    const json::Node planned = document_.Find("planned_values");
    if (planned) {
      out_.Key("planned_values");
      Values(planned, &OldWriter::CopyOf);
      out_.Key("proposed_unknown");
      Values(planned, &OldWriter::UnknownOf);
    }
    Copy(document_, "variables");
    if (const json::Node changes = document_.Find("resource_changes")) {
      out_.Key("resource_changes");
      out_.BeginArray();
      for (const json::Node entry : changes.elements()) {
        ResourceChange(entry);
      }
      out_.EndArray();
    }
    if (const json::Node outputs = document_.Find("output_changes")) {
      out_.Key("output_changes");
      out_.BeginObject();
      for (const json::Member output : outputs.members()) {
        out_.Key(output.name.String());
        out_.BeginObject();
        out_.Key("change");
        Change(output.value, "output " + output.name.String(), /*of_output=*/true);
        out_.EndObject();
      }
      out_.EndObject();
    }
    out_.EndObject();
    return Done();
  }

  Result<void> WholeState() {
    State(document_);
    return Done();
  }

 private:
  static constexpr std::string_view kVersion = "0.1";
  /// Writes the representation of a value: of the resource at this address or, when it is empty, of
  /// the output of this name.
  using WriteValueOf = void (OldWriter::*)(const json::Node& value, const std::string& address,
                                           const std::string& output);

  Result<void> Done() {
    if (problem_.empty()) {
      return {};
    }
    return Fail(ErrorCode::kUnsupported, problem_);
  }

  void Value(const json::Node& value) {
    compact_.clear();
    json::AppendCompact(compact_, value.text());
    out_.Raw(compact_);
  }
  void Copy(const json::Node& object, std::string_view name) {
    if (const json::Node value = object.Find(name)) {
      out_.Key(name);
      Value(value);
    }
  }
  void Copy(const json::Node& object, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      Copy(object, name);
    }
  }

  void State(const json::Node& state) {
    out_.BeginObject();
    out_.Member("format_version", kVersion);
    out_.Key("values");
    if (const json::Node values = state.Find("values")) {
      Values(values, &OldWriter::CopyOf);
    } else {
      out_.BeginObject();
      out_.Key("root_module");
      out_.BeginObject();
      out_.EndObject();
      out_.EndObject();
    }
    Copy(state, "terraform_version");
    out_.EndObject();
  }

  // --- Values ---

  void CopyOf(const json::Node& value, const std::string& /*address*/,
              const std::string& /*output*/) {
    if (value) {
      Value(value);
    } else {
      out_.Null();
    }
  }

  /// Each value replaced by whether it is unknown.
  void UnknownOf(const json::Node& value, const std::string& address, const std::string& output) {
    json::Node change;
    if (!address.empty()) {
      const auto found = changes_.find(address);
      change = found == changes_.end() ? json::Node() : found->second;
    } else if (const json::Node outputs = document_.Find("output_changes")) {
      change = outputs.Find(output);
    }
    Unknown(value, change ? change.Find("after_unknown") : json::Node());
  }

  void Unknown(const json::Node& value, const json::Node& mask) {
    if (mask && mask.is_true()) {
      out_.Bool(true);
    } else if ((value && value.is_array()) || (!value && mask && mask.is_array())) {
      out_.BeginArray();
      for (const auto& [element, unknown] : Beside(value, mask)) {
        Unknown(element, unknown);
      }
      out_.EndArray();
    } else if ((value && value.is_object()) || (!value && mask && mask.is_object())) {
      out_.BeginObject();
      for (const auto& [name, both] : BesideByName(value, mask)) {
        out_.Key(name);
        Unknown(both.first, both.second);
      }
      out_.EndObject();
    } else {
      out_.Bool(false);
    }
  }

  using Both = std::pair<json::Node, json::Node>;
  static std::vector<Both> Beside(const json::Node& value, const json::Node& mask) {
    std::vector<Both> both;
    if (value) {
      for (const json::Node element : value.elements()) {
        both.emplace_back(element, json::Node());
      }
    }
    size_t index = 0;
    if (mask) {
      for (const json::Node element : mask.elements()) {
        if (index == both.size()) {
          both.emplace_back();
        }
        both[index++].second = element;
      }
    }
    return both;
  }
  /// What is unknown as a whole has no member in the value, what is known none in the mask.
  static std::vector<std::pair<std::string, Both>> BesideByName(const json::Node& value,
                                                                const json::Node& mask) {
    std::vector<std::pair<std::string, Both>> all;
    FlatMap<std::string, size_t> index;
    for (const json::Node* object : {&value, &mask}) {
      if (!*object) {
        continue;
      }
      for (const json::Member member : object->members()) {
        const std::string name = member.name.String();
        const auto [at, added] = index.emplace(name, all.size());
        if (added) {
          all.emplace_back(name, Both());
        }
        Both& both = all[at->second].second;
        if (object == &value) {
          both.first = member.value;
        } else {
          both.second = member.value;
        }
      }
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return all;
  }

  void Values(const json::Node& values, WriteValueOf write) {
    out_.BeginObject();
    if (const json::Node outputs = values.Find("outputs")) {
      out_.Key("outputs");
      out_.BeginObject();
      for (const json::Member output : outputs.members()) {
        const std::string name = output.name.String();
        const json::Node value = output.value.Find("value");
        out_.Key(name);
        out_.BeginObject();
        if (value || write == &OldWriter::UnknownOf) {
          out_.Key("value");
          (this->*write)(value, {}, name);
        }
        const json::Node sensitive = output.value.Find("sensitive");
        out_.Member("sensitive", sensitive && sensitive.is_true());
        out_.EndObject();
      }
      out_.EndObject();
    }
    if (const json::Node root = values.Find("root_module")) {
      out_.Key("root_module");
      Module(root, write);
    }
    out_.EndObject();
  }

  void Module(const json::Node& module, WriteValueOf write) {
    out_.BeginObject();
    Copy(module, "address");
    if (const json::Node resources = module.Find("resources")) {
      out_.Key("resources");
      out_.BeginArray();
      for (const json::Node resource : resources.elements()) {
        if (!resource.Find("deposed_key")) {
          Resource(resource, write);
        }
      }
      out_.EndArray();
    }
    if (const json::Node children = module.Find("child_modules")) {
      out_.Key("child_modules");
      out_.BeginArray();
      for (const json::Node child : children.elements()) {
        Module(child, write);
      }
      out_.EndArray();
    }
    out_.EndObject();
  }

  void Resource(const json::Node& resource, WriteValueOf write) {
    out_.BeginObject();
    Copy(resource, {"address", "mode", "type", "name", "index"});
    // The name of the provider alone, without its source.
    if (const std::string provider = TextOf(resource, "provider_name"); !provider.empty()) {
      out_.Member("provider_name", ProviderTypeOf(provider));
    }
    Copy(resource, "schema_version");
    if (const json::Node values = resource.Find("values");
        values || write == &OldWriter::UnknownOf) {
      out_.Key("values");
      (this->*write)(values, TextOf(resource, "address"), {});
    }
    out_.EndObject();
  }

  // --- Changes ---

  void ResourceChange(const json::Node& entry) {
    out_.BeginObject();
    Copy(entry, {"address", "module_address", "mode", "type", "name", "index", "deposed"});
    if (const json::Node change = entry.Find("change")) {
      out_.Key("change");
      Change(change, TextOf(entry, "address"), /*of_output=*/false);
    }
    out_.EndObject();
  }

  void Change(const json::Node& change, const std::string& subject, bool of_output) {
    out_.BeginObject();
    if (const json::Node actions = change.Find("actions")) {
      out_.Key("actions");
      out_.BeginArray();
      for (const json::Node action : actions.elements()) {
        const std::string word = action.is_string() ? action.String() : std::string();
        if (word == "forget" && problem_.empty()) {
          problem_ = subject +
                     " is to be forgotten; format 0.1 knows no-op, create, read, update, delete "
                     "and replacements alone";
        }
        // Outputs have only create, update and delete there.
        out_.String(of_output && word == "no-op" ? std::string_view("update") : word);
      }
      out_.EndArray();
    }
    Copy(change, {"before", "after"});
    out_.EndObject();
  }

  // --- Configuration ---

  void Configuration(const json::Node& configuration) {
    out_.BeginObject();
    if (const json::Node providers = configuration.Find("provider_config")) {
      out_.Key("provider_configs");
      out_.BeginObject();
      for (const json::Member provider : providers.members()) {
        out_.Key(provider.name.String());
        out_.BeginObject();
        Copy(provider.value, {"name", "alias", "module_address", "expressions"});
        out_.EndObject();
      }
      out_.EndObject();
    }
    if (const json::Node root = configuration.Find("root_module")) {
      out_.Key("root_module");
      ConfigurationModule(root, {});
    }
    out_.EndObject();
  }

  /// `prefix` precedes the addresses of the module's resources.
  void ConfigurationModule(const json::Node& module, const std::string& prefix) {
    out_.BeginObject();
    if (const json::Node outputs = module.Find("outputs")) {
      out_.Key("outputs");
      out_.BeginObject();
      for (const json::Member output : outputs.members()) {
        out_.Key(output.name.String());
        out_.BeginObject();
        Copy(output.value, "expression");
        const json::Node sensitive = output.value.Find("sensitive");
        out_.Member("sensitive", sensitive && sensitive.is_true());
        out_.EndObject();
      }
      out_.EndObject();
    }
    if (const json::Node resources = module.Find("resources")) {
      out_.Key("resources");
      out_.BeginArray();
      for (const json::Node resource : resources.elements()) {
        const std::string mode = TextOf(resource, "mode");
        if (mode != "managed" && mode != "data") {
          continue;
        }
        out_.BeginObject();
        out_.Member("address", prefix + TextOf(resource, "address"));
        Copy(resource,
             {"mode", "type", "name", "provider_config_key", "provisioners", "expressions",
              "schema_version", "count_expression", "for_each_expression"});
        out_.EndObject();
      }
      out_.EndArray();
    }
    if (const json::Node calls = module.Find("module_calls")) {
      out_.Key("module_calls");
      out_.BeginObject();
      for (const json::Member call : calls.members()) {
        const std::string name = call.name.String();
        out_.Key(name);
        out_.BeginObject();
        out_.Member("resolved_source", Resolved(TextOf(call.value, "source")));
        Copy(call.value, {"expressions", "count_expression", "for_each_expression"});
        if (const json::Node inside = call.value.Find("module")) {
          out_.Key("module");
          ConfigurationModule(inside, prefix + "module." + name + ".");
        }
        out_.EndObject();
      }
      out_.EndObject();
    }
    out_.EndObject();
  }

  /// A local source without `.` and what `..` takes back; any other as it is.
  static std::string Resolved(const std::string& source) {
    if (!source.starts_with("./") && !source.starts_with("../")) {
      return source;
    }
    std::vector<std::string_view> parts;
    for (size_t at = 0; at < source.size();) {
      const size_t end = std::min(source.find('/', at), source.size());
      const auto part = std::string_view(source).substr(at, end - at);
      at = end + 1;
      if (part == ".." && !parts.empty() && parts.back() != "..") {
        parts.pop_back();
      } else if (!part.empty() && part != ".") {
        parts.push_back(part);
      }
    }
    std::string resolved = parts.empty() || parts[0] != ".." ? "." : "";
    for (const std::string_view part : parts) {
      resolved += resolved.empty() ? "" : "/";
      resolved += part;
    }
    return resolved.find('/') == std::string::npos ? resolved + "/" : resolved;
  }

  JsonWriter out_;
  json::Node document_;
  FlatMap<std::string, json::Node> changes_;  ///< of current objects, by address
  std::string compact_;
  std::string problem_;
};

}  // namespace

Result<void> AppendFormat01(std::string& out, const json::Node& document) {
  auto version = FormatVersionOf(document);
  if (!version) {
    return std::unexpected(version.error());
  }
  if (version->major != 1) {
    return Fail(ErrorCode::kUnsupported, "only documents of format 1 can be written in format 0.1");
  }
  OldWriter writer(out, document);
  return document.Find("planned_values") || document.Find("resource_changes") ? writer.Plan()
                                                                              : writer.WholeState();
}

}  // namespace kinu::tfjson
