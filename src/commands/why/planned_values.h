// What expressions yield in a plan: now, or with all objects as the state had them. Private to why.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "config/config.h"
#include "config/expansion.h"
#include "lang/scope.h"
#include "why/objects.h"

namespace kinu::why {

/// Where an expression stands: in a module instance, and there in an instance of a block that is
/// repeated.
struct Place {
  ModuleInstId module;
  const config::ExpansionArguments* repetition = nullptr;  ///< null: in no repeated block
  InstanceKey key;
};

/// The argument that repeats a block, with its name; `enabled` or null if it is repeated by none.
std::pair<std::string, const hcl::Expr*> RepetitionArgument(
    const config::ExpansionArguments& arguments);

/// Evaluates expressions of a configuration, each name once.
class PlannedValues {
 public:
  /// `earlier`: objects are as the state had them; everything else is as the configuration and the
  /// variables of the plan say.
  PlannedValues(const plan::Plan& plan, const config::Config& config, const Objects& objects,
                bool earlier);

  /// The value of an expression. Unknown after an error.
  Value Of(const hcl::Expr& expr, const Place& place);
  /// The object of a resource block's body.
  Value OfBody(const schema::Block& block, const hcl::Body& body,
               std::span<const std::string_view> hidden, const Place& place);
  Value OfLocal(ModuleInstId module, const config::ConfigNode& node, size_t local);
  Value OfVariable(ModuleInstId module, const config::ConfigNode& node, size_t variable);
  Value OfOutput(ModuleInstId module, const config::ConfigNode& node, size_t output);
  /// What a traversal that means `ref` yields.
  Value OfTraversal(const config::Reference& ref, const hcl::TraversalExpr& traversal,
                    const Place& place);
  /// How a block or call is repeated.
  const config::Expansion& ExpansionOf(const config::ExpansionArguments& arguments,
                                       ModuleInstId module);
  /// The row of an instance; nothing: there is no such instance.
  std::optional<size_t> RowOf(const config::Expansion& expansion, const InstanceKey& key) const;
  const config::ConfigNode* NodeOf(ModuleInstId module) const {
    return config_.Find(program_.ModuleOf(module));
  }
  /// The place of the arguments of a module's call.
  Place PlaceOfCall(ModuleInstId called, const config::ConfigNode& node,
                    config::ExpansionArguments& storage) const;

 private:
  friend class PlaceScope;
  struct Name {
    const void* what;
    uint32_t module;
    uint64_t Hash() const { return HashCombine(reinterpret_cast<uintptr_t>(what), module); }
    bool operator==(const Name&) const = default;
  };
  template <typename Make>
  Value Once(const void* what, ModuleInstId module, Make&& make);
  Value WholeResource(const AbsResource& resource);
  Value WholeCall(ModuleInstId caller, const config::ConfigNode& node, size_t call);
  Value OutputsOf(ModuleInstId module, const config::ConfigNode& node);
  Value OfObject(const config::Reference& ref, const hcl::TraversalExpr& traversal,
                 const Place& place, const config::ConfigNode& node);

  const plan::Plan& plan_;
  const config::Config& config_;
  const Objects& objects_;
  Program& program_;
  bool earlier_;
  functions::CallContext context_;
  FlatMap<Name, Value> values_;
  FlatMap<Name, std::unique_ptr<config::Expansion>> expansions_;
};

}  // namespace kinu::why
