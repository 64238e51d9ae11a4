// `resource` blocks. Ref: opentofu internal/configs/resource.go decodeResourceBlock.
#include "config/blocks/blocks.h"
#include "config/reference_syntax.h"

namespace kinu::config {
namespace {

void ReadIgnoreChanges(BlockReader& reader, const hcl::Attribute& attribute, Resource& resource) {
  if (hcl::AsKeyword(*attribute.expr, reader.tree) == "all") {
    resource.ignore = IgnoreChanges::kAll;
    return;
  }
  SourceRange star;
  for (const hcl::Expr* element : ReadList(*attribute.expr, reader.diags)) {
    if (hcl::AsLiteralString(*element) == "*") {
      resource.ignore = IgnoreChanges::kAll;
      star = element->range();
      reader.diags.Error(
          "Invalid ignore_changes wildcard",
          "The [\"*\"] form of ignore_changes wildcard is was deprecated and is now invalid. Use "
          "\"ignore_changes = all\" to ignore changes to all attributes.",
          attribute.expr->range());
      continue;
    }
    if (const hcl::TraversalExpr* traversal =
            ReadTraversal(reader, *Unquote(reader, *element, false))) {
      resource.ignore_changes.push_back(traversal);
    }
  }
  if (resource.ignore == IgnoreChanges::kAll && !resource.ignore_changes.empty()) {
    reader.diags.Error("Invalid ignore_changes ruleset",
                       "Cannot mix wildcard string \"*\" with non-wildcard references.", star,
                       attribute.expr->range());
  }
  if (resource.ignore == IgnoreChanges::kNone && !resource.ignore_changes.empty()) {
    resource.ignore = IgnoreChanges::kSome;
  }
}

/// Reads a list whose elements refer to one resource each. Keys may use count.index and each.key.
/// Ref: configs.decodeReplaceTriggeredBy.
void ReadReplaceTriggeredBy(BlockReader& reader, const hcl::Attribute& attribute,
                            Resource& resource) {
  const size_t errors = reader.diags.error_count();
  for (const hcl::Expr* element : ReadList(*attribute.expr, reader.diags)) {
    const hcl::Expr* expr = ExpressionInString(reader, *element, errors);
    if (expr == nullptr) {
      continue;
    }
    resource.replace_triggered_by.push_back(expr);
    std::vector<const hcl::TraversalExpr*> traversals;
    hcl::CollectTraversals(*expr, traversals);
    const auto wrong = [&](std::string summary, std::string detail) {
      reader.diags.Error(std::move(summary), std::move(detail), expr->range());
    };
    int resources = 0;
    bool malformed = false;
    for (const hcl::TraversalExpr* traversal : traversals) {
      Diagnostics problems;
      const ParsedReference ref = ParseReference(*traversal, &problems);
      if (ref.kind == ReferenceKind::kResource) {
        ++resources;
      } else if (ref.kind == ReferenceKind::kEachValue ||
                 (ref.kind == ReferenceKind::kInvalid && traversal->root == "each" &&
                  !traversal->steps.empty())) {
        wrong("Invalid each reference in replace_triggered_by expression",
              "Only each.key may be used in replace_triggered_by.");
      } else if (ref.kind == ReferenceKind::kInvalid && traversal->root == "count" &&
                 !traversal->steps.empty()) {
        wrong("Invalid count reference in replace_triggered_by expression",
              "Only count.index may be used in replace_triggered_by.");
      } else if (ref.kind == ReferenceKind::kInvalid && !NamesMember(*traversal)) {
        malformed = true;
        for (Diagnostic problem : problems) {
          problem.subject = expr->range();
          reader.diags.Add(std::move(problem));
        }
      } else if (ref.kind != ReferenceKind::kEachKey && ref.kind != ReferenceKind::kCountIndex) {
        wrong("Invalid reference in replace_triggered_by expression",
              "Only resources, count.index, and each.key may be used in replace_triggered_by.");
      }
    }
    if (malformed) {
      continue;
    }
    if (resources != 1) {
      wrong("Invalid replace_triggered_by expression",
            resources == 0 ? "Missing resource reference in replace_triggered_by expression."
                           : "Multiple resource references in replace_triggered_by expression.");
    }
  }
}

void ReadManagedLifecycle(BlockReader& reader, const hcl::BodyContent& content,
                          Resource& resource) {
  for (const hcl::Attribute& attribute : content.attributes) {
    if (attribute.name == "create_before_destroy") {
      bool value = false;
      ReadBool(*attribute.expr, value, reader.diags);
      resource.create_before_destroy = value;
    } else if (attribute.name == "prevent_destroy") {
      resource.prevent_destroy = attribute.expr;
    } else if (attribute.name == "destroy") {
      resource.destroy = attribute.expr;
    } else if (attribute.name == "replace_triggered_by") {
      ReadReplaceTriggeredBy(reader, attribute, resource);
    } else if (attribute.name == "ignore_changes") {
      ReadIgnoreChanges(reader, attribute, resource);
    }
  }
}

}  // namespace

void ReadResourceBlock(BlockReader& reader, const hcl::Block& block) {
  const hcl::BodyContent content =
      block.body->Content({.attributes = kResourceArguments, .blocks = kResourceNestedBlocks},
                          hcl::Strictness::kPartial, reader.diags);
  Resource resource = StartResource(reader, block, ResourceMode::kManaged);
  ExclusiveArguments repetition;
  ReadResourceArguments(reader, content, false, resource, repetition);
  const hcl::Block* lifecycle = nullptr;
  const hcl::Block* connection = nullptr;
  const hcl::Block* escape = nullptr;
  for (const hcl::Block& nested : content.blocks) {
    if (nested.type == "lifecycle") {
      if (IsFirst(lifecycle, nested, "Duplicate lifecycle block", reader.diags)) {
        ReadManagedLifecycle(reader, ReadLifecycle(reader, nested, resource, repetition), resource);
      }
    } else if (nested.type == "connection") {
      if (IsFirst(connection, nested, "Duplicate connection block", reader.diags)) {
        resource.connection = nested.body;
      }
    } else if (nested.type == "provisioner") {
      if (std::optional<Provisioner> provisioner = ReadProvisioner(reader, nested)) {
        resource.provisioners.push_back(*provisioner);
      }
    } else if (nested.type == "_") {
      if (IsFirst(escape, nested, "Duplicate escaping block", reader.diags)) {
        resource.body = WithEscaped(reader, resource.body, nested);
      }
    } else {
      ReportReserved(nested, "resource", reader.diags);
    }
  }
  repetition.Check("resources", reader.diags);
  if (resource.connection != nullptr) {
    for (const Provisioner& provisioner : resource.provisioners) {
      if (provisioner.when == Provisioner::When::kDestroy) {
        CheckOnlySelfReferences(*resource.connection, {}, reader.diags);
        break;
      }
    }
  }
  reader.out.resources.push_back(std::move(resource));
}

}  // namespace kinu::config
