// The scope of the engine: names are slots of the walk. A traversal is resolved to a Reference once
// per module; evaluation reads the slot and applies the remaining steps.
#pragma once

#include "engine/walk.h"
#include "lang/scope.h"

namespace kinu::engine {

class ModuleScope final : public lang::Scope {
 public:
  ModuleScope(const Walk& walk, const ModuleInstance& instance, Repetition repetition = {},
              const Value* self = nullptr)
      : walk_(walk), instance_(instance), repetition_(repetition), self_(self) {}

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override;
  const functions::Callable* FindFunction(std::string_view name) const override;
  std::vector<std::string_view> FunctionNames() const override;
  void ExplainUnknownFunction(const hcl::CallExpr& call, Diagnostic& diagnostic) const override;
  const functions::CallContext& call_context() const override { return walk_.call_context(); }
  lang::Coverage* coverage() const override {
    const bool counts =
        walk_.context.kind == WalkKind::kPlan || walk_.context.kind == WalkKind::kApply;
    return counts ? walk_.context.request.coverage : nullptr;
  }

  const ModuleInstance& instance() const { return instance_; }
  const Repetition& repetition() const { return repetition_; }

 private:
  Value ResolveObject(const config::Reference& ref, const hcl::TraversalExpr& traversal,
                      Diagnostics& diags) const;
  Value ResourceValue(const config::Reference& ref, std::span<const hcl::TraversalStep> rest) const;
  Value ModuleValue(const config::Reference& ref, const hcl::TraversalExpr& traversal,
                    Diagnostics& diags) const;

  const Walk& walk_;
  const ModuleInstance& instance_;
  Repetition repetition_;
  const Value* self_;
};

/// The functions of a module, for scopes that have names of their own.
class FunctionsOfModule : public lang::Scope {
 public:
  const functions::Callable* FindFunction(std::string_view name) const override {
    return module_.FindFunction(name);
  }
  std::vector<std::string_view> FunctionNames() const override { return module_.FunctionNames(); }
  void ExplainUnknownFunction(const hcl::CallExpr& call, Diagnostic& diagnostic) const override {
    module_.ExplainUnknownFunction(call, diagnostic);
  }
  const functions::CallContext& call_context() const override { return module_.call_context(); }

 protected:
  /// Keeps a reference to the scope, which may be a member of the derived class.
  explicit FunctionsOfModule(const ModuleScope& module) : module_(module) {}

 private:
  const ModuleScope& module_;
};

/// An object of a resource block as expressions see it: parts that its provider deprecates are
/// marked.
Value AsSeen(const Walk& walk, const ModuleInstance& instance, size_t resource,
             const InstanceKey& key, const Value& object);
/// The schema of a resource that a test has left out of its module, which the graph does not have.
/// Null: its provider has no such type or no schema could be read.
const schema::ResourceSchema* LeftOutSchema(const Walk& walk, const config::Resource& resource);
/// The object of a resource that neither a plan nor a state has: unknown, with the type and the
/// sensitive attributes of its schema, which `info` must have. Not yet AsSeen(). Ref: evaluate.go
/// GetResource.
Value UnstoredObject(const BlockInfo& info, const config::Resource& block);
/// The value of a whole resource in one module instance. A resource without count and for_each is
/// not yet AsSeen().
Value WholeResource(const Walk& walk, const ModuleInstance& instance, size_t resource);

}  // namespace kinu::engine
