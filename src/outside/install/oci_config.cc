#include "install/oci_config.h"

#include <algorithm>
#include <set>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "cty/conversion.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "install/hcl1_form.h"
#include "lang/eval.h"

namespace kinu::install {
namespace {

constexpr const char* kTemplateSummary = "Invalid oci_mirror repository template";

/// One block with its name and position in messages.
class OciBlock {
 public:
  OciBlock(std::string name, std::string place, Diagnostics& diags)
      : name_(std::move(name)), place_(std::move(place)), diags_(diags) {}

  void Error(const std::string& what) {
    diags_.Error("Invalid " + name_ + " block",
                 "The " + name_ + " block at " + place_ + ' ' + what);
  }

  /// Whether the arguments have their types; reports it if not.
  bool Fits(const Hcl1Value& body, const Hcl1Form& form) {
    const std::string problem = Hcl1Misfit(body, form);
    if (!problem.empty()) {
      Error("is not valid: " + problem + ".");
    }
    return problem.empty();
  }

  void CheckHelper(const std::string& name) {
    if (name.empty() || name.find('/') != std::string::npos) {
      Error("specifies the invalid Docker credential helper name \"" + name +
            "\". It must be a part of the name of a program.");
    }
  }

 private:
  std::string name_;
  std::string place_;
  Diagnostics& diags_;
};

constexpr Hcl1Form::Member kCredentialsMembers[] = {{"username", &kHcl1Text},
                                                    {"password", &kHcl1Text},
                                                    {"access_token", &kHcl1Text},
                                                    {"refresh_token", &kHcl1Text},
                                                    {"docker_credentials_helper", &kHcl1Text}};
constexpr Hcl1Form kCredentials{.type = Hcl1Form::Type::kBlock, .members = kCredentialsMembers};
constexpr Hcl1Form::Member kDefaultMembers[] = {{"discover_ambient_credentials", &kHcl1Bool},
                                                {"docker_style_config_files", &kHcl1Texts},
                                                {"docker_credentials_helper", &kHcl1Text}};
constexpr Hcl1Form kDefaults{.type = Hcl1Form::Type::kBlock, .members = kDefaultMembers};

/// An argument of the form kHcl1Text; nothing if it is missing.
std::optional<std::string> TextOf(const Hcl1Value& body, std::string_view name) {
  const Hcl1Value* value = FindHcl1(body, name);
  return value != nullptr ? std::optional(value->text) : std::nullopt;
}

bool IsBlock(const Hcl1Item& item, bool is_json, OciBlock& block) {
  if (item.assigned && !is_json) {
    block.Error("must not be introduced with an equals sign.");
    return false;
  }
  if (!item.value.is_object()) {
    block.Error("must be represented by a JSON object.");
    return false;
  }
  return true;
}

std::optional<OciCredentialsBlock> ReadCredentials(const std::string& prefix, const Hcl1Value& body,
                                                   OciBlock& block, const Diagnostics& diags) {
  const size_t errors = diags.error_count();
  const auto repository = ParseOciRepository(prefix);
  if (!repository) {
    block.Error("has an invalid block label: " + repository.error().message + ".");
    return std::nullopt;
  }
  if (!block.Fits(body, kCredentials)) {
    return std::nullopt;
  }
  const auto username = TextOf(body, "username");
  const auto password = TextOf(body, "password");
  const auto access = TextOf(body, "access_token");
  const auto refresh = TextOf(body, "refresh_token");
  const auto helper = TextOf(body, "docker_credentials_helper");
  const bool has_user = username || password;
  const bool has_token = access || refresh;
  const int groups = (has_user ? 1 : 0) + (has_token ? 1 : 0) + (helper ? 1 : 0);
  if (groups != 1) {
    block.Error(std::string(groups == 0 ? "must set either" : "must set only one group out of") +
                " username+password, access_token+refresh_token, or docker_credentials_helper.");
    return std::nullopt;
  }
  if ((has_user && !(username && password)) || (has_token && !(access && refresh))) {
    block.Error(has_user ? "must set both username and password together."
                         : "must set both access_token and refresh_token together.");
    return std::nullopt;
  }
  if (helper && !repository->name.empty()) {
    block.Error(
        "cannot set docker_credentials_helper with a repository path: credential helpers "
        "only support credentials for whole domains.");
  }
  if (helper) {
    block.CheckHelper(*helper);
  }
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  return OciCredentialsBlock{.prefix = prefix,
                             .username = username.value_or(""),
                             .password = password.value_or(""),
                             .access_token = access.value_or(""),
                             .refresh_token = refresh.value_or(""),
                             .helper = helper.value_or("")};
}

/// A template of addresses as a tree.
struct ParsedTemplate {
  Ref<const SourceFile> source;
  hcl::SyntaxTree tree;
  const hcl::Expr* expr = nullptr;

