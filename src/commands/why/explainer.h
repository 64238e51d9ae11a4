// Explainer: builds the graph of causes. Private to why.
#pragma once

#include "why/argument.h"
#include "why/explain.h"
#include "why/objects.h"
#include "why/planned_values.h"

namespace kinu::why {

/// Each cause is made once, by its key. Objects and attributes are in explain_objects.cc, outputs
/// of the root module in explain_outputs.cc, expressions and what they refer to in explain.cc.
class Explainer {
 public:
  explicit Explainer(const Request& request);
  Explanation Run(const Wanted& wanted);

 private:
  using Causes = std::vector<uint32_t>;
  /// What is followed through expressions: what the plan knows to differ, or all else that may.
  enum class Search : uint8_t { kKnown, kPossible };

  /// An expression with its place.
  struct Subject {
    const Argument& argument;
    const Place& place;
    std::string address;  ///< of the object or named value that the argument belongs to
    std::string path;     ///< the argument
    std::optional<std::string> earlier;  ///< its text in the earlier configuration
    bool hidden = false;                 ///< it may hold what is sensitive
  };

  // Objects.
  uint32_t OfChange(const plan::ResourceChange& change);
  std::optional<uint32_t> OfObject(const ResourceInstance& address);
  void ExplainData(const PlannedObject& object, const ResourceInstance& address, Causes& causes);
  const schema::ResourceSchema* SchemaFor(const PlannedObject& object,
                                          const ResourceInstance& address) const;
  uint32_t OfUnchanged(const ResourceInstance& address);
  void ExplainChange(const plan::ResourceChange& change, Causes& causes);
  bool ExplainReason(const plan::ResourceChange& change, Causes& causes);
  void ExplainReplacement(const plan::ResourceChange& change, Causes& causes);
  void ExplainTriggers(const plan::ResourceChange& change, Causes& causes);
  void ExplainCreation(const plan::ResourceChange& change, Causes& causes);
  void ExplainAbsence(const plan::ResourceChange& change, Causes& causes);
  void ExplainRead(const plan::ResourceChange& change, Causes& causes);
  void ExplainUpdate(const plan::ResourceChange& change, Causes& causes);
  void ExplainMissingModule(ModuleInstId module, bool created, Causes& causes);
  uint32_t OfAttribute(const ResourceInstance& address, std::string_view name);
  void ExplainAttribute(const PlannedObject& object, const ResourceInstance& address,
                        std::string_view name, bool hidden, Causes& causes);
  void ExplainArgument(const PlannedObject& object, const ResourceInstance& address,
                       std::string_view name, const Argument& argument, bool hidden,
                       Causes& causes);
  const std::pair<Value, Value>& Bodies(const ResourceInstance& address,
                                        const config::Resource& resource,
                                        const schema::Block& block);
  std::vector<Call> CallsOf(ModuleInstId module) const;
  /// The `moved` block that names the address: in `from` if the object leaves it, else in `to`.
  SourceRange MovedBlock(const ResourceInstance& address, bool leaves) const;
  SourceRange ImportBlock(const ResourceInstance& address) const;
  SourceRange RemovedBlock(const ResourceInstance& address) const;

  // Outputs of the root module.
  void AddOutputs(const Wanted& wanted);
  uint32_t OfOutput(const plan::OutputChange& change);
  void ExplainOutput(const plan::OutputChange& change, const config::Output* block, Causes& causes);
  void ExplainOutputArguments(const plan::OutputChange& change, const config::Output& block,
                              Causes& causes);
  bool IsNewOutput(const plan::OutputChange& change, const config::Output& block, Causes& causes);
  void ExplainOutputValue(const plan::OutputChange& change, const config::Output& block,
                          Causes& causes);

  // Expressions.
  void Follow(const Subject& subject, Search search, Causes& causes);
  void FollowReference(const Subject& subject, const hcl::TraversalExpr& traversal, Search search,
                       Causes& causes);
  void FollowObject(const Subject& subject, const config::Reference& ref,
                    const hcl::TraversalExpr& traversal, Causes& causes);
  void FollowInstance(const ResourceInstance& address, std::span<const hcl::TraversalStep> steps,
                      Causes& causes);
  void FollowVariable(const Subject& subject, const config::ConfigNode& node, size_t variable,
                      Search search, Causes& causes);
  void FollowLocal(const Subject& subject, const config::ConfigNode& node, size_t local,
                   Search search, Causes& causes);
  void FollowModule(const Subject& subject, const config::ConfigNode& node,
                    const config::Reference& ref, Search search, Causes& causes);
  void FollowOutput(ModuleInstId module, const config::ConfigNode& node, size_t output, bool hidden,
                    Search search, Causes& causes);
  void FollowRepetition(const Place& place, const std::string& address, bool hidden, Search search,
                        Causes& causes);
  std::pair<std::string, std::optional<std::string>> RepeatedBlock(const std::string& address,
                                                                   std::string_view name);
  void FollowCalls(const Subject& subject, Causes& causes);
  bool IsSameFile(Cause& cause) const;
  void AddEdited(const Subject& subject, Causes& causes);
  void RootVariable(const config::ConfigNode& node, size_t variable, bool hidden, Causes& causes);
  /// What `repetition` says of one instance that comes or goes.
  void ExplainKey(const Place& place, const std::string& address, Causes& causes);

  // The graph.
  struct Made {
    uint32_t at = 0;
    bool is_new = false;
  };
  /// The cause of that key, which is made of `cause` at first.
  Made Make(const std::string& key, Cause cause);
  uint32_t Leaf(const std::string& key, Cause cause, Causes& causes);
  /// A named value whose causes `follow` finds. It is left out if an earlier configuration shows
  /// that nothing below it has changed.
  template <typename Follow>
  void Named(const std::string& key, Cause cause, Search search, Causes& causes, Follow&& follow);
  void SetCauses(uint32_t at, Causes causes);
  /// What is the only possible cause is certain.
  void Settle();

  void Describe(Cause& cause, const Argument& argument, bool hidden) const;
  /// Sets the values before and after, as far as they may be shown.
  static void SetValues(Cause& cause, const Value& before, const Value& after, bool hidden);
  static bool IsSensitive(const Value& value);
  static bool Differ(const Value& a, const Value& b);
  std::string NameIn(ModuleInstId module, std::string_view name) const;
  const config::Resource* BlockOf(const AbsResource& resource) const;
  const config::ConfigNode* EarlierNode(ModuleInstId module) const;
  bool compares() const { return request_.earlier.config != nullptr; }

  const Request& request_;
  Program& program_;
  Objects objects_;
  PlannedValues now_;
  PlannedValues then_;
  Explanation out_;
  FlatMap<std::string, uint32_t> made_;
  FlatSet<std::string> pruned_;
  FlatMap<std::string, std::pair<Value, Value>> bodies_;
};

}  // namespace kinu::why
