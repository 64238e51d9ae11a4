// Values that are needed while loading: module sources and versions may use variables, local values
// and paths, but nothing that only a plan knows. Private to config. Ref: opentofu
// internal/configs/static_evaluator.go, static_scope.go.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/expansion.h"
#include "config/load.h"
#include "lang/scope.h"
#include "schema/schema.h"

namespace kinu::config {

/// The argument that is evaluated, for diagnostics.
struct StaticSubject {
  std::string name;  ///< "module.m.source"
  SourceRange range;
  /// What count.index, each.key and each.value are in it. Without an expansion they have no value.
  Repetition repetition = {};
};

/// Evaluates expressions while a configuration is loaded. Caches variables and local values.
class StaticEvaluator {
 public:
  StaticEvaluator(Program& program, const LoadOptions& options, std::string root_dir)
      : program_(program), options_(options), root_dir_(std::move(root_dir)) {
    call_context_.surroundings = options.surroundings;
  }

  /// Returns the value of a variable of the root module. Nothing: its default, or an unknown value
  /// if it has none.
  using GivenByCaller = std::function<std::optional<InputValue>(const Variable&, Diagnostics&)>;
  /// Takes the values of root variables from `given`, because no user gives them (a test's run
  /// block).
  void SetCaller(GivenByCaller given) { caller_ = std::move(given); }

  /// Returns the value of a name that is no reference of the language, such as `key_provider.a.b`;
  /// nothing for all other names.
  using OtherNames = std::function<std::optional<Value>(const hcl::TraversalExpr&, Diagnostics&)>;
  void SetOtherNames(OtherNames names) { other_names_ = std::move(names); }

  /// From now on references to called modules have values: their outputs, of which those that need
  /// more than is read are errors or, in the object of a whole module, unknown. Variables with
  /// `const = false` have values too. `sound`: whether a module was loaded without errors.
  void ReadOutputs(std::function<bool(const ConfigNode&)> sound) {
    reads_outputs_ = true;
    sound_ = std::move(sound);
  }
  /// Whether an expression has referred to a module that is not loaded or not sound.
  bool lacks_module() const { return lacks_module_; }

  /// Evaluates an expression of a module. Returns an unknown value of dynamic type after an error.
  Value Evaluate(const ConfigNode& node, const hcl::Expr& expr, const StaticSubject& subject,
                 Diagnostics& diags);
  /// The value that `use` evaluates, after the names of the expression were checked.
  Value EvaluateArgument(const ConfigNode& node, const hcl::Expr& expr,
                         const StaticSubject& subject,
                         const std::function<Value(const lang::Scope&)>& use, Diagnostics& diags);
  /// Checks the names of an expression without evaluating it. False after an error.
  bool CheckReferences(const ConfigNode& node, const hcl::Expr& expr, const StaticSubject& subject,
                       Diagnostics& diags);
  /// The instances of a provider block with `for_each`. None after an error.
  Expansion EvaluateForEach(const ConfigNode& node, const hcl::Expr& expr,
                            const StaticSubject& subject, Diagnostics& diags);
  /// Decodes a body through a schema. Returns an unknown value of dynamic type after an error.
  Value DecodeBody(const ConfigNode& node, const schema::Block& block, const hcl::Body& body,
                   const StaticSubject& subject, Diagnostics& diags);
  /// Decodes a body and reports the problems of names and those of the values apart.
  Value DecodeBody(const ConfigNode& node, const schema::Block& block, const hcl::Body& body,
                   const StaticSubject& subject, Diagnostics& of_references,
                   Diagnostics& of_values);
  /// As Evaluate(), for a string that is not sensitive. False after an error.
  bool EvaluateString(const ConfigNode& node, const hcl::Expr& expr, const StaticSubject& subject,
                      std::string& out, Diagnostics& diags);
  /// Reports variables with `const = true` whose values need more than the configuration and the
  /// input variables, or are invalid.
  void CheckConstants(const ConfigNode& node, Diagnostics& diags);

