// Every grammar works on the steps of an absolute traversal and removes what it reads from their
// front. Ref: opentofu internal/addrs parse_ref.go, parse_target.go, module_instance.go, module.go,
// move_endpoint.go, remove_endpoint.go, provider_config.go, output_value.go.
#include "eval/address.h"

#include <vector>

#include "addrs/address.h"
#include "addrs/host_name.h"
#include "addrs/provider_source.h"
#include "config/module_source.h"
#include "cty/tagged.h"
#include "hcl/parse.h"
#include "text/quote.h"

namespace kinu::eval {
namespace {

/// A step of a traversal. The root counts as one, and so does the name behind a module path.
struct Step {
  enum class Kind : uint8_t { kRoot, kAttribute, kIndex };
  Kind kind = Kind::kRoot;
  std::string_view name;
  const Value* key = nullptr;
  SourceRange range;

  bool is_name() const { return kind != Kind::kIndex; }
};
using Steps = std::span<const Step>;

SourceRange RangeOf(Steps steps) {
  if (steps.empty()) {
    return {};
  }
  SourceRange range = steps.front().range;
  range.end = steps.back().range.end;
  return range;
}

SourceRange Between(const SourceRange& first, const SourceRange& last) {
  return {first.file, first.begin, last.end};
}

std::vector<Step> StepsOf(const hcl::TraversalExpr& traversal) {
  std::vector<Step> out{{Step::Kind::kRoot, traversal.root, nullptr, traversal.root_range()}};
  for (const hcl::TraversalStep& step : traversal.steps) {
    bool is_index = step.kind == hcl::TraversalStep::Kind::kIndex;
    out.push_back({is_index ? Step::Kind::kIndex : Step::Kind::kAttribute, step.name(), step.key(),
                   traversal.step_range(step)});
  }
  return out;
}

/// "[0]" or "[\"a\"]"; nothing if the key is no instance key.
std::optional<std::string> KeyText(const Value& key) {
  if (key.IsNull() || !key.IsKnown()) {
    return std::nullopt;
  }
  if (key.type() == Type::String()) {
    return "[" + QuoteKey(key.AsString()) + "]";
  }
  auto index = key.type() == Type::Number() ? key.AsInt64() : std::nullopt;
  return index ? std::optional<std::string>("[" + std::to_string(*index) + "]") : std::nullopt;
}

class Grammar {
 public:
  Grammar(Steps steps, Response& response) : all_(steps), rest_(steps), response_(response) {}

  bool Reference();
  bool TestingReference();
  bool Target();
  bool Resource(bool instance);
  bool ConfigResource();
  bool ModuleInstance();
  bool Module();
  bool MoveEndpoint();
  bool RemoveEndpoint();
  bool ProviderConfig(bool key_allowed);
  bool Output();

 private:
  struct ResourceName {
    std::string text;
    std::string_view mode;  // "", "data", "ephemeral"
    bool has_key = false;
  };

  bool Error(std::string summary, std::string detail, SourceRange range) {
    response_.diags.Error(std::move(summary), std::move(detail), range);
    return false;
  }
  bool InvalidAddress(std::string detail, SourceRange range) {
    return Error("Invalid address", std::move(detail), range);
  }
  bool InvalidReference(std::string detail, SourceRange range) {
    return Error("Invalid reference", std::move(detail), range);
  }

  bool ModuleName(std::string_view& name, bool& found);
  bool ModulePath();
  bool ConfigModulePath();
  bool TypeAndName(ResourceName& out);
  bool ResourceInstanceUnderModule(ResourceName& out);
  bool ResourceUnderModule(ResourceName& out);
  std::string Joined(const std::string& text) const {
    return path_.empty() ? text : path_ + "." + text;
  }

  bool Attribute();
  bool ResourceReference(std::string_view prefix, SourceRange start);
  bool ModuleReference();
  void Answer(std::string subject, SourceRange range);
  bool Finish(std::string text) {
    response_.text = std::move(text);
    return true;
  }

