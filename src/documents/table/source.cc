#include "table/source.h"

#include <charconv>
#include <utility>

#include "addrs/address.h"
#include "tfjson/format.h"

namespace kinu::table {

using json::Node;

std::string_view TextOf(const Node& text, std::string& scratch) {
  return text && text.is_string() ? text.String(scratch) : std::string_view();
}

std::string_view TextOf(const Node& object, std::string_view name, std::string& scratch) {
  return object ? TextOf(object.Find(name), scratch) : std::string_view();
}

std::optional<int64_t> IntegerOf(const Node& number) {
  if (!number || !number.is_number()) {
    return std::nullopt;
  }
  int64_t value = 0;
  const std::string_view text = number.text();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

namespace {

bool Has(const Node& object, std::string_view name) {
  return static_cast<bool>(object.Find(name));
}

Result<DocumentKind> KindOf(const Node& root) {
  constexpr int64_t kStateFileVersion = 4;
  // Before version 4 a state file had modules with resources in them.
  if (root.is_object() && Has(root, "version") &&
      (Has(root, "resources") || Has(root, "modules"))) {
    if (IntegerOf(root.Find("version")) != kStateFileVersion) {
      return Fail(ErrorCode::kUnsupported, "it is a state file, but not of version 4");
    }
    return DocumentKind::kStateFile;
  }
  KINU_TRY(const tfjson::FormatVersion version, tfjson::FormatVersionOf(root));
  (void)version;
  const bool plan = Has(root, "planned_values") || Has(root, "resource_changes") ||
                    Has(root, "output_changes") || Has(root, "configuration") ||
                    Has(root, "prior_state");
  return plan ? DocumentKind::kPlan : DocumentKind::kState;
}

/// Visits the resources of a state file, which may have none.
template <typename Visit>
void ForEachResourceOfFile(const Node& root, const Visit& visit) {
  if (const Node resources = root.Find("resources")) {
    for (const Node resource : resources.elements()) {
      visit(resource);
    }
  }
}

/// The values that a state file calls sensitive: outputs by masks, attributes by paths.
tfjson::Secrets SecretsOfStateFile(const Node& root) {
  tfjson::Secrets secrets;
  if (const Node outputs = root.Find("outputs")) {
    secrets.AddMarkedIn(outputs);
  }
  ForEachResourceOfFile(root, [&](const Node& resource) {
    const Node instances = resource.Find("instances");
    if (!instances) {
      return;
    }
    for (const Node instance : instances.elements()) {
      const auto [paths, values] = instance.FindEach({"sensitive_attributes", "attributes"});
      if (paths && values) {
        ForEachAtPaths(paths, values, [&](const Node& value) { secrets.Add(value); });
      }
    }
  });
  return secrets;
}

}  // namespace

Result<std::unique_ptr<Source>> Source::Read(std::string name, std::string text,
                                             const SourceOptions& options) {
  KINU_TRY(std::unique_ptr<json::Document> document, json::Document::Parse(std::move(text)));
  KINU_TRY(const DocumentKind kind, KindOf(document->root()));
  return std::unique_ptr<Source>(new Source(std::move(name), std::move(document), kind, options));
}

Source::Source(std::string name, std::unique_ptr<json::Document> document, DocumentKind kind,
               const SourceOptions& options)
    : name_(std::move(name)), document_(std::move(document)), kind_(kind) {
  std::string scratch;
  version_ = TextOf(root(), "terraform_version", scratch);
  lineage_ = TextOf(root(), "lineage", scratch);
  serial_ = IntegerOf(root().Find("serial"));
  if (!options.show_sensitive) {
    redaction_ = Redaction(kind == DocumentKind::kStateFile ? SecretsOfStateFile(root())
                                                            : tfjson::Secrets(root()));
  }
  const Node resources = root().Find("resources");
  if (kind == DocumentKind::kStateFile && resources && HasWrapped(resources)) {
    redaction_.Unwrap();
  }
}

Node Source::configuration() const {
  const Node configuration = root().Find("configuration");
  return configuration ? configuration : root().Find("config");
}

BatchWriter& Source::BeginRow(BatchWriter& rows) const {
  rows.Text(name_).TextOrNull(lineage_);
  (serial_ ? rows.Integer(*serial_) : rows.Null()).TextOrNull(version_);
  return rows;
}

void Source::ForEachResource(const std::function<void(const ResourceView&)>& visit) const {
  if (kind_ == DocumentKind::kStateFile) {
    VisitStateFile(visit);
    return;
  }
  const Node state = kind_ == DocumentKind::kPlan ? root().Find("prior_state") : root();
  const Node values = state && state.is_object() ? state.Find("values") : Node();
  const Node module = values && values.is_object() ? values.Find("root_module") : Node();
  if (module) {
    VisitModule(module, visit);
  }
}

void Source::VisitModule(const Node& module,
                         const std::function<void(const ResourceView&)>& visit) const {
  std::string scratch[8];
  ResourceView view;
  view.module = TextOf(module, "address", scratch[0]);
  if (const Node resources = module.Find("resources")) {
    for (const Node resource : resources.elements()) {
      const auto [address, mode, type, name, index, provider, version, tainted, deposed, values,
                  mask, depends_on] =
          resource.FindEach({"address", "mode", "type", "name", "index", "provider_name",
                             "schema_version", "tainted", "deposed_key", "values",
                             "sensitive_values", "depends_on"});
      view.address = TextOf(address, scratch[1]);
      view.mode = TextOf(mode, scratch[2]);
      view.type = TextOf(type, scratch[3]);
      view.name = TextOf(name, scratch[4]);
      view.index = index;
      view.provider = TextOf(provider, scratch[5]);
      view.schema_version = version;
      view.tainted = tainted && tainted.is_true();
      view.deposed = TextOf(deposed, scratch[6]);
      view.values = values;
      view.mask = Mask::Over(mask);
      view.depends_on = depends_on;
      visit(view);
    }
  }
  if (const Node children = module.Find("child_modules")) {
    for (const Node child : children.elements()) {
      VisitModule(child, visit);
    }
  }
}

namespace {

/// The source address in `provider["host/space/type"].alias`, of a module or not.
std::string_view ProviderOf(std::string_view address) {
  const size_t begin = address.find("provider[\"");
  if (begin == std::string_view::npos) {
    return address;
  }
  address.remove_prefix(begin + std::string_view("provider[\"").size());
  return address.substr(0, address.find('"'));
}

/// `module.a.data.t.n[0]`
std::string AddressOf(const ResourceView& view) {
  std::string address(view.module);
  address += address.empty() ? "" : ".";
  if (view.mode != ModeName(ResourceMode::kManaged)) {
    address += std::string(view.mode) + '.';
  }
  address += view.type;
  address += '.';
  address += view.name;
  if (view.index && !view.index.is_null()) {
    address += '[';
    address +=
        view.index.is_string() ? QuoteKey(view.index.String()) : std::string(view.index.text());
    address += ']';
  }
  return address;
}

}  // namespace

void Source::VisitStateFile(const std::function<void(const ResourceView&)>& visit) const {
  std::string scratch[8];
  ForEachResourceOfFile(root(), [&](const Node& resource) {
    ResourceView view;
    view.module = TextOf(resource, "module", scratch[0]);
    view.mode = TextOf(resource, "mode", scratch[1]);
    view.type = TextOf(resource, "type", scratch[2]);
    view.name = TextOf(resource, "name", scratch[3]);
    const std::string_view whole = TextOf(resource, "provider", scratch[4]);
    const Node instances = resource.Find("instances");
    if (!instances) {
      return;
    }
    for (const Node instance : instances.elements()) {
      std::string scratch_of_instance[3];
      const auto [provider, index, version, status, deposed, values, paths, depends_on] =
          instance.FindEach({"provider", "index_key", "schema_version", "status", "deposed",
                             "attributes", "sensitive_attributes", "dependencies"});
      const std::string_view own = TextOf(provider, scratch_of_instance[0]);
      view.provider = ProviderOf(own.empty() ? whole : own);
      view.index = index;
      view.schema_version = version;
      view.tainted = TextOf(status, scratch_of_instance[1]) == "tainted";
      view.deposed = TextOf(deposed, scratch_of_instance[2]);
      view.values = values;
      view.mask = Mask::OfPaths(paths);
      view.depends_on = depends_on;
      const std::string address = AddressOf(view);
      view.address = address;
      visit(view);
    }
  });
}

}  // namespace kinu::table
