#include "engine/triggers.h"

#include <algorithm>
#include <deque>

#include "config/validate_reference.h"
#include "cty/conversion.h"
#include "engine/scope.h"
#include "lang/eval.h"

namespace kinu::engine {
namespace {

/// A trigger with its keys evaluated: a traversal, and the steps that follow it.
struct StaticTrigger {
  const hcl::TraversalExpr* traversal = nullptr;
  std::vector<hcl::TraversalStep> steps;
  std::deque<Value> keys;  ///< those that were evaluated; steps point at them
};

void AppendSteps(std::span<const hcl::TraversalStep> steps, std::vector<PathStep>& out) {
  for (const hcl::TraversalStep& step : steps) {
    if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
      out.push_back(PathStep::Attribute(step.name()));
    } else if (step.kind == hcl::TraversalStep::Kind::kIndex) {
      out.push_back(PathStep::Index(*step.key()));
    }
  }
}

bool ReadTrigger(const hcl::Expr& expr, const lang::Scope& scope, StaticTrigger& out,
                 Diagnostics& diags) {
  // From the outside in: the steps are found last to first.
  std::vector<std::vector<hcl::TraversalStep>> parts;
  const hcl::Expr* at = &expr;
  while (out.traversal == nullptr) {
    std::vector<hcl::TraversalStep> part;
    if (at->kind == hcl::ExprKind::kTraversal) {
      out.traversal = static_cast<const hcl::TraversalExpr*>(at);
    } else if (at->kind == hcl::ExprKind::kRelative) {
      const auto& relative = static_cast<const hcl::RelativeExpr&>(*at);
      part.assign(relative.steps.begin(), relative.steps.end());
      at = relative.source;
    } else if (at->kind == hcl::ExprKind::kIndex) {
      const auto& index = static_cast<const hcl::IndexExpr&>(*at);
      size_t errors = diags.error_count();
      Value key = lang::Evaluate(*index.key, scope, diags).UnmarkDeep();
      if (diags.error_count() != errors) {
        return false;
      }
      if (key.IsNull() || !key.IsKnown()) {
        diags.Error("Invalid index key",
                    "The key of an instance must be a known number or string here.",
                    index.key->range());
        return false;
      }
      out.keys.push_back(std::move(key));
      part.push_back(
          hcl::TraversalStep::Index(index.open_bracket, index.bracket_end, &out.keys.back()));
      at = index.collection;
    } else {
      diags.Error("Invalid replace_triggered_by expression",
                  "A trigger is a reference to a resource, to an instance of one or to an "
                  "attribute of that.",
                  at->range());
      return false;
    }
    parts.push_back(std::move(part));
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    std::move(part->begin(), part->end(), std::back_inserter(out.steps));
  }
  return true;
}

std::optional<InstanceKey> KeyOf(const Value& value, Program& program) {
  if (value.type() == Type::String()) {
    return InstanceKey::String(program.Intern(value.AsString()));
  }
  if (value.type() == Type::Number()) {
    if (std::optional<int64_t> index = value.AsInt64()) {
      return InstanceKey::Int(*index);
    }
  }
  return std::nullopt;
}

bool Fires(const plan::ResourceChange& change) {
  return change.action == plan::Action::kCreate || change.action == plan::Action::kUpdate ||
         plan::IsReplace(change.action) || change.action == plan::Action::kForgetThenCreate;
}

bool DiffersAt(const plan::ResourceChange& change, const Path& path) {
  Result<Value> before = path.Apply(change.before.UnmarkDeep());
  Result<Value> after = path.Apply(change.after.UnmarkDeep());
  if (!before || !after) {
    return before.has_value() != after.has_value();
  }
  return !Value::RawEquals(*before, *after);
}

}  // namespace

