// Addresses as traversals. Ref: opentofu internal/addrs move_endpoint.go, remove_endpoint.go,
// parse_target.go, module_instance.go.
#include "config/address.h"
#include "config/blocks/blocks.h"
#include "hcl/parse.h"

namespace kinu::config {
namespace {

std::string_view MissingType(ResourceMode mode) {
  switch (mode) {
    case ResourceMode::kData:
      return "A data source name is required.";
    case ResourceMode::kEphemeral:
      return "An ephemeral resource name is required.";
    case ResourceMode::kManaged:
      break;
  }
  return "A resource type name is required.";
}

}  // namespace

bool AddressReader::Fail(std::string_view summary, std::string_view detail,
                         const SourceRange& range) {
  diags_.Error(std::string(summary), std::string(detail), range);
  return false;
}

std::optional<InstanceKey> AddressReader::Key(size_t i) const {
  const Value& key = KeyValue(i);
  if (!key.IsNull() && key.type() == Type::String()) {
    return InstanceKey::String(program_.Intern(key.AsString()));
  }
  if (!key.IsNull() && key.type() == Type::Number() && key.AsInt64()) {
    return InstanceKey::Int(*key.AsInt64());
  }
  return std::nullopt;
}

bool AddressReader::ReadModules() {
  constexpr std::string_view kSummary = "Invalid address operator";
  const size_t errors = diags_.error_count();
  while (!at_end()) {
    if (!IsName(at_)) {
      return Fail(kSummary, "Module address prefix must be followed by dot and then a name.",
                  Range(at_));
    }
    if (Name(at_) != "module") {
      break;
    }
    const size_t name = at_ + 1;
    if (!IsName(name)) {
      return Fail(kSummary, "Prefix \"module.\" must be followed by a module name.",
                  Range(name < size() ? name : at_));
    }
    if (diags_.error_count() != errors) {
      break;
    }
    at_ += 2;
    InstanceKey key;
    const bool every = IsEveryKey(at_);
    if (every) {
      ++at_;
    } else if (IsKey(at_)) {
      if (keys_ == AddressKeys::kRefused) {
        return Fail("Module instance address with keys is not allowed",
                    "Module address cannot be a module instance (e.g. \"module.a[0]\"), it must "
                    "be a module instead (e.g. \"module.a\").",
                    Range(at_));
      }
      has_module_keys_ = true;
      if (const std::optional<InstanceKey> given = Key(at_)) {
        key = *given;
      } else {
        // What follows may be wrong, too.
        Fail(kSummary, "Invalid module key: must be either a string or an integer.", Range(at_));
      }
      ++at_;
    }
    key_patterns_.push_back({key, every});
    endpoint_.module = program_.ModuleInstance(endpoint_.module, program_.Intern(Name(name)), key);
  }
  return diags_.error_count() == errors;
}

bool AddressReader::ReadResource() {
  Endpoint& out = endpoint_;
  if (IsName(at_) && (Name(at_) == "data" || Name(at_) == "ephemeral")) {
    out.resource.mode = Name(at_) == "data" ? ResourceMode::kData : ResourceMode::kEphemeral;
    ++at_;
  }
  if (size() - at_ < 2) {
    return Fail("Invalid address", "Resource specification must include a resource type and name.",
                RangeFrom(at_));
  }
  for (size_t i : {at_, at_ + 1}) {
    if (!IsName(i)) {
      return Fail("Invalid address",
                  i == at_ ? MissingType(out.resource.mode) : "A resource name is required.",
                  Range(i));
    }
  }
  out.resource.type = program_.Intern(Name(at_));
  out.resource.name = program_.Intern(Name(at_ + 1));
  at_ += 2;
  if (at_end()) {
    key_patterns_.emplace_back();
    return true;
  }
  if (size() - at_ > 1) {
    return Fail("Invalid address", "Unexpected extra operators after address.", Range(at_ + 1));
  }
  if (keys_ == AddressKeys::kRefused) {
    return Fail("Resource instance address with keys is not allowed",
                "Resource address cannot be a resource instance (e.g. \"null_resource.a[0]\"), "
                "it must be a resource instead (e.g. \"null_resource.a\").",
                Range(at_));
  }
  if (IsEveryKey(at_)) {
    key_patterns_.push_back({.key = {}, .every = true});
    return true;
  }
  std::optional<InstanceKey> key;
  if (IsKey(at_)) {
    key = Key(at_);
  }
  if (!key) {
    return Fail("Invalid address", "Resource instance key must be given in square brackets.",
                Range(at_));
  }
  out.key = *key;
  key_patterns_.push_back({*key, false});
  return true;
}

std::optional<Endpoint> AddressReader::ReadEndpoint() {
  if (!ReadModules()) {
    return std::nullopt;
  }
  endpoint_.is_module = at_end();
  if (!at_end() && !ReadResource()) {
    return std::nullopt;
  }
  return endpoint_;
}

std::optional<Endpoint> AddressReader::ReadModule() {
  if (!ReadModules()) {
    return std::nullopt;
  }
  if (!at_end()) {
    Fail("Module address expected",
         "It's not allowed to reference anything other than module here.", Range(at_));
    return std::nullopt;
  }
  endpoint_.is_module = true;
  return endpoint_;
}

std::optional<Endpoint> ReadRemoveEndpoint(Program& program, const hcl::TraversalExpr& traversal,
                                           Diagnostics& diags) {
  std::optional<Endpoint> from =
      AddressReader(program, traversal, AddressKeys::kRefused, diags).ReadEndpoint();
  if (from && !from->is_module && from->resource.mode != ResourceMode::kManaged) {
    diags.Error(
        from->resource.mode == ResourceMode::kData ? "Data source address is not allowed"
                                                   : "Ephemeral resource address is not allowed",
        "Only managed resources can be removed: others are never destroyed.", traversal.range());
    return std::nullopt;
  }
  return from;
}

std::optional<Endpoint> ParseAddress(Program& program, const SourceFile* source,
                                     Diagnostics& diags) {
  hcl::SyntaxTree tree;
  const size_t errors = diags.error_count();
  const hcl::TraversalExpr* traversal = hcl::ParseTraversal(source, tree, false, diags);
  if (traversal == nullptr || diags.error_count() != errors) {
    return std::nullopt;
  }
  return AddressReader(program, *traversal, AddressKeys::kAllowed, diags).ReadEndpoint();
}

}  // namespace kinu::config
