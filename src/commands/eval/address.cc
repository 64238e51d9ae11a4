// The grammars are those of the configuration (config/address.h, config/reference_syntax.h) and,
// for addresses that no configuration has, what is built on them here. Ref: opentofu internal/addrs
// parse_ref.go, parse_target.go, module_instance.go, module.go, provider_config.go,
// output_value.go.
#include "eval/address.h"

#include <algorithm>

#include "addrs/address.h"
#include "addrs/host_name.h"
#include "addrs/provider_source.h"
#include "config/address.h"
#include "config/module_source.h"
#include "config/reference_syntax.h"
#include "cty/tagged.h"
#include "hcl/parse.h"
#include "text/quote.h"

namespace kinu::eval {
namespace {

using config::AddressKeys;
using config::AddressReader;
using config::Endpoint;

/// What a grammar reads, and where it answers.
struct Reading {
  const hcl::TraversalExpr& traversal;
  Response& response;
  Program program = {};

  AddressReader Address(AddressKeys keys) { return {program, traversal, keys, response.diags}; }
  void Answer(const Endpoint& endpoint) {
    response.text =
        endpoint.is_module
            ? program.ToText(endpoint.module)
            : program.ToText(ResourceInstance{{endpoint.module, endpoint.resource}, endpoint.key});
  }
  void AnswerIf(const std::optional<Endpoint>& endpoint) {
    if (endpoint) {
      Answer(*endpoint);
    }
  }
  /// `text` in a module.
  std::string Joined(ModuleInstId module, const std::string& text) const {
    const std::string path = program.ToText(module);
    return path.empty() ? text : path + "." + text;
  }
};

// --- Modules and resources. ---

void Target(Reading& in) {
  const std::optional<Endpoint> target = in.Address(AddressKeys::kAllowed).ReadEndpoint();
  if (!target) {
    return;
  }
  std::string_view type = "module-instance";
  if (!target->is_module) {
    type = target->key.none() ? "resource" : "resource-instance";
  }
  JsonWriter json(in.response.content);
  json.BeginObject();
  json.Member("type", type);
  json.EndObject();
  in.Answer(*target);
}

void Resource(Reading& in, bool instance) {
  AddressReader address = in.Address(AddressKeys::kAllowed);
  if (!address.ReadModules()) {
    return;
  }
  if (address.at_end()) {
    address.Fail("Invalid address", "The module path must be followed by a resource.",
                 address.RangeFrom(0));
  } else if (address.ReadResource()) {
    if (!instance && !address.endpoint().key.none()) {
      address.Fail("Invalid address", "This must name a resource, not one instance of it.",
                   address.RangeFrom(address.size() - 1));
      return;
    }
    in.Answer(address.endpoint());
  }
}

void ConfigResource(Reading& in) {
  const std::optional<Endpoint> resource = in.Address(AddressKeys::kRefused).ReadEndpoint();
  if (resource && resource->is_module) {
    in.response.diags.Error("Module address is not allowed",
                            "The module path must be followed by a resource.", resource->range);
    return;
  }
  in.AnswerIf(resource);
}

void ModuleInstance(Reading& in) {
  AddressReader address = in.Address(AddressKeys::kAllowed);
  const bool sound = address.ReadModules();
  if (!address.at_end()) {
    address.Fail("Invalid module instance address",
                 address.position() == 0 ? "The address of a module begins with \"module.\"."
                                         : "Nothing may follow the address of a module.",
                 address.RangeFrom(address.position()));
  } else if (sound) {
    in.response.text = in.program.ToText(address.endpoint().module);
  }
}

// --- Providers and outputs. ---

/// The text of the instance key at a position; nothing if there is none.
std::optional<std::string> KeyText(const Program& program, const AddressReader& address,
                                   size_t at) {
  const auto key = address.IsKey(at) ? address.Key(at) : std::nullopt;
  return key ? std::optional(program.ToText(*key)) : std::nullopt;
}

/// Reads the address of a provider configuration behind the modules:
/// `provider["ADDRESS"].ALIAS[KEY]`. Nothing after an error.
std::optional<std::string> ProviderText(const Program& program, AddressReader& address,
                                        bool key_allowed) {
  constexpr std::string_view kSummary = "Invalid provider configuration address";
  const size_t at = address.position();
  const size_t left = address.size() - at;
  const auto fail = [&](std::string_view detail, const SourceRange& range) {
    address.Fail(kSummary, detail, range);
    return std::nullopt;
  };
  if (address.has_module_keys()) {
    return fail("Provider configurations do not belong to single instances of a module.",
                address.RangeFrom(at));
  }
  if (left < 2 || !address.IsName(at) || address.Name(at) != "provider") {
    return fail("A provider configuration is written provider[\"ADDRESS\"].",
                address.RangeFrom(at));
  }
  if (left > 4) {
    return fail("Nothing may follow the address.", address.RangeFrom(at + 4));
  }
  if (!address.IsKey(at + 1) || address.KeyValue(at + 1).type() != Type::String()) {
    return fail("The provider's address stands in brackets and quotes.", address.Range(at + 1));
  }
  const auto source = ParseProviderSource(address.KeyValue(at + 1).AsString());
  if (!source) {
    address.Fail(source.error().summary, source.error().detail, {});
    return std::nullopt;
  }
  std::string text = "provider[" + text::GoQuote(source->ToText()) + "]";
  if (left > 2) {
    if (!address.IsName(at + 2)) {
      return fail("Only an alias can follow the provider's address.", address.Range(at + 2));
    }
    text += "." + std::string(address.Name(at + 2));
  }
  if (left > 3) {
    const auto key = KeyText(program, address, at + 3);
    if (!key) {
      return fail("Only an instance key in brackets can follow the alias.", address.Range(at + 3));
    }
    if (!key_allowed) {
      return fail("There is no instance key in the address of a provider configuration.",
                  address.RangeFrom(0));
    }
    text += *key;
  }
  return text;
}

void ProviderConfig(Reading& in, bool key_allowed) {
  AddressReader address = in.Address(AddressKeys::kAllowed);
  const bool sound = address.ReadModules();
  const std::optional<std::string> text = ProviderText(in.program, address, key_allowed);
  if (sound && text) {
    in.response.text = in.Joined(address.endpoint().module, *text);
  }
}

void Output(Reading& in) {
  AddressReader address = in.Address(AddressKeys::kAllowed);
  if (!address.ReadModules()) {
    return;
  }
  const size_t at = address.position();
  if (address.size() - at != 2) {
    address.Fail("Invalid address", "The name of an output is missing.", address.RangeFrom(0));
  } else if (address.Name(at) != "output") {
    address.Fail("Invalid address", "The address of an output begins with \"output.\".",
                 address.Range(at));
  } else if (!address.IsName(at + 1)) {
    address.Fail("Invalid address", "The name of an output is missing.", address.Range(at + 1));
  } else {
    in.response.text =
        in.Joined(address.endpoint().module, "output." + std::string(address.Name(at + 1)));
  }
}

// --- References. ---

/// Answers with the subject of a reference and the steps behind it.
void AnswerReference(std::string subject, SourceRange range,
                     std::span<const hcl::TraversalStep> rest, Response& response) {
  std::string display = subject;
  JsonWriter steps(response.traversal);
  steps.BeginArray();
  for (const hcl::TraversalStep& step : rest) {
    steps.BeginObject();
    if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
      steps.Member("attr", step.name());
      display += "." + std::string(step.name());
    } else {
      steps.Key("index");
      WriteTagged(steps, *step.key());
      display += '[';
      if (step.key()->type() == Type::String()) {
        text::AppendGoQuoted(display, step.key()->AsString());
      } else if (step.key()->type() == Type::Number()) {
        display += step.key()->AsNumber().ToText();
      }
      display += ']';
    }
    steps.EndObject();
  }
  steps.EndArray();
  JsonWriter json(response.content);
  json.BeginObject();
  json.Member("display", display);
  json.Key("range");
  WriteRange(json, range);
  json.EndObject();
  response.text = std::move(subject);
}

/// "[0]", "[\"a\"]"; empty without a key.
std::string KeyText(const Value* key) {
  if (key == nullptr) {
    return "";
  }
  return key->type() == Type::String() ? "[" + QuoteKey(key->AsString()) + "]"
                                       : "[" + std::to_string(*key->AsInt64()) + "]";
}

/// The text of a reference to an object that a configuration declares, or to `self`.
std::string SubjectOf(const config::ParsedReference& ref) {
  const std::string name(ref.name);
  switch (ref.kind) {
    case config::ReferenceKind::kVariable:
      return "var." + name;
    case config::ReferenceKind::kLocal:
      return "local." + name;
    case config::ReferenceKind::kModule:
      return "module." + name + KeyText(ref.key) +
             (ref.output.empty() ? "" : "." + std::string(ref.output));
    case config::ReferenceKind::kSelf:
      return "self";
    default:
      break;
  }
  std::string_view prefix;
  if (ref.mode != ResourceMode::kManaged) {
    prefix = ref.mode == ResourceMode::kData ? "data." : "ephemeral.";
  }
  return std::string(prefix) + std::string(ref.type) + "." + name + KeyText(ref.key);
}

void Reference(Reading& in, bool testing) {
  // Any name can be taken from these: whether there is one is asked later.
  constexpr std::string_view kObjects[] = {"count", "each", "path", "terraform", "tofu"};
  const hcl::TraversalExpr& traversal = in.traversal;
  const std::string_view root = traversal.root;
  if (std::ranges::find(kObjects, root) != std::end(kObjects) ||
      (testing && (root == "output" || root == "check"))) {
    if (const auto range = config::ParseMember(traversal, &in.response.diags)) {
      AnswerReference(std::string(root) + "." + std::string(traversal.steps[0].name()), *range,
                      traversal.steps.subspan(1), in.response);
    }
    return;
  }
  const config::ParsedReference ref = config::ParseReference(traversal, &in.response.diags);
  if (ref.kind == config::ReferenceKind::kInvalid) {
    return;
  }
  // The key of an object is a step of its own that `consumed` counts before an output only.
  const size_t read = ref.consumed + (ref.key != nullptr && ref.output.empty() ? 1U : 0U);
  AnswerReference(SubjectOf(ref), ref.range, traversal.steps.subspan(read), in.response);
}

// --- Sources. ---

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
  void (*read)(Reading& in);
};
constexpr GrammarRow kGrammars[] = {
    {"reference", [](Reading& in) { Reference(in, false); }},
    {"reference-testing", [](Reading& in) { Reference(in, true); }},
    {"target", Target},
    {"resource", [](Reading& in) { Resource(in, false); }},
    {"resource-instance", [](Reading& in) { Resource(in, true); }},
    {"config-resource", ConfigResource},
    {"module", [](Reading& in) { in.AnswerIf(in.Address(AddressKeys::kRefused).ReadModule()); }},
    {"module-instance", ModuleInstance},
    {"output", Output},
    {"move-endpoint",
     [](Reading& in) { in.AnswerIf(in.Address(AddressKeys::kAllowed).ReadEndpoint()); }},
    {"remove-endpoint",
     [](Reading& in) {
       in.AnswerIf(config::ReadRemoveEndpoint(in.program, in.traversal, in.response.diags));
     }},
    {"provider-config", [](Reading& in) { ProviderConfig(in, false); }},
    {"provider-config-instance", [](Reading& in) { ProviderConfig(in, true); }},
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
    if (traversal != nullptr && !response.diags.has_errors()) {
      Reading in{*traversal, response};
      row.read(in);
    }
    return {};
  }
  return Fail(ErrorCode::kInvalid, "no such address grammar: " + std::string(as));
}

}  // namespace kinu::eval
