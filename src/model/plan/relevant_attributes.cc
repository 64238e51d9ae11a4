#include "plan/relevant_attributes.h"

#include <algorithm>

#include "cty/conversion.h"
#include "hcl/static.h"
#include "schema/decode.h"

namespace kinu::plan {
namespace {

std::string StepName(const hcl::TraversalStep& step) {
  if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
    return std::string(step.name());
  }
  if (step.key() != nullptr) {
    if (auto text = Convert(*step.key(), Type::String()); text && !text->IsNull()) {
      return std::string(text->AsString());
    }
  }
  return "";
}

bool SameStep(const hcl::TraversalStep& a, const hcl::TraversalStep& b) {
  const Value* key = a.key();
  const Value* other = b.key();
  return a.kind == b.kind && a.name() == b.name() && (key == nullptr) == (other == nullptr) &&
         (key == nullptr || Value::RawEquals(*key, *other));
}

void TakeArgument(const std::vector<const hcl::Body*>& bodies, std::string_view name,
                  std::vector<const hcl::Expr*>& exprs) {
  const hcl::AttributeSchema wanted[] = {{name}};
  for (const hcl::Body* body : bodies) {
    Diagnostics ignored;
    hcl::BodyContent content =
        body->Content({.attributes = wanted}, hcl::Strictness::kPartial, ignored);
    for (const hcl::Attribute& attribute : content.attributes) {
      exprs.push_back(attribute.expr);
    }
  }
}

std::vector<const hcl::Body*> InnerBodies(const std::vector<const hcl::Body*>& bodies,
                                          std::string_view type,
                                          std::vector<const hcl::Expr*>& exprs) {
  static constexpr std::string_view kLabels[] = {"type"};
  static constexpr hcl::AttributeSchema kArguments[] = {{"for_each"}, {"labels"}};
  static constexpr hcl::BlockSchema kContent[] = {{"content"}};
  const hcl::BlockSchema wanted[] = {{type}, {"dynamic", kLabels}};
  std::vector<const hcl::Body*> out;
  for (const hcl::Body* body : bodies) {
    Diagnostics ignored;
    hcl::BodyContent content =
        body->Content({.blocks = wanted}, hcl::Strictness::kPartial, ignored);
    for (const hcl::Block& block : content.blocks) {
      if (block.type != "dynamic") {
        out.push_back(block.body);
        continue;
      }
      if (block.labels.size() != 1 || block.labels[0] != type) {
        continue;
      }
      hcl::BodyContent parts = block.body->Content({.attributes = kArguments, .blocks = kContent},
                                                   hcl::Strictness::kPartial, ignored);
      for (const hcl::Attribute& attribute : parts.attributes) {
        exprs.push_back(attribute.expr);
      }
      for (const hcl::Block& inner : parts.blocks) {
        out.push_back(inner.body);
      }
    }
  }
  return out;
}

}  // namespace

void RelevantAttributeFinder::AddResource(const AbsResource& address) {
  const config::ConfigNode* node = NodeOf(address.module);
  const int index = node == nullptr ? -1 : node->module->FindResource(address.resource);
  if (index >= 0) {
    FollowResource(address.module, *node, static_cast<size_t>(index), {});
  }
}

void RelevantAttributeFinder::AddOutput(ModuleInstId module, const config::Output& output) {
  Follow(output.expr, module, -1);
}

std::vector<RelevantAttribute> RelevantAttributeFinder::Run() {
  while (!work_.empty()) {
    const Mention mention = work_.back();
    work_.pop_back();
    Visit(mention);
  }
  return std::move(found_);
}

void RelevantAttributeFinder::Follow(const hcl::Expr* expr, ModuleInstId module, int resource) {
  if (expr == nullptr || !followed_.insert({expr, module, resource}).second) {
    return;
  }
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(*expr, traversals);
  for (const hcl::TraversalExpr* traversal : traversals) {
    work_.push_back({module, traversal, resource});
  }
}

bool RelevantAttributeFinder::IsFirst(const Mention& mention, bool is_repetition) {
  const Meaning meaning = is_repetition ? Meaning{mention.module, nullptr, mention.resource}
                                        : Meaning{mention.module, mention.traversal, -1};
  return seen_.insert(meaning).second;
}

uint64_t RelevantAttributeFinder::Meaning::Hash() const {
  uint64_t hash = HashCombine(module.id, static_cast<uint64_t>(resource));
  if (traversal != nullptr) {
    hash = HashCombine(hash, HashBytes(traversal->root));
    for (const hcl::TraversalStep& step : traversal->steps) {
      hash = HashCombine(hash, step.key() == nullptr ? HashBytes(step.name()) : step.key()->Hash());
    }
  }
  return hash;
}

uint64_t RelevantAttributeFinder::Part::Hash() const {
  return HashCombine(HashCombine(reinterpret_cast<uintptr_t>(what), module.id),
                     static_cast<uint64_t>(resource));
}

bool RelevantAttributeFinder::Meaning::operator==(const Meaning& other) const {
  if (module != other.module || resource != other.resource ||
      (traversal == nullptr) != (other.traversal == nullptr)) {
    return false;
  }
  return traversal == nullptr ||
         (traversal->root == other.traversal->root &&
          std::ranges::equal(traversal->steps, other.traversal->steps, SameStep));
}