  ParsedTemplate(const std::string& text, Diagnostics& diags)
      : source(SourceFile::Make("<oci_mirror repository_template>", text)),
        expr(hcl::ParseTemplate(source.get(), tree, diags)) {}
};

/// Evaluates a template; nothing after errors, which have no source of their own.
std::optional<std::string> Evaluated(const hcl::Expr& expr, std::string_view host,
                                     std::string_view space, std::string_view type,
                                     Diagnostics& diags) {
  FlatMap<std::string, Value> variables;
  variables["hostname"] = Value::String(host);
  variables["namespace"] = Value::String(space);
  variables["type"] = Value::String(type);
  const functions::CallContext context;
  const lang::VariableScope scope(&variables, nullptr, context);
  const size_t errors = diags.error_count();
  const Value value = lang::Evaluate(expr, scope, diags);
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  const auto text = Convert(value, Type::String());
  if (!text || !text->IsKnown() || text->IsNull()) {
    diags.Error(kTemplateSummary, "The template must give a text.");
    return std::nullopt;
  }
  return std::string(text->AsString());
}

/// The parts of the patterns of an `include` argument that are no wildcards.
struct IncludedParts {
  std::set<std::string_view> hosts;
  std::set<std::string_view> spaces;
  std::set<std::string_view> types;

  explicit IncludedParts(const std::vector<std::string>& patterns) {
    for (std::string_view pattern : patterns) {
      const size_t last = pattern.rfind('/');
      const size_t first = last == 0 ? std::string_view::npos : pattern.rfind('/', last - 1);
      const bool has_host = first != std::string_view::npos;
      Insert(hosts, has_host ? pattern.substr(0, first) : kDefaultRegistryHost);
      Insert(spaces,
             has_host ? pattern.substr(first + 1, last - first - 1) : pattern.substr(0, last));
      Insert(types, pattern.substr(last + 1));
    }
  }

 private:
  static void Insert(std::set<std::string_view>& set, std::string_view part) {
    if (part != "*") {
      set.insert(part);
    }
  }
};

}  // namespace

void ReadOciDefaultCredentials(const Hcl1Item& item, bool is_json, const std::string& path,
                               CliConfig& config, Diagnostics& diags) {
  OciBlock block("oci_default_credentials", item.Place(), diags);
  if (!IsBlock(item, is_json, block)) {
    return;
  }
  if (!item.labels().empty()) {
    block.Error("must not have any labels.");
    return;
  }
  if (!block.Fits(item.value, kDefaults)) {
    return;
  }
  OciDefaultCredentials out;
  if (const auto discover = TextOf(item.value, "discover_ambient_credentials")) {
    out.discover = *discover == "true";
  }
  if (FindHcl1(item.value, "docker_style_config_files") != nullptr) {
    out.files.emplace();
    for (const std::string& file : Hcl1Texts(item.value, "docker_style_config_files")) {
      out.files->push_back(
          AbsolutePath(file.starts_with('/') ? file : JoinPath(DirName(path), file)));
    }
  }
  if (const auto helper = TextOf(item.value, "docker_credentials_helper")) {
    out.helper = *helper;
    block.CheckHelper(*helper);
  }
  if (!out.discover && out.files) {
    block.Error(
        "disables discovery of ambient credentials, but also sets "
        "docker_style_config_files, which is relevant only for that discovery.");
  }
  if (config.oci_default_credentials) {
    config.repeated_blocks.insert("oci_default_credentials");
    return;
  }
  config.oci_default_credentials = std::move(out);
}

void ReadOciCredentials(const Hcl1Item& item, bool is_json, CliConfig& config, Diagnostics& diags) {
  OciBlock block("oci_credentials", item.Place(), diags);
  const auto add = [&](const std::string& prefix, const Hcl1Value& body) {
    auto read = ReadCredentials(prefix, body, block, diags);
    if (!read) {
      return;
    }
    if (std::ranges::find(config.oci_credentials, prefix, &OciCredentialsBlock::prefix) !=
        config.oci_credentials.end()) {
      diags.Error("Duplicate oci_credentials block for \"" + prefix + '"', {});
      return;
    }
    config.oci_credentials.push_back(*std::move(read));
  };
  if (!is_json && item.labels().size() != 1) {
    block.Error("must have one label, giving an OCI repository address prefix.");
    return;
  }
  if (!IsBlock(item, is_json, block)) {
    return;
  }
  if (!item.labels().empty()) {
    add(item.labels()[0].text, item.value);
    return;
  }
  if (item.value.items.empty()) {
    block.Error("must have one label, giving an OCI repository address prefix.");
  }
  for (const Hcl1Item& inner : item.value.items) {
    if (IsBlock(inner, is_json, block)) {
      add(inner.key(), inner.value);
    }
  }
}

namespace {

/// Whether the text can name a variable of a URI template. Ref: RFC 6570, 2.3.
bool IsUriVariable(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  });
}

