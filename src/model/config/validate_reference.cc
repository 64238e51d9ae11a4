#include "config/validate_reference.h"

#include <algorithm>

#include "config/decode.h"
#include "hcl/parse.h"
#include "lang/eval.h"
#include "text/suggest.h"

namespace kinu::config {
namespace {

using Step = hcl::TraversalStep;

/// Follows steps through the schema of a block.
class SchemaWalk {
 public:
  SchemaWalk(const hcl::Expr& whole, std::span<const Step> steps, Diagnostics& diags)
      : whole_(whole), steps_(steps), diags_(diags) {}

  void Check(const schema::Block& block);

 private:
  bool at_end() const { return at_ == steps_.size(); }
  const Step& step() const { return steps_[at_]; }
  SourceRange range() const { return {whole_.file(), step().begin, step().end}; }
  void ReportError(std::string_view summary, std::string detail) {
    diags_.Error(std::string(summary), std::move(detail), range());
  }
  /// Follows the step into an element of a nested block. Null: no steps are left, or an error is
  /// reported.
  const schema::Block* Enter(const schema::NestedBlock& nested);
  void ReportUnknownName(const schema::Block& block);

  const hcl::Expr& whole_;
  std::span<const Step> steps_;
  size_t at_ = 0;
  Diagnostics& diags_;
};

const schema::Block* SchemaWalk::Enter(const schema::NestedBlock& nested) {
  if (nested.nesting == schema::Nesting::kSingle || nested.nesting == schema::Nesting::kGroup) {
    return &nested.block;
  }
  if (at_end()) {
    return nullptr;
  }
  if (nested.nesting == schema::Nesting::kSet) {
    ReportError("Cannot index a set value",
                "Block type " + Quoted(nested.name) +
                    " is represented by a set of objects, and set elements do not have addressable "
                    "keys. Find elements with a \"for\" expression and an \"if\" clause.");
    return nullptr;
  }
  if (nested.nesting == schema::Nesting::kList && step().kind != Step::Kind::kIndex) {
    ReportError("Invalid operation",
                "Block type " + Quoted(nested.name) +
                    " is represented by a list of objects, so it must be indexed "
                    "using a numeric key, like ." +
                    nested.name + "[0].");
    return nullptr;
  }
  ++at_;
  return &nested.block;
}

void SchemaWalk::ReportUnknownName(const schema::Block& block) {
  std::vector<std::string_view> names;
  for (const schema::Attribute& attribute : block.attributes) {
    names.push_back(attribute.name);
  }
  for (const schema::NestedBlock& nested : block.blocks) {
    names.push_back(nested.name);
  }
  std::sort(names.begin(), names.end());
  std::string detail = "This object has no argument, nested block, or exported attribute named " +
                       Quoted(step().name()) + ".";
  if (std::string_view similar = text::SuggestName(step().name(), names); !similar.empty()) {
    detail += " Did you mean " + Quoted(similar) + "?";
  }
  ReportError("Unsupported attribute", std::move(detail));
}

void SchemaWalk::Check(const schema::Block& outermost) {
  const schema::Block* block = &outermost;
  while (block != nullptr && !at_end()) {
    if (step().kind == Step::Kind::kIndex) {
      const Value& key = *step().key();
      const bool is_name = key.type() == Type::String() && key.IsKnown() && !key.IsNull() &&
                           hcl::IsIdentifier(key.AsString());
      ReportError("Invalid index operation",
                  is_name
                      ? "Only attribute access is allowed here. Did you mean to access attribute " +
                            Quoted(key.AsString()) + " using the dot operator?"
                      : "Only attribute access is allowed here, using the dot operator.");
      return;
    }
    if (step().kind != Step::Kind::kAttribute) {
      ReportError("Invalid operation",
                  "Only attribute access is allowed here, using the dot operator.");
      return;
    }
    if (const schema::Attribute* attribute = block->FindAttribute(step().name())) {
      lang::ApplySteps(Value::Unknown(attribute->type), steps_.subspan(at_ + 1), whole_, diags_);
      return;
    }
    const schema::NestedBlock* nested = block->FindBlock(step().name());
    if (nested == nullptr) {
      ReportUnknownName(*block);
      return;
    }
    ++at_;
    block = Enter(*nested);
  }
}

/// Reports a missing instance key, or one on a resource without count and for_each.
void CheckKey(const Program& program, const Resource& resource, const Reference& reference,
              bool reads_attributes, const SourceRange& range, Diagnostics& diags) {
  const std::string address = program.ToText(resource.name);
  if (reference.has_key) {
    if (resource.count == nullptr && resource.for_each == nullptr) {
      diags.Error("Unexpected resource instance key",
                  "Because " + address +
                      " does not have \"count\" or \"for_each\" set, references to it must not "
                      "include an index key. Leave out the brackets.",
                  range);
    }
    return;
  }
  if (!reads_attributes) {
    return;
  }
  if (resource.count != nullptr) {
    diags.Error("Missing resource instance key",
                "Because " + address +
                    " has \"count\" set, its attributes must be accessed on specific "
                    "instances.\n\nFor example: " +
                    address + "[count.index]",
                range);
  }
  if (resource.for_each != nullptr) {
    diags.Error("Missing resource instance key",
                "Because " + address +
                    " has \"for_each\" set, its attributes must be accessed on specific "
                    "instances.\n\nFor example: " +
                    address + "[each.key]",
                range);
  }
}

}  // namespace

void ValidateReference(Program& program, const Module& module, const hcl::TraversalExpr& traversal,
                       const Reference& reference, const ReferenceContext& context,
                       const SchemaSource* schemas, Diagnostics& diags) {
  const SourceRange range = ReferenceRange(traversal);
  const Resource* resource = nullptr;
  size_t consumed = reference.consumed;
  if (reference.kind == ReferenceKind::kSelf) {
    if (context.self == nullptr) {
      diags.Error("Invalid \"self\" reference",
                  "The \"self\" object is not available in this context. It exists in resource "
                  "provisioner, connection, and postcondition blocks.",
                  range);
      return;
    }
    resource = context.self;
  } else if (reference.index < 0) {
    if (reference.kind == ReferenceKind::kResource || reference.kind == ReferenceKind::kModule) {
      ResolveReference(program, module, traversal, &diags, context.path);
    }
    return;
  } else if (reference.kind == ReferenceKind::kResource) {
    resource = &module.resources[static_cast<size_t>(reference.index)];
    consumed += reference.has_key ? 1 : 0;
    CheckKey(program, *resource, reference, consumed < traversal.steps.size(), range, diags);
  } else {
    return;
  }
  if (resource->check >= 0 && resource->check != context.check) {
    diags.Error("Reference to scoped resource",
                "The referenced data resource " + Quoted(program.Text(resource->name.type)) + " " +
                    Quoted(program.Text(resource->name.name)) +
                    " is not available from this context.",
                range);
  }
  const schema::Block* schema = schemas == nullptr ? nullptr : schemas->ResourceSchema(*resource);
  if (schema == nullptr || consumed >= traversal.steps.size()) {
    return;
  }
  const Step& first = traversal.steps[consumed];
  if (first.kind == Step::Kind::kAttribute && first.name() == "count") {
    diags.Error("Invalid resource count attribute",
                "The special \"count\" attribute is no longer supported after OpenTofu v0.12. "
                "Instead, use length(" +
                    program.ToText(resource->name) + ") to count resource instances.",
                range);
    return;
  }
  ValidateSteps(*schema, traversal, traversal.steps.subspan(consumed), diags);
}

void ValidateSteps(const schema::Block& schema, const hcl::Expr& whole,
                   std::span<const hcl::TraversalStep> steps, Diagnostics& diags) {
  SchemaWalk(whole, steps, diags).Check(schema);
}

void ValidateRelative(const schema::Block& schema, const hcl::TraversalExpr& traversal,
                      Diagnostics& diags) {
  std::vector<Step> steps = {Step::Attribute(traversal.begin, traversal.root_end, traversal.root)};
  steps.insert(steps.end(), traversal.steps.begin(), traversal.steps.end());
  ValidateSteps(schema, traversal, steps, diags);
}

void ReportNamelessAttribute(const hcl::TraversalExpr& traversal, Diagnostics& diags) {
  if (!traversal.steps.empty() && traversal.steps[0].kind == hcl::TraversalStep::Kind::kAttribute) {
    return;
  }
  std::string summary;
  std::string detail;
  if (traversal.root == "var") {
    summary = "Reference to undeclared input variable";
    detail = "An input variable with the name \"\" has not been declared.";
  } else if (traversal.root == "local") {
    summary = "Reference to undeclared local value";
    detail = "A local value with the name \"\" has not been declared.";
  } else {
    for (const std::string& object :
         std::initializer_list<std::string>{"count", "each", "path", "terraform", "tofu"}) {
      if (traversal.root == object) {
        summary = "Invalid \"" + object + "\" attribute";
        detail = "The \"" + object + "\" object does not have an attribute named \"\".";
      }
    }
  }
  if (!summary.empty()) {
    diags.Error(std::move(summary), std::move(detail), SourceRange::Nowhere());
  }
}

bool IsNameless(const hcl::TraversalExpr& traversal) {
  Diagnostics problems;
  ReportNamelessAttribute(traversal, problems);
  return !problems.empty();
}

std::vector<hcl::Attribute> ReadModuleInputs(const Program& program, const ModuleCall& call,
                                             const Module& called, Diagnostics& diags) {
  std::vector<hcl::AttributeSchema> arguments;
  arguments.reserve(called.variables.size());
  for (const Variable& variable : called.variables) {
    arguments.push_back({program.Text(variable.name), !variable.default_value.has_value()});
  }
  return call.body
      ->Content({.attributes = arguments, .hidden = kModuleMetaNames},
                called.has_gaps ? hcl::Strictness::kPartial : hcl::Strictness::kExact, diags)
      .attributes;
}

}  // namespace kinu::config