void RelevantAttributeFinder::Visit(const Mention& mention) {
  const config::ConfigNode* node = NodeOf(mention.module);
  if (node == nullptr) {
    return;
  }
  const config::Module& module = *node->module;
  const config::Reference& ref = config::BindReference(program_, module, *mention.traversal);
  const bool repetition = ref.kind == config::ReferenceKind::kCountIndex ||
                          ref.kind == config::ReferenceKind::kEachKey ||
                          ref.kind == config::ReferenceKind::kEachValue;
  if (!IsFirst(mention, repetition)) {
    return;
  }
  if (repetition) {
    if (mention.resource >= 0) {
      const config::Resource& block =
          node->module->resources[static_cast<size_t>(mention.resource)];
      Follow(block.for_each != nullptr ? block.for_each : block.count, mention.module, -1);
    }
    return;
  }
  if (ref.index < 0) {
    return;
  }
  auto index = static_cast<size_t>(ref.index);
  switch (ref.kind) {
    case config::ReferenceKind::kVariable:
      FollowArgument(mention.module, *node, node->module->variables[index].name);
      return;
    case config::ReferenceKind::kLocal:
      Follow(node->module->locals[index].expr, mention.module, -1);
      return;
    case config::ReferenceKind::kModule:
      FollowCall(mention.module, *node, index, ref);
      return;
    case config::ReferenceKind::kResource: {
      std::span<const hcl::TraversalStep> rest =
          mention.traversal->steps.subspan(ref.consumed + (ref.has_key ? 1 : 0));
      RelevantAttribute attribute;
      attribute.resource = {{mention.module, node->module->resources[index].name}, ref.key};
      attribute.attribute = Path(config::PathSteps(rest));
      found_.push_back(std::move(attribute));
      FollowResource(mention.module, *node, index, rest);
      return;
    }
    default:
      return;
  }
}

void RelevantAttributeFinder::FollowArgument(ModuleInstId module, const config::ConfigNode& node,
                                             Symbol variable) {
  if (node.parent == nullptr) {
    return;
  }
  std::string_view name = program_.Text(variable);
  const config::ModuleCall& call = node.parent->module->calls[static_cast<size_t>(node.call)];
  if (const hcl::Attribute* input = call.FindInput(name)) {
    Follow(input->expr, program_.Parent(module), -1);
  }
}

void RelevantAttributeFinder::FollowCall(ModuleInstId caller, const config::ConfigNode& node,
                                         size_t call, const config::Reference& ref) {
  const config::ConfigNode* child = node.children[call];
  if (child == nullptr) {
    return;
  }
  ModuleInstId module = program_.ModuleInstance(caller, node.module->calls[call].name, ref.key);
  const std::vector<config::Output>& outputs = child->module->outputs;
  if (!ref.output.empty()) {
    if (const int output = child->module->FindOutput(ref.output); output >= 0) {
      Follow(outputs[static_cast<size_t>(output)].expr, module, -1);
    }
    return;
  }
  for (const config::Output& output : outputs) {
    Follow(output.expr, module, -1);
  }
}

/// Follows the part of a resource's configuration that decides the value at `steps`: one argument,
/// a single nested block, or else all of it.
void RelevantAttributeFinder::FollowResource(ModuleInstId module, const config::ConfigNode& node,
                                             size_t index,
                                             std::span<const hcl::TraversalStep> steps) {
  const config::Resource& resource = node.module->resources[index];
  const schema::ResourceSchema* schema = schema_of_(node, index);
  if (schema == nullptr || resource.body == nullptr) {
    return;
  }
  int owner = static_cast<int>(index);
  if (steps.empty()) {
    if (!followed_.insert({&resource, module, owner}).second) {
      return;
    }
    for (const hcl::TraversalExpr* traversal : traversals_of_(node, index)) {
      work_.push_back({module, traversal, owner});
    }
    return;
  }
  const schema::Block* block = &schema->block;
  std::vector<const hcl::Body*> bodies{resource.body};
  std::vector<const hcl::Expr*> exprs;
  for (const hcl::TraversalStep& step : steps) {
    if (bodies.empty()) {
      return;
    }
    std::string name = StepName(step);
    if (block->FindAttribute(name) != nullptr) {
      TakeArgument(bodies, name, exprs);
      block = nullptr;
      break;
    }
    const schema::NestedBlock* nested = block->FindBlock(name);
    if (nested == nullptr) {
      block = nullptr;
      break;
    }
    if (nested->nesting == schema::Nesting::kSingle || nested->nesting == schema::Nesting::kGroup) {
      bodies = InnerBodies(bodies, name, exprs);
      block = &nested->block;
    }
  }
  for (const hcl::Expr* expr : exprs) {
    Follow(expr, module, owner);
  }
  if (block == nullptr) {
    return;
  }
  for (const hcl::Body* body : bodies) {
    std::vector<const hcl::TraversalExpr*> traversals;
    std::vector<const hcl::CallExpr*> calls;
    schema::CollectBodyTraversals(*block, *body, config::MetaNames(resource.name.mode), traversals,
                                  calls);
    for (const hcl::TraversalExpr* traversal : traversals) {
      work_.push_back({module, traversal, owner});
    }
  }
}

}  // namespace kinu::plan
