// `provisioner` and `connection` blocks inside resources. Ref: opentofu
// internal/configs/provisioner.go.
#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr hcl::AttributeSchema kArguments[] = {{"when"}, {"on_failure"}};
constexpr hcl::BlockSchema kBlocks[] = {{"_"}, {"connection"}, {"lifecycle"}};
constexpr std::string_view kRemoved[] = {"chef", "habitat", "puppet", "salt-masterless"};

bool IsSelfReference(const hcl::TraversalExpr& traversal) {
  const std::string_view root = traversal.root;
  if (root == "self" || root == "path" || root == "terraform" || root == "tofu") {
    return true;
  }
  if ((root != "count" && root != "each") || traversal.steps.size() != 1) {
    return false;
  }
  const hcl::TraversalStep& step = traversal.steps[0];
  return step.kind == hcl::TraversalStep::Kind::kAttribute &&
         step.name() == (root == "count" ? "index" : "key");
}

}  // namespace

void CheckOnlySelfReferences(const hcl::Body& body, std::span<const std::string_view> hidden,
                             Diagnostics& diags) {
  Diagnostics ignored;
  for (const hcl::Attribute& attribute : body.JustAttributes(hidden, ignored)) {
    std::vector<const hcl::TraversalExpr*> traversals;
    hcl::CollectTraversals(*attribute.expr, traversals);
    for (const hcl::TraversalExpr* traversal : traversals) {
      if (!IsSelfReference(*traversal)) {
        diags.Error("Invalid reference from destroy provisioner",
                    "Destroy-time provisioners and their connection configurations may only "
                    "reference attributes of the related resource, via 'self', 'count.index', or "
                    "'each.key'.\n\nOther objects may be gone already.",
                    attribute.expr->range());
      }
    }
  }
}

std::optional<Provisioner> ReadProvisioner(BlockReader& reader, const hcl::Block& block) {
  Diagnostics& diags = reader.diags;
  const hcl::BodyContent content = block.body->Content(
      {.attributes = kArguments, .blocks = kBlocks}, hcl::Strictness::kPartial, diags);
  Provisioner out;
  out.type = block.labels[0];
  out.body = block.body;
  out.range = block.def_range;
  out.type_range = block.label_range(0);
  for (std::string_view removed : kRemoved) {
    if (out.type == removed) {
      diags.Error("The \"" + std::string(removed) + "\" provisioner has been removed",
                  "The \"" + std::string(removed) +
                      "\" provisioner is deprecated and has been removed from OpenTofu.",
                  out.type_range);
      return std::nullopt;
    }
  }
  if (const hcl::Attribute* when = content.Find("when")) {
    const hcl::Expr* expr = Unquote(reader, *when->expr, true);
    const std::string_view word = hcl::AsKeyword(*expr, reader.tree);
    if (word == "destroy") {
      out.when = Provisioner::When::kDestroy;
    } else if (word != "create") {
      diags.Error(
          "Invalid \"when\" keyword",
          "The \"when\" argument requires one of the following keywords: create or destroy.",
          expr->range());
    }
  }
  const bool at_destroy = out.when == Provisioner::When::kDestroy;
  if (at_destroy) {
    CheckOnlySelfReferences(*out.body, kProvisionerMetaNames, diags);
  }
  if (const hcl::Attribute* on_failure = content.Find("on_failure")) {
    const std::string_view word =
        hcl::AsKeyword(*Unquote(reader, *on_failure->expr, true), reader.tree);
    if (word == "continue") {
      out.on_failure = Provisioner::OnFailure::kContinue;
    } else if (word != "fail") {
      diags.Error(
          "Invalid \"on_failure\" keyword",
          "The \"on_failure\" argument requires one of the following keywords: continue or fail.",
          on_failure->expr->range());
    }
  }
  const hcl::Block* connection = nullptr;
  const hcl::Block* escape = nullptr;
  for (const hcl::Block& nested : content.blocks) {
    if (nested.type == "_") {
      if (IsFirst(escape, nested, "Duplicate escaping block", diags)) {
        out.body = WithEscaped(reader, out.body, nested);
      }
    } else if (nested.type == "connection") {
      if (IsFirst(connection, nested, "Duplicate connection block", diags)) {
        if (at_destroy) {
          CheckOnlySelfReferences(*nested.body, {}, diags);
        }
        out.connection = nested.body;
      }
    } else {
      ReportReserved(nested, "provisioner", diags);
    }
  }
  return out;
}

}  // namespace kinu::config