  Steps all_;
  Steps rest_;  ///< what is not read yet
  Response& response_;
  std::string path_;       ///< the module path that was read
  bool has_keys_ = false;  ///< it has instance keys
  size_t modules_ = 0;
};

// --- Module paths. ---

/// Looks for `module.NAME` at the front, without removing it.
bool Grammar::ModuleName(std::string_view& name, bool& found) {
  found = false;
  if (!rest_[0].is_name()) {
    return Error("Invalid address operator", "A module path goes on with a dot and a name.",
                 rest_[0].range);
  }
  if (rest_[0].name != "module") {
    return true;
  }
  if (rest_.size() < 2 || rest_[1].kind != Step::Kind::kAttribute) {
    return Error("Invalid address operator", "The word \"module.\" is followed by a module's name.",
                 rest_.size() < 2 ? rest_[0].range : rest_[1].range);
  }
  name = rest_[1].name;
  found = true;
  return true;
}

/// Reads the modules at the front, with their keys.
bool Grammar::ModulePath() {
  size_t errors = response_.diags.error_count();
  while (!rest_.empty()) {
    std::string_view name;
    bool found = false;
    if (!ModuleName(name, found) || !found || response_.diags.error_count() != errors) {
      break;
    }
    rest_ = rest_.subspan(2);
    path_ += (path_.empty() ? "module." : ".module.") + std::string(name);
    ++modules_;
    if (!rest_.empty() && rest_[0].kind == Step::Kind::kIndex) {
      auto key = KeyText(*rest_[0].key);
      if (!key) {
        Error("Invalid address operator", "A module's key is a string or a whole number.",
              rest_[0].range);
      }
      path_ += key.value_or("");
      has_keys_ = true;
      rest_ = rest_.subspan(1);
    }
  }
  return response_.diags.error_count() == errors;
}

/// The same for modules of the configuration, which have no keys.
bool Grammar::ConfigModulePath() {
  size_t errors = response_.diags.error_count();
  while (!rest_.empty()) {
    std::string_view name;
    bool found = false;
    if (!ModuleName(name, found) || !found || response_.diags.error_count() != errors) {
      break;
    }
    rest_ = rest_.subspan(2);
    if (!rest_.empty() && rest_[0].kind == Step::Kind::kIndex) {
      return Error("Module instance address with keys is not allowed",
                   "This must name a module, not one instance of it.", rest_[0].range);
    }
    path_ += (path_.empty() ? "module." : ".module.") + std::string(name);
    ++modules_;
  }
  return response_.diags.error_count() == errors;
}

// --- Resources. ---

/// Reads `[data.|ephemeral.]TYPE.NAME`.
bool Grammar::TypeAndName(ResourceName& out) {
  if (rest_[0].is_name() && (rest_[0].name == "data" || rest_[0].name == "ephemeral")) {
    out.mode = rest_[0].name;
    rest_ = rest_.subspan(1);
  }
  if (rest_.size() < 2) {
    return InvalidAddress("A resource is named by its type and its name.", RangeOf(rest_));
  }
  if (!rest_[0].is_name()) {
    return InvalidAddress("The type of a resource is missing.", rest_[0].range);
  }
  if (rest_[1].kind != Step::Kind::kAttribute) {
    return InvalidAddress("The name of a resource is missing.", rest_[1].range);
  }
  out.text = (out.mode.empty() ? "" : std::string(out.mode) + ".") + std::string(rest_[0].name) +
             "." + std::string(rest_[1].name);
  rest_ = rest_.subspan(2);
  return true;
}

bool Grammar::ResourceInstanceUnderModule(ResourceName& out) {
  if (!TypeAndName(out)) {
    return false;
  }
  if (rest_.size() > 1) {
    return InvalidAddress("Nothing may follow the address.", rest_[1].range);
  }
  if (rest_.empty()) {
    return true;
  }
  if (rest_[0].kind != Step::Kind::kIndex) {
    return InvalidAddress("The key of an instance stands in brackets.", rest_[0].range);
  }
  auto key = KeyText(*rest_[0].key);
  if (!key) {
    return InvalidAddress("The key of an instance is a string or a whole number.", rest_[0].range);
  }
  out.text += *key;
  out.has_key = true;
  return true;
}

bool Grammar::ResourceUnderModule(ResourceName& out) {
  if (!TypeAndName(out)) {
    return false;
  }
  if (rest_.size() == 1) {
    return Error("Resource instance address with keys is not allowed",
                 "This must name a resource, not one instance of it.", rest_[0].range);
  }
  return rest_.empty() || InvalidAddress("Nothing may follow the address.", rest_[1].range);
}

bool Grammar::Target() {
  if (!ModulePath()) {
    return false;
  }
  std::string type = "module-instance";
  std::string text = path_;
  if (!rest_.empty()) {
    ResourceName resource;
    if (!ResourceInstanceUnderModule(resource)) {
      return false;
    }
    type = resource.has_key ? "resource-instance" : "resource";
    text = Joined(resource.text);
  }
  JsonWriter json(response_.content);
  json.BeginObject();
  json.Member("type", type);
  json.EndObject();
  return Finish(std::move(text));
}

bool Grammar::Resource(bool instance) {
  if (!ModulePath()) {
    return false;
  }
  if (rest_.empty()) {
    return InvalidAddress("The module path must be followed by a resource.", RangeOf(all_));
  }
  ResourceName resource;
  if (!ResourceInstanceUnderModule(resource)) {
    return false;
  }
  if (resource.has_key && !instance) {
    return InvalidAddress("This must name a resource, not one instance of it.", all_.back().range);
  }
  return Finish(Joined(resource.text));
}

bool Grammar::ConfigResource() {
  if (!ConfigModulePath()) {
    return false;
  }
  if (rest_.empty()) {
    return Error("Module address is not allowed", "The module path must be followed by a resource.",
                 RangeOf(all_));
  }
  ResourceName resource;
  return ResourceUnderModule(resource) && Finish(Joined(resource.text));
}

bool Grammar::ModuleInstance() {
  bool sound = ModulePath();
  if (!rest_.empty()) {
    return Error("Invalid module instance address",
                 rest_.size() == all_.size() ? "The address of a module begins with \"module.\"."
                                             : "Nothing may follow the address of a module.",
                 RangeOf(rest_));
  }
  return sound && Finish(path_);
}

bool Grammar::Module() {
  if (!ConfigModulePath()) {
    return false;
  }
  if (!rest_.empty()) {
    return Error("Module address expected", "Only a module can be named here.", rest_[0].range);
  }
  return Finish(path_);
}

bool Grammar::MoveEndpoint() {
  if (!ModulePath()) {
    return false;
  }
  ResourceName resource;
  if (!rest_.empty() && !ResourceInstanceUnderModule(resource)) {
    return false;
  }
  return Finish(resource.text.empty() ? path_ : Joined(resource.text));
}

bool Grammar::RemoveEndpoint() {
  if (!ConfigModulePath()) {
    return false;
  }
  if (rest_.empty()) {
    return Finish(path_);
  }
  ResourceName resource;
  if (!ResourceUnderModule(resource)) {
    return false;
  }
  if (!resource.mode.empty()) {
    return Error(resource.mode == "data" ? "Data source address is not allowed"
                                         : "Ephemeral resource address is not allowed",
                 "Only managed resources can be removed: other ones are not destroyed.",
                 RangeOf(all_));
  }
  return Finish(Joined(resource.text));
}

// --- Providers and outputs. ---

bool Grammar::ProviderConfig(bool key_allowed) {
  constexpr const char* kSummary = "Invalid provider configuration address";
  bool sound = ModulePath();
  if (has_keys_) {
    return Error(kSummary, "Provider configurations do not belong to single instances of a module.",
                 RangeOf(rest_));
  }
  if (rest_.size() < 2 || !rest_[0].is_name() || rest_[0].name != "provider") {
    return Error(kSummary, "A provider configuration is written provider[\"ADDRESS\"].",
                 RangeOf(rest_));
  }
  if (rest_.size() > 4) {
    return Error(kSummary, "Nothing may follow the address.", RangeOf(rest_.subspan(4)));
  }
  if (rest_[1].kind != Step::Kind::kIndex || rest_[1].key->type() != Type::String()) {
    return Error(kSummary, "The provider's address stands in brackets and quotes.", rest_[1].range);
  }
  auto address = ParseProviderSource(rest_[1].key->AsString());
  if (!address) {
    return Error(address.error().summary, address.error().detail, {});
  }
  std::string text = Joined("provider[" + text::GoQuote(address->ToText()) + "]");
  if (rest_.size() > 2) {
    if (rest_[2].kind != Step::Kind::kAttribute) {
      return Error(kSummary, "Only an alias can follow the provider's address.", rest_[2].range);
    }
    text += "." + std::string(rest_[2].name);
  }
  bool has_key = false;
  if (rest_.size() > 3) {
    auto key = rest_[3].kind == Step::Kind::kIndex ? KeyText(*rest_[3].key) : std::nullopt;
    if (!key) {
      return Error(kSummary, "Only an instance key in brackets can follow the alias.",
                   rest_[3].range);
    }
    has_key = true;
    text += *key;
  }
  if (has_key && !key_allowed) {
    return Error(kSummary, "There is no instance key in the address of a provider configuration.",
                 RangeOf(all_));
  }
  return sound && Finish(std::move(text));
}

bool Grammar::Output() {
  if (!ModulePath()) {
    return false;
  }
  if (rest_.size() != 2) {
    return InvalidAddress("The name of an output is missing.", RangeOf(all_));
  }
  if (rest_[0].name != "output") {
    return InvalidAddress("The address of an output begins with \"output.\".", rest_[0].range);
  }
  if (rest_[1].kind != Step::Kind::kAttribute) {
    return InvalidAddress("The name of an output is missing.", rest_[1].range);
  }
  return Finish(Joined("output." + std::string(rest_[1].name)));
}

// --- References. ---

/// Makes a response of the subject and the remaining steps.
void Grammar::Answer(std::string subject, SourceRange range) {
  std::string display = subject;
  JsonWriter steps(response_.traversal);
  steps.BeginArray();
  for (const Step& step : rest_) {
    steps.BeginObject();
    if (step.kind == Step::Kind::kAttribute) {
      steps.Member("attr", step.name);
      display += "." + std::string(step.name);
    } else {
      steps.Key("index");
      WriteTagged(steps, *step.key);
      display += '[';
      if (step.key->type() == Type::String()) {
        text::AppendGoQuoted(display, step.key->AsString());
      } else if (step.key->type() == Type::Number()) {
        display += step.key->AsNumber().ToText();
      }
      display += ']';
    }
    steps.EndObject();
  }
  steps.EndArray();
  JsonWriter json(response_.content);
  json.BeginObject();
  json.Member("display", display);
  json.Key("range");
  WriteRange(json, range);
  json.EndObject();
  response_.text = std::move(subject);
}

/// ROOT.NAME.
bool Grammar::Attribute() {
  const Step& root = rest_[0];
  if (rest_.size() < 2) {
    return InvalidReference("\"" + std::string(root.name) +
                                "\" has no value of its own: one of its attributes must be named.",
                            root.range);
  }
  const Step& name = rest_[1];
  if (name.kind != Step::Kind::kAttribute) {
    return InvalidReference(
        "Only an attribute can be taken from \"" + std::string(root.name) + "\".", name.range);
  }
  rest_ = rest_.subspan(2);
  Answer(std::string(root.name) + "." + std::string(name.name), Between(root.range, name.range));
  return true;
}

/// TYPE.NAME[KEY], after `prefix` ("data.").
bool Grammar::ResourceReference(std::string_view prefix, SourceRange start) {
  if (rest_.size() < 2) {
    return InvalidReference("The type of a resource must be followed by a name.", RangeOf(rest_));
  }
  if (!rest_[0].is_name()) {
    return InvalidReference("The type of a resource is a name.", rest_[0].range);
  }
  if (rest_[1].kind != Step::Kind::kAttribute) {
    return InvalidReference("The type of a resource must be followed by a name.", rest_[1].range);
  }
  std::string subject =
      std::string(prefix) + std::string(rest_[0].name) + "." + std::string(rest_[1].name);
  SourceRange range = Between(start, rest_[1].range);
  rest_ = rest_.subspan(2);
  if (!rest_.empty() && rest_[0].kind == Step::Kind::kIndex) {
    auto key = KeyText(*rest_[0].key);
    if (!key) {
      return Error("Invalid index key", "The key of an instance is a string or a whole number.",
                   rest_[0].range);
    }
    subject += *key;
    range = Between(range, rest_[0].range);
    rest_ = rest_.subspan(1);
  }
  Answer(std::move(subject), range);
  return true;
}

/// module.NAME[KEY].OUTPUT.
bool Grammar::ModuleReference() {
  if (rest_.size() < 2 || rest_[1].kind != Step::Kind::kAttribute) {
    return Attribute();
  }
  std::string subject = "module." + std::string(rest_[1].name);
  SourceRange range = Between(rest_[0].range, rest_[1].range);
  rest_ = rest_.subspan(2);
  if (!rest_.empty() && rest_[0].kind == Step::Kind::kIndex) {
    auto key = KeyText(*rest_[0].key);
    if (!key) {
      return Error("Invalid index key", "The key of a module is a string or a whole number.",
                   rest_[0].range);
    }
    subject += *key;
    range = Between(range, rest_[0].range);
    rest_ = rest_.subspan(1);
  }
  if (!rest_.empty()) {
    if (rest_[0].kind != Step::Kind::kAttribute) {
      return InvalidReference("Only an output can be taken from a module.", rest_[0].range);
    }
    subject += "." + std::string(rest_[0].name);
    range = Between(range, rest_[0].range);
    rest_ = rest_.subspan(1);
  }
  Answer(std::move(subject), range);
  return true;
}

bool Grammar::Reference() {
  const Step& root = rest_[0];
  for (std::string_view name : {"count", "each", "local", "path", "terraform", "tofu", "var"}) {
    if (root.name == name) {
      return Attribute();
    }
  }
  for (std::string_view name : {"data", "ephemeral", "resource"}) {
    if (root.name == name) {
      if (rest_.size() < 3) {
        return InvalidReference("\"" + std::string(name) + "\" is followed by a type and a name.",
                                RangeOf(rest_));
      }
      rest_ = rest_.subspan(1);
      return ResourceReference(name == "resource" ? "" : std::string(name) + ".", root.range);
    }
  }
  if (root.name == "module") {
    return ModuleReference();
  }
  if (root.name == "self") {
    rest_ = rest_.subspan(1);
    Answer("self", root.range);
    return true;
  }
  for (std::string_view name : {"template", "lazy", "arg"}) {
    if (root.name == name) {
      return Error("Reserved symbol name",
                   "\"" + std::string(name) +
                       "\" is kept for later versions. A resource type of that name is written "
                       "\"resource." +
                       std::string(name) + "\".",
                   root.range);
    }
  }
  return ResourceReference("", root.range);
}

bool Grammar::TestingReference() {
  return rest_[0].name == "output" || rest_[0].name == "check" ? Attribute() : Reference();
}

void ReadProviderSource(std::string_view text, Response& response) {
  auto address = ParseProviderSource(text);
  if (!address) {
    response.diags.Error(address.error().summary, address.error().detail);
    return;
  }
  response.text = address->ToText();
  JsonWriter json(response.content);
  json.BeginObject();
  json.Member("display", address->ForDisplay());
  json.Member("hostname", HostNameToAscii(address->host));
  json.Member("namespace", address->space);
  json.Member("type", address->type);
  json.EndObject();
}

void ReadModuleSource(std::string_view text, Response& response) {
  auto source = config::ParseModuleSource(text, false);
  if (!source) {
    response.diags.Error("Invalid module source address", source.error().message);
    return;
  }
  response.text = source->text;
  constexpr std::string_view kKinds[] = {"local", "registry", "remote"};
  std::string display = source->text;
  std::string default_host = std::string(kDefaultRegistryHost) + "/";
  if (source->kind == config::ModuleSourceKind::kRegistry && display.starts_with(default_host)) {
    display.erase(0, default_host.size());
  }
  JsonWriter json(response.content);
  json.BeginObject();
  json.Member("display", display);
  json.Member("kind", kKinds[static_cast<size_t>(source->kind)]);
  json.EndObject();
}

struct GrammarRow {
  std::string_view name;
  bool (*read)(Grammar& grammar);
};
constexpr GrammarRow kGrammars[] = {
    {"reference", [](Grammar& g) { return g.Reference(); }},
    {"reference-testing", [](Grammar& g) { return g.TestingReference(); }},
    {"target", [](Grammar& g) { return g.Target(); }},
    {"resource", [](Grammar& g) { return g.Resource(false); }},
    {"resource-instance", [](Grammar& g) { return g.Resource(true); }},
    {"config-resource", [](Grammar& g) { return g.ConfigResource(); }},
    {"module", [](Grammar& g) { return g.Module(); }},
    {"module-instance", [](Grammar& g) { return g.ModuleInstance(); }},
    {"output", [](Grammar& g) { return g.Output(); }},
    {"move-endpoint", [](Grammar& g) { return g.MoveEndpoint(); }},
    {"remove-endpoint", [](Grammar& g) { return g.RemoveEndpoint(); }},
    {"provider-config", [](Grammar& g) { return g.ProviderConfig(false); }},
    {"provider-config-instance", [](Grammar& g) { return g.ProviderConfig(true); }},
};

}  // namespace

Result<void> Address(Request& request, Response& response) {
  const std::string_view as = request.Text("as");
  if (as == "provider-source") {
    ReadProviderSource(request.source()->text(), response);
    return {};
  }
  if (as == "module-source") {
    ReadModuleSource(request.source()->text(), response);
    return {};
  }
  for (const GrammarRow& row : kGrammars) {
    if (row.name != as) {
      continue;
    }
    const hcl::TraversalExpr* traversal =
        hcl::ParseTraversal(request.source(), request.tree(), false, response.diags);
    if (traversal == nullptr || response.diags.has_errors()) {
      return {};
    }
    const std::vector<Step> steps = StepsOf(*traversal);
    Grammar grammar(steps, response);
    row.read(grammar);
    return {};
  }
  return Fail(ErrorCode::kInvalid, "no such address grammar: " + std::string(as));
}

}  // namespace kinu::eval
