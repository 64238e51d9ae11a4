// Addresses in `moved`, `removed` and `import` blocks. Ref: opentofu internal/addrs
// move_endpoint.go, remove_endpoint.go, parse_target.go, module_instance.go.
#include "config/address.h"
#include "config/blocks/blocks.h"
#include "hcl/parse.h"

namespace kinu::config {
namespace {

using Step = hcl::TraversalStep;

/// Reads an address step by step. Position 0 is the root name, position i is step i - 1.
class EndpointReader {
 public:
  EndpointReader(BlockReader& reader, const hcl::TraversalExpr& traversal, bool allow_keys)
      : reader_(reader), traversal_(traversal), allow_keys_(allow_keys) {}

  std::optional<Endpoint> Read();
  std::optional<Endpoint> ReadModule();

 private:
  bool ReadModules(Endpoint& out);
  bool ReadResource(Endpoint& out);

  size_t size() const { return traversal_.steps.size() + 1; }
  bool at_end() const { return at_ == size(); }
  const Step& step(size_t i) const { return traversal_.steps[i - 1]; }
  bool IsName(size_t i) const {
    return i < size() && (i == 0 || step(i).kind == Step::Kind::kAttribute);
  }
  bool IsKey(size_t i) const { return i > 0 && i < size() && step(i).kind == Step::Kind::kIndex; }
  std::string_view Name(size_t i) const { return i == 0 ? traversal_.root.view() : step(i).name(); }
  SourceRange Range(size_t i) const {
    return i == 0 ? traversal_.root_range() : traversal_.step_range(step(i));
  }
  SourceRange RangeFrom(size_t i) const {
    return {traversal_.file(), Range(i).begin, Range(size() - 1).end};
  }
  bool ReportError(std::string_view summary, std::string_view detail, const SourceRange& range) {
    reader_.diags.Error(std::string(summary), std::string(detail), range);
    return false;
  }
  std::optional<InstanceKey> Key(size_t i) {
    const Value& key = *step(i).key();
    if (!key.IsNull() && key.type() == Type::String()) {
      return InstanceKey::String(reader_.Intern(key.AsString()));
    }
    if (!key.IsNull() && key.type() == Type::Number() && key.AsInt64()) {
      return InstanceKey::Int(*key.AsInt64());
    }
    return std::nullopt;
  }

  BlockReader& reader_;
  const hcl::TraversalExpr& traversal_;
  bool allow_keys_;
  size_t at_ = 0;
};

bool EndpointReader::ReadModules(Endpoint& out) {
  while (!at_end() && IsName(at_) && Name(at_) == "module") {
    const size_t name = at_ + 1;
    if (name >= size()) {
      return ReportError("Invalid address operator",
                         "Prefix \"module.\" must be followed by a module name.", Range(at_));
    }
    if (!IsName(name)) {
      return ReportError("Invalid address operator",
                         "Prefix \"module.\" must be followed by a module name.", Range(name));
    }
    at_ += 2;
    InstanceKey key;
    if (IsKey(at_)) {
      if (!allow_keys_) {
        return ReportError(
            "Module instance address with keys is not allowed",
            "Module address cannot be a module instance (e.g. \"module.a[0]\"), it must "
            "be a module instead (e.g. \"module.a\").",
            Range(at_));
      }
      std::optional<InstanceKey> given = Key(at_);
      if (!given) {
        return ReportError("Invalid address operator",
                           "Invalid module key: must be either a string or an integer.",
                           Range(at_));
      }
      key = *given;
      ++at_;
    }
    out.module = reader_.program.ModuleInstance(out.module, reader_.Intern(Name(name)), key);
  }
  return true;
}

bool EndpointReader::ReadResource(Endpoint& out) {
  if (IsName(at_) && (Name(at_) == "data" || Name(at_) == "ephemeral")) {
    out.resource.mode = Name(at_) == "data" ? ResourceMode::kData : ResourceMode::kEphemeral;
    ++at_;
  }
  if (size() - at_ < 2) {
    return ReportError("Invalid address",
                       "Resource specification must include a resource type and name.",
                       at_end() ? traversal_.range() : RangeFrom(at_));
  }
  for (size_t i : {at_, at_ + 1}) {
    if (!IsName(i)) {
      return ReportError("Invalid address",
                         i != at_ ? "A resource name is required."
                         : out.resource.mode == ResourceMode::kData
                             ? "A data source name is required."
                         : out.resource.mode == ResourceMode::kEphemeral
                             ? "An ephemeral resource name is required."
                             : "A resource type name is required.",
                         Range(i));
    }
  }
  out.resource.type = reader_.Intern(Name(at_));
  out.resource.name = reader_.Intern(Name(at_ + 1));
  at_ += 2;
  if (at_end()) {
    return true;
  }
  if (size() - at_ > 1) {
    return ReportError("Invalid address", "Unexpected extra operators after address.",
                       Range(at_ + 1));
  }
  if (!allow_keys_) {
    return ReportError(
        "Resource instance address with keys is not allowed",
        "Resource address cannot be a resource instance (e.g. \"null_resource.a[0]\"), "
        "it must be a resource instead (e.g. \"null_resource.a\").",
        Range(at_));
  }
  std::optional<InstanceKey> key;
  if (IsKey(at_)) {
    key = Key(at_);
  }
  if (!key) {
    return ReportError("Invalid address", "Resource instance key must be given in square brackets.",
                       Range(at_));
  }
  out.key = *key;
  return true;
}

std::optional<Endpoint> EndpointReader::Read() {
  Endpoint out;
  out.range = traversal_.range();
  if (!ReadModules(out)) {
    return std::nullopt;
  }
  if (at_end()) {
    out.is_module = true;
    return out;
  }
  if (!ReadResource(out)) {
    return std::nullopt;
  }
  return out;
}

std::optional<Endpoint> EndpointReader::ReadModule() {
  Endpoint out;
  out.range = traversal_.range();
  out.is_module = true;
  if (!ReadModules(out)) {
    return std::nullopt;
  }
  if (!at_end()) {
    ReportError("Module address expected",
                "It's not allowed to reference anything other than module here.", Range(at_));
    return std::nullopt;
  }
  return out;
}

}  // namespace

std::optional<Endpoint> ReadModuleAddress(BlockReader& reader,
                                          const hcl::TraversalExpr& traversal) {
  return EndpointReader(reader, traversal, false).ReadModule();
}

std::optional<Endpoint> ReadEndpoint(BlockReader& reader, const hcl::TraversalExpr& traversal,
                                     bool allow_keys) {
  return EndpointReader(reader, traversal, allow_keys).Read();
}

std::optional<Endpoint> ParseAddress(Program& program, const SourceFile* source,
                                     Diagnostics& diags) {
  hcl::SyntaxTree tree;
  const size_t errors = diags.error_count();
  const hcl::TraversalExpr* traversal = hcl::ParseTraversal(source, tree, false, diags);
  if (traversal == nullptr || diags.error_count() != errors) {
    return std::nullopt;
  }
  FileContent content;
  Diagnostics incompatible;
  BlockReader reader{program, tree, content, diags, incompatible};
  return ReadEndpoint(reader, *traversal, true);
}

}  // namespace kinu::config
