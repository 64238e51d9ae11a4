// Relevant attributes: the attributes of other resources that influence what a plan changes.
// Ref: opentofu internal/lang/globalref, internal/tofu/context_plan.go
// relevantResourceAttrsForPlan.
#pragma once

#include <functional>
#include <vector>

#include "config/config.h"
#include "plan/plan.h"
#include "schema/schema.h"

namespace kinu::plan {

/// Follows references through values, outputs and resources, each once. It uses the configuration
/// alone: the values of expressions do not matter.
class RelevantAttributeFinder {
 public:
  /// The schema of a resource of a module, by its index in Module::resources; null: unknown type.
  using SchemaOf =
      std::function<const schema::ResourceSchema*(const config::ConfigNode& node, size_t resource)>;

  /// The traversals in the body of a resource with a schema.
  using TraversalsOf = std::function<std::span<const hcl::TraversalExpr* const>(
      const config::ConfigNode& node, size_t resource)>;

  RelevantAttributeFinder(const config::Config& config, SchemaOf schema_of,
                          TraversalsOf traversals_of)
      : config_(config),
        program_(*config.program),
        schema_of_(std::move(schema_of)),
        traversals_of_(std::move(traversals_of)) {}

  /// Starts from the body of a resource, if the configuration has it.
  void AddResource(const AbsResource& address);
  /// Starts from an output of a module instance.
  void AddOutput(ModuleInstId module, const config::Output& output);
  /// Follows all references. Call once.
  std::vector<RelevantAttribute> Run();

 private:
  /// A traversal as it stands in one instance of a module. `resource` is the block around it, whose
  /// repetition `count.index` and `each.key` mean; -1 outside resources.
  struct Mention {
    ModuleInstId module;
    const hcl::TraversalExpr* traversal = nullptr;
    int resource = -1;
  };

  /// What a mention means: its text in a module instance, or (without a traversal) the repetition
  /// of a block.
  struct Meaning {
    ModuleInstId module;
    const hcl::TraversalExpr* traversal = nullptr;
    int resource = -1;
    uint64_t Hash() const;
    bool operator==(const Meaning& other) const;
  };

  /// A part of the configuration whose mentions are in `work_` or seen.
  struct Part {
    const void* what = nullptr;  ///< an expression or a whole resource
    ModuleInstId module;
    int resource = -1;
    uint64_t Hash() const;
    bool operator==(const Part&) const = default;
  };

  const config::ConfigNode* NodeOf(ModuleInstId module) const {
    return config_.Find(program_.ModuleOf(module));
  }
  void Follow(const hcl::Expr* expr, ModuleInstId module, int resource);
  bool IsFirst(const Mention& mention, bool is_repetition);
  void Visit(const Mention& mention);
  void FollowArgument(ModuleInstId module, const config::ConfigNode& node, Symbol variable);
  void FollowCall(ModuleInstId caller, const config::ConfigNode& node, size_t call,
                  const config::Reference& ref);
  void FollowResource(ModuleInstId module, const config::ConfigNode& node, size_t index,
                      std::span<const hcl::TraversalStep> steps);

  const config::Config& config_;
  Program& program_;
  SchemaOf schema_of_;
  TraversalsOf traversals_of_;
  FlatSet<Meaning> seen_;
  FlatSet<Part> followed_;
  std::vector<Mention> work_;
  std::vector<RelevantAttribute> found_;
};

}  // namespace kinu::plan
