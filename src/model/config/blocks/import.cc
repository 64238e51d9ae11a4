// `import` blocks. Ref: opentofu internal/configs/import.go.
#include "config/address.h"
#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr hcl::AttributeSchema kArguments[] = {
    {"provider"}, {"id"}, {"identity"}, {"to", true}, {"for_each"}};

/// Collects the steps of an address, leaving out its keys, which may be any expression. Returns the
/// expression at the root if that is no name, else null. Ref: configs.absTraversalForImportToExpr.
const hcl::Expr* CollectSteps(const hcl::Expr& expr, const hcl::TraversalExpr*& root,
                              std::vector<hcl::TraversalStep>& steps, int depth = 0) {
  constexpr int kDeepest = 100;
  if (depth > kDeepest) {
    return &expr;
  }
  switch (expr.kind) {
    case hcl::ExprKind::kTraversal:
      root = static_cast<const hcl::TraversalExpr*>(&expr);
      steps.assign(root->steps.begin(), root->steps.end());
      return nullptr;
    case hcl::ExprKind::kIndex:
      return CollectSteps(*static_cast<const hcl::IndexExpr&>(expr).collection, root, steps,
                          depth + 1);
    case hcl::ExprKind::kRelative: {
      const auto& relative = static_cast<const hcl::RelativeExpr&>(expr);
      const hcl::Expr* wrong = CollectSteps(*relative.source, root, steps, depth + 1);
      if (wrong == nullptr) {
        steps.insert(steps.end(), relative.steps.begin(), relative.steps.end());
      }
      return wrong;
    }
    default:
      return &expr;
  }
}

/// Reads `to`. `errors`: before the block. False if the rest of the block cannot be checked.
bool ReadTarget(BlockReader& reader, const hcl::Expr& given, size_t errors, Import& import) {
  const hcl::Expr* expr = ExpressionInString(reader, given, errors);
  if (expr == nullptr) {
    return false;
  }
  import.to = expr;
  const hcl::TraversalExpr* root = nullptr;
  std::vector<hcl::TraversalStep> steps;
  if (const hcl::Expr* wrong = CollectSteps(*expr, root, steps)) {
    reader.diags.Error("Invalid import address expression",
                       "Import address must be a reference to a resource's address, and only "
                       "allows for indexing with dynamic keys.",
                       wrong->range());
    return false;
  }
  const auto* address =
      reader.tree.New<hcl::TraversalExpr>(hcl::ExprKind::kTraversal, expr->range(), root->root,
                                          reader.tree.arena.CopySpan(steps), root->root_end);
  std::optional<Endpoint> endpoint =
      AddressReader(reader.program, *address, AddressKeys::kAllowed, reader.diags).ReadEndpoint();
  if (!endpoint) {
    return false;
  }
  if (endpoint->is_module) {
    reader.diags.Error("Invalid address",
                       "A resource address is required here. The module path must be followed by a "
                       "resource specification.",
                       expr->range());
    return false;
  }
  import.target = {reader.program.ModuleOf(endpoint->module), endpoint->resource};
  if (expr->kind == hcl::ExprKind::kTraversal) {
    import.instance = ResourceInstance{{endpoint->module, endpoint->resource}, endpoint->key};
  }
  return true;
}

/// Reads the arguments, up to a `to` that is no address.
void ReadArguments(BlockReader& reader, const hcl::Block& block, Import& import) {
  Diagnostics& diags = reader.diags;
  const size_t errors = diags.error_count();
  const hcl::BodyContent content =
      block.body->Content({.attributes = kArguments}, hcl::Strictness::kExact, diags);
  const hcl::Attribute* id = content.Find("id");
  const hcl::Attribute* identity = content.Find("identity");
  import.id = id == nullptr ? nullptr : id->expr;
  import.identity = identity == nullptr ? nullptr : identity->expr;
  if (const hcl::Attribute* to = content.Find("to")) {
    if (!ReadTarget(reader, *to->expr, errors, import)) {
      import.to = nullptr;
      return;
    }
  }
  if (const hcl::Attribute* provider = content.Find("provider")) {
    if (!import.target.module.is_root()) {
      diags.Error("Invalid import provider argument",
                  "The provider argument can only be specified in import blocks that will generate "
                  "configuration.\n\nFor objects of other modules, use the \"providers\" argument "
                  "of the module block.",
                  provider->range);
    }
    import.provider_range = provider->range;
    import.provider_ref = ReadProviderRef(reader, *provider->expr, "provider");
  }
  if (const hcl::Attribute* for_each = content.Find("for_each")) {
    import.for_each = for_each->expr;
  }
  if (id == nullptr && identity == nullptr) {
    diags.Error("Missing required import argument",
                "One of 'id' or 'identity' must be specified in an import block to identify the "
                "resource instance to import.",
                block.def_range);
  }
  if (id != nullptr && identity != nullptr) {
    const bool id_first = id->range.begin < identity->range.begin;
    diags.Error("Conflicting import arguments",
                "Only one of 'id' or 'identity' can be specified in an import block.",
                SourceRange::Between(id_first ? id->range : identity->range,
                                     id_first ? identity->range : id->range));
  }
}

}  // namespace

void ReadImportBlock(BlockReader& reader, const hcl::Block& block) {
  Import import;
  import.range = block.def_range;
  ReadArguments(reader, block, import);
  reader.out.imports.push_back(std::move(import));
}

}  // namespace kinu::config