/// Whether a variable has a value; others stand for nothing.
bool HasValue(std::string_view name) {
  return name == "hostname" || name == "namespace" || name == "type";
}

}  // namespace

std::string UriTemplateProblem(std::string_view uri_template) {
  for (size_t at = 0; (at = uri_template.find_first_of("{}", at)) != std::string_view::npos; ++at) {
    const size_t end = uri_template.find('}', at);
    if (uri_template[at] == '}' || end == std::string_view::npos) {
      return "a brace has no partner";
    }
    const std::string_view name = uri_template.substr(at + 1, end - at - 1);
    if (!IsUriVariable(name)) {
      return "{" + std::string(name) + "} names no variable";
    }
    at = end;
  }
  return {};
}

std::string TemplateOfUri(std::string_view uri_template) {
  std::string out;
  for (size_t at = 0; at < uri_template.size(); ++at) {
    const char c = uri_template[at];
    if (c == '{') {
      const size_t end = uri_template.find('}', at);
      if (end != std::string_view::npos && !HasValue(uri_template.substr(at + 1, end - at - 1))) {
        at = end;
        continue;
      }
      out += '$';
    } else if (c == '$' || c == '%') {
      out += c;  // a sequence in a template begins with one of these
    }
    out += c;
  }
  return out;
}

void CheckOciTemplate(const InstallMethod& method, const std::string& place, CliConfig& config,
                      Diagnostics& diags) {
  const size_t errors = diags.error_count();
  const ParsedTemplate parsed(method.location, diags);
  config.sources.push_back(parsed.source);
  if (diags.error_count() != errors) {
    return;
  }
  const auto report = [&](const std::string& what) {
    diags.Error(kTemplateSummary, "Invalid oci_mirror block at " + place + ": " + what);
  };
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(*parsed.expr, traversals);
  std::set<std::string_view> used;
  for (const hcl::TraversalExpr* traversal : traversals) {
    const std::string_view name = traversal->root;
    if (name == "hostname" || name == "namespace" || name == "type") {
      used.insert(name);
      continue;
    }
    report("the symbol \"" + std::string(name) +
           "\" is not available for an OCI mirror repository address template. Only \"hostname\", "
           "\"namespace\", and \"type\" are available.");
  }
  const IncludedParts included(method.include);
  const auto require = [&](std::string_view symbol, const std::set<std::string_view>& parts,
                           std::string_view what) {
    if (!used.contains(symbol) && parts.size() != 1) {
      report("the template must refer to the \"" + std::string(symbol) +
             "\" symbol unless the \"include\" argument selects exactly one " + std::string(what) +
             ".");
    }
  };
  require("hostname", included.hosts, "registry hostname");
  require("namespace", included.spaces, "provider namespace");
  require("type", included.types, "provider");
  if (diags.error_count() != errors) {
    return;
  }
  const auto example =
      Evaluated(*parsed.expr, "example.com", "example-namespace", "example-type", diags);
  if (example && !ParseOciRepository(*example)) {
    report(
        "the template must give a valid OCI repository address, which is a registry hostname "
        "followed by a slash and a repository name.");
  }
}

Result<OciRepository> ExpandOciTemplate(const std::string& text, const std::string& address) {
  Diagnostics diags;
  const ParsedTemplate parsed(text, diags);
  const ProviderAddress provider = SplitProviderAddress(address);
  std::optional<std::string> expanded;
  if (!diags.has_errors()) {
    expanded = Evaluated(*parsed.expr, provider.host, provider.space, provider.type, diags);
  }
  if (!expanded) {
    return Fail(ErrorCode::kInvalid, "the repository template fails: " +
                                         (diags.empty() ? "" : diags.list().front().summary));
  }
  KINU_TRY(OciRepository repository, ParseOciRepository(*expanded));
  if (repository.name.empty()) {
    return Fail(ErrorCode::kInvalid, "\"" + *expanded + "\" names no repository");
  }
  return repository;
}

}  // namespace kinu::install
