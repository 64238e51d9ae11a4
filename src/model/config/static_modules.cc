// Outputs of called modules, for evaluators that read them.
#include <algorithm>

#include "config/static_value.h"
#include "hcl/static.h"
#include "lang/eval.h"

namespace kinu::config {
namespace {

/// Whether an output has no value because it needs something that is not read, such as a resource.
bool NeedsMore(const Diagnostics& diags) {
  return std::ranges::any_of(diags, [](const Diagnostic& problem) {
    return problem.kind == DiagnosticKind::kDynamicValue;
  });
}

Value CombineRows(const Program& program, const Expansion& expansion, std::vector<Value> rows) {
  if (expansion.kind == Expansion::Kind::kSingle) {
    return std::move(rows[0]);
  }
  if (expansion.kind == Expansion::Kind::kCount) {
    return Value::Tuple(std::move(rows));
  }
  std::vector<std::pair<std::string, Value>> members;
  for (size_t row = 0; row < rows.size(); ++row) {
    members.emplace_back(program.Text(expansion.keys[row]), std::move(rows[row]));
  }
  return Value::Object(std::move(members));
}

}  // namespace

uint32_t StaticEvaluator::InstanceOf(const ConfigNode& node) const {
  const auto found = instances_.find(node.index);
  return found == instances_.end() ? 0 : found->second.module.id;
}

const Expansion* StaticEvaluator::ExpansionOf(const ConfigNode& node, size_t call,
                                              Diagnostics& diags) {
  const CacheKey key{node.index, static_cast<uint32_t>(ReferenceKind::kModule),
                     static_cast<int32_t>(call), InstanceOf(node)};
  if (const auto known = expansions_.find(key); known != expansions_.end()) {
    return known->second.get();
  }
  const ModuleCall& block = node.module->calls[call];
  const size_t errors = diags.error_count();
  auto expansion = std::make_unique<Expansion>();
  EvaluateInScope(
      node, {"module." + std::string(program_.Text(block.name)), block.range},
      [&](Traversals& traversals, Calls& calls) {
        for (const hcl::Expr* expr : {block.count, block.for_each, block.enabled}) {
          if (expr != nullptr) {
            hcl::CollectTraversalsAndCalls(*expr, traversals, calls);
          }
        }
      },
      [&](const lang::Scope& scope) {
        *expansion = Expand(ArgumentsOf(block), scope, program_, true, diags);
        return Value::DynamicUnknown();
      },
      diags);
  return diags.error_count() == errors
             ? expansions_.emplace(key, std::move(expansion)).first->second.get()
             : nullptr;
}

Value StaticEvaluator::OutputValue(const ConfigNode& child, int output, Diagnostics& diags) {
  const Output& block = child.module->outputs[static_cast<size_t>(output)];
  const CacheKey key{child.index, static_cast<uint32_t>(ReferenceKind::kSelf), output,
                     InstanceOf(child)};
  const std::string name = "output." + std::string(program_.Text(block.name));
  const auto is_this = [&](const Frame& frame) {
    return frame.node == &child && frame.subject.name == name;
  };
  if (std::ranges::any_of(frames_, is_this)) {
    diags.Error("Circular reference", SubjectText(child, name) + " is self referential",
                block.range);
    return Value::DynamicUnknown();
  }
  return Cached(key, diags, [&] {
    if (block.expr == nullptr) {
      return Value::DynamicUnknown();
    }
    Value value = Evaluate(child, *block.expr, {name, block.range}, diags);
    if (block.sensitive) {
      value = value.WithMarks(MarkSet::Sensitive());
    }
    return block.ephemeral ? value.WithMarks(MarkSet::Ephemeral()) : value;
  });
}

Value StaticEvaluator::OutputsOf(const ConfigNode& child, Diagnostics& diags) {
  std::vector<std::pair<std::string, Value>> members;
  for (size_t i = 0; i < child.module->outputs.size(); ++i) {
    Diagnostics found;
    Value value = OutputValue(child, static_cast<int>(i), found);
    if (found.has_errors() && !NeedsMore(found)) {
      diags.Append(std::move(found));
    }
    members.emplace_back(program_.Text(child.module->outputs[i].name), std::move(value));
  }
  return Value::Object(std::move(members));
}

template <typename Read>
Value StaticEvaluator::InRow(const ConfigNode& node, const ConfigNode& child,
                             const Expansion& expansion, size_t row, Read read) {
  const auto found = instances_.find(node.index);
  const ModuleInstId parent = found == instances_.end() ? ModuleInstId() : found->second.module;
  const Symbol call = node.module->calls[static_cast<size_t>(child.call)].name;
  const ModuleInstance before = instances_[child.index];
  instances_[child.index] = {program_.ModuleInstance(parent, call, expansion.key(row)),
                             {&expansion, row}};
  Value value = read();
  instances_[child.index] = before;
  return value;
}

Value StaticEvaluator::ModuleValue(const ConfigNode& node, const hcl::TraversalExpr& traversal,
                                   Diagnostics& diags) {
  const Reference ref = ResolveReference(program_, *node.module, traversal, &diags, node.path);
  if (ref.index < 0) {
    return Value::DynamicUnknown();
  }
  const auto call = static_cast<size_t>(ref.index);
  const ConfigNode* child = call < node.children.size() ? node.children[call] : nullptr;
  if (child == nullptr || !sound_(*child)) {
    lacks_module_ = true;
    diags.Error("Module not loaded",
                "The module " + std::string(program_.Text(node.module->calls[call].name)) +
                    " is not loaded. With a directory as scope, those that are installed or in "
                    "local directories are, unless they have errors.",
                traversal.range());
    return Value::DynamicUnknown();
  }
  const Expansion* expansion = ExpansionOf(node, call, diags);
  if (expansion == nullptr || expansion->kind == Expansion::Kind::kUnknown) {
    return Value::DynamicUnknown();
  }
  const auto rest = traversal.steps.subspan(1, static_cast<size_t>(ref.consumed) - 1);
  if (expansion->kind == Expansion::Kind::kDisabled) {
    return lang::ApplySteps(Value::Null(Type::Dynamic()), rest, traversal, diags);
  }
  // Where one output of one instance is meant, the others are not evaluated.
  const int output = ref.output.empty() ? -1 : child->module->FindOutput(ref.output);
  std::vector<Value> rows;
  for (size_t row = 0; row < expansion->size(); ++row) {
    if (output >= 0 && expansion->key(row) == ref.key) {
      return InRow(node, *child, *expansion, row,
                   [&] { return OutputValue(*child, output, diags); });
    }
  }
  for (size_t row = 0; row < expansion->size(); ++row) {
    rows.push_back(InRow(node, *child, *expansion, row, [&] { return OutputsOf(*child, diags); }));
  }
  return lang::ApplySteps(CombineRows(program_, *expansion, std::move(rows)), rest, traversal,
                          diags);
}

}  // namespace kinu::config