 private:
  friend class StaticScope;
  functions::CallContext call_context_;
  struct Frame {
    const ConfigNode* node;
    StaticSubject subject;
  };
  struct CacheKey {
    uint32_t node;
    uint32_t kind;
    int32_t index;
    uint32_t instance = 0;  ///< ModuleInstId::id
    uint64_t Hash() const {
      return HashCombine(HashCombine(uint64_t{node} << 32 | kind, uint64_t(index)), instance);
    }
    friend bool operator==(const CacheKey&, const CacheKey&) = default;
  };

  /// The instance of a called module whose values are read.
  struct ModuleInstance {
    ModuleInstId module;
    Repetition repetition;
  };

  using Traversals = std::vector<const hcl::TraversalExpr*>;
  using Calls = std::vector<const hcl::CallExpr*>;
  /// Shared by Evaluate() and DecodeBody(): checks the references that `collect` finds, then calls
  /// `use`.
  Value EvaluateInScope(const ConfigNode& node, const StaticSubject& subject,
                        const std::function<void(Traversals&, Calls&)>& collect,
                        const std::function<Value(const lang::Scope&)>& use, Diagnostics& diags);
  std::optional<Value> OtherName(const hcl::TraversalExpr& traversal, Diagnostics& diags) const;
  bool CheckReferences(const ConfigNode& node, const Traversals& traversals, const Calls& calls,
                       Diagnostics& diags);
  Value Lookup(const ConfigNode& node, const hcl::TraversalExpr& traversal, Diagnostics& diags);
  /// The value of count.index, each.key or each.value in the expression that is being evaluated.
  Value RepeatedValue(ReferenceKind kind, const hcl::TraversalExpr& traversal,
                      Diagnostics& diags) const;
  Value LocalValue(const ConfigNode& node, const Local& local, Diagnostics& diags);
  /// The cached value of a variable or local value; `read` finds it if there is none.
  Value Cached(const CacheKey& key, Diagnostics& diags, const std::function<Value()>& read);
  Value VariableValue(const ConfigNode& node, const Variable& variable, const SourceRange& range,
                      Diagnostics& diags);
  bool GivenValue(const ConfigNode& node, const Variable& variable, InputValue& out,
                  Diagnostics& diags);
  /// The value of a reference to a called module.
  Value ModuleValue(const ConfigNode& node, const hcl::TraversalExpr& traversal,
                    Diagnostics& diags);
  uint32_t InstanceOf(const ConfigNode& node) const;
  /// The instances of a called module; null after an error.
  const Expansion* ExpansionOf(const ConfigNode& node, size_t call, Diagnostics& diags);
  /// The outputs of the instance of `child` that is being read.
  Value OutputValue(const ConfigNode& child, int output, Diagnostics& diags);
  Value OutputsOf(const ConfigNode& child, Diagnostics& diags);
  /// Calls `read` while a row of `expansion` is the instance of `child` that is being read.
  template <typename Read>
  Value InRow(const ConfigNode& node, const ConfigNode& child, const Expansion& expansion,
              size_t row, Read read);
  std::string SubjectText(const ConfigNode& node, const std::string& name) const;
  void AddUnavailable(const std::string& what, Diagnostics& diags);

  Program& program_;
  const LoadOptions& options_;
  std::string root_dir_;
  GivenByCaller caller_;
  OtherNames other_names_;
  std::vector<Frame> frames_;
  FlatMap<CacheKey, Value> cache_;
  bool reads_outputs_ = false;
  std::function<bool(const ConfigNode&)> sound_;
  bool lacks_module_ = false;
  FlatMap<uint32_t, ModuleInstance> instances_;  // by ConfigNode::index
  FlatMap<CacheKey, std::unique_ptr<Expansion>> expansions_;
};

}  // namespace kinu::config