bool ReplaceTriggered(RowContext& row, Diagnostics& diags) {
  if (row.resource.replace_triggered_by.empty() || row.instance == nullptr) {
    return false;
  }
  Walk& walk = row.walk();
  const config::Module& module = *row.instance->node->module;
  const ResourceTable& own = *row.instance->resources[walk.graph.node(row.id).index];
  ModuleScope scope(walk, *row.instance, Repetition{&own.expansion, row.row.expansion_row});
  for (const hcl::Expr* expr : row.resource.replace_triggered_by) {
    StaticTrigger trigger;
    if (!ReadTrigger(*expr, scope, trigger, diags)) {
      continue;
    }
    const config::Reference ref = config::ResolveReference(walk.program, module, *trigger.traversal,
                                                           &diags, row.instance->node->path);
    if (ref.kind != config::ReferenceKind::kResource || ref.index < 0) {
      continue;
    }
    std::vector<PathStep> steps;
    AppendSteps(trigger.traversal->steps.subspan(ref.consumed), steps);
    AppendSteps(trigger.steps, steps);
    std::optional<InstanceKey> key;
    if (!steps.empty() && steps[0].kind == PathStep::Kind::kIndex) {
      key = KeyOf(steps[0].key, walk.program);
      steps.erase(steps.begin());
    } else if (!steps.empty()) {
      key = InstanceKey();
    }
    const Path path(std::move(steps));
    bool found = false;
    const ResourceTable& table = *row.instance->resources[static_cast<size_t>(ref.index)];
    for (const Row& other : table.rows) {
      if (!other.change || (key && other.key != *key)) {
        continue;
      }
      found = true;
      if (Fires(*other.change) && (path.empty() || DiffersAt(*other.change, path))) {
        return true;
      }
      if (key) {
        break;
      }
    }
    if (!found && !diags.has_errors()) {
      ModuleInstId place = row.instance->id;
      diags.Error("no change found for " + config::ReferenceSubject(walk.program, module, ref) +
                      " in " + (place.is_root() ? "the root module" : walk.program.ToText(place)),
                  "");
    }
  }
  return false;
}

void ValidateTriggers(const Walk& walk, const ModuleInstance& instance,
                      const config::Resource& resource, Diagnostics& diags) {
  Expansion expansion;  // which instance is meant does not matter
  if (resource.count != nullptr) {
    expansion = {.kind = Expansion::Kind::kCount, .count = 1};
  } else if (resource.for_each != nullptr) {
    expansion = {.kind = Expansion::Kind::kForEach,
                 .keys = {walk.program.Intern("")},
                 .values = {Value::DynamicUnknown()}};
  }
  const config::Module& module = *instance.node->module;
  ModuleScope scope(walk, instance, Repetition{&expansion, 0});
  for (const hcl::Expr* expr : resource.replace_triggered_by) {
    StaticTrigger trigger;
    if (!ReadTrigger(*expr, scope, trigger, diags)) {
      continue;
    }
    const config::Reference ref =
        config::ResolveReference(walk.program, module, *trigger.traversal, nullptr);
    if (ref.kind != config::ReferenceKind::kResource) {
      continue;
    }
    const schema::ResourceSchema* schema =
        ref.index < 0
            ? nullptr
            : walk.graph.blocks[instance.node->index][static_cast<size_t>(ref.index)].schema;
    const bool may_exist = ref.index < 0
                               ? module.has_gaps
                               : walk.context.request.missing_schemas == MissingSchemas::kSkip;
    if (schema == nullptr && may_exist) {
      continue;
    }
    if (schema == nullptr) {
      diags.Error("Undeclared resource in replace_triggered_by",
                  walk.program.ToText(resource.name) +
                      " is to be replaced with a resource that the module does not declare.",
                  expr->range());
      continue;
    }
    auto named = trigger.traversal->steps.subspan(ref.consumed);
    std::vector<hcl::TraversalStep> steps(named.begin(), named.end());
    steps.insert(steps.end(), trigger.steps.begin(), trigger.steps.end());
    const bool has_key = !steps.empty() && steps[0].kind == hcl::TraversalStep::Kind::kIndex;
    config::ValidateSteps(schema->block, *expr, std::span(steps).subspan(has_key ? 1 : 0), diags);
  }
}

}  // namespace kinu::engine
