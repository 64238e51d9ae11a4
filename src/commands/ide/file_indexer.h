// Indexer: the walk over a file that finds what it declares and uses. Private to ide.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hcl/ast.h"
#include "hcl/body.h"
#include "hcl/static.h"
#include "ide/parsed_file.h"

namespace kinu::ide {

using hcl::Expr;
using hcl::ExprKind;
using hcl::TraversalExpr;
using hcl::TraversalStep;

/// Walks one file.
class Indexer {
 public:
  explicit Indexer(ParsedFile& file) : file_(file) {}
  void Run();
  /// Of a test, after Run().
  void ResolveRuns();

 private:
  void Block(const hcl::Block& block, Span whole);
  void Declare(Key key, SymbolKind kind, const hcl::Block& block, Span name, Span whole);
  void DeclareBlock(const hcl::Block& block, Span whole);
  void Locals(const hcl::Body& body);
  void Variables(const hcl::Body& body);
  /// The values that a test gives in all of its runs.
  void GivenInFile(const hcl::Body& body);
  void CallOf(const hcl::Block& block, Span whole);
  /// A run of a test: what its blocks name is in the module that it plans.
  void RunBlock(const hcl::Block& block);
  /// A block for which IsNestedBlock() is true.
  void NestedBlock(const hcl::Block& block, Span whole);
  /// Arguments and blocks of a body that stands in a block of the type.
  void Body(std::string_view type, const hcl::Body& body);
  void NativeItems(std::string_view type, const hcl::NativeBody& body);
  void DeclareInEncryption(std::string_view type, std::string_view label, std::string_view name,
                           Span at, Span whole);
  void DeclareInEncryption(std::string_view type, const Expr& value);
  void Argument(std::string_view block, std::string_view name, const Expr& value);
  /// The members of a JSON object that stands for blocks of the type.
  void JsonItems(std::string_view type, const Expr& value);
  /// False: the argument is no `dynamic` block of JSON syntax.
  bool JsonDynamicBlocks(std::string_view name, const Expr& value);

  void Expression(const Expr& expr);
  void Loop(const hcl::ForExpr& loop);
  void Traversal(const TraversalExpr& traversal);
  void RunSteps(const TraversalExpr& traversal);
  void Address(const Expr& expr);
  void AddressSteps(const TraversalExpr& traversal);
  void Provider(const Expr& expr);
  void ProviderWord(const Expr& expr, const std::string& through);
  static std::pair<Key, Span> ProviderNamed(const hcl::StaticTraversal& word);
  void DeclareAliases(const Expr& entry);
  void ProviderWithKey(const Expr& expr, const std::string& through);
  void Add(Key key, std::string through, Span name, Span whole) {
    if (name.begin == name.end) {
      return;
    }
    file_.uses.push_back({std::move(key), std::move(through), name, whole, is_move_});
  }
  /// A value for a variable of the module behind the calls.
  void AddGiven(std::string_view variable, const std::string& through, Span name, Span whole) {
    if (name.begin != name.end) {
      file_.uses.push_back({.key = "var." + std::string(variable),
                            .through = through,
                            .name = name,
                            .whole = whole,
                            .is_given = true});
    }
  }
  const TraversalExpr* AsTraversalExpr(const Expr& expr) const {
    return expr.kind == ExprKind::kTraversal ? static_cast<const TraversalExpr*>(&expr) : nullptr;
  }
  /// The bytes of a block, to the end of the text if its closing brace is missing.
  Span WholeOf(const hcl::NativeBlock& block) const {
    const uint32_t end = std::max(block.close_brace + 1, block.header_end());
    return {block.type_begin, std::min(end, static_cast<uint32_t>(file_.text().size()))};
  }
  /// The bytes of a block of JSON syntax, from its last name on.
  static Span WholeOf(const hcl::Block& block) {
    const Span name = SpanOf(block.labels.empty() ? block.type_range
                                                  : block.label_range(block.labels.size() - 1));
    const Span end = SpanOf(block.body->MissingItemRange());
    return {name.begin, std::max(end.end, SpanOf(block.def_range).end)};
  }
  bool IsBound(std::string_view name) const {
    return std::ranges::find(bound_, name) != bound_.end();
  }

  ParsedFile& file_;
  std::vector<std::string_view> bound_;  // names of loops and iterators around
  std::string call_;                     // the call whose block is walked
  std::string planned_;                  // by the run that is walked: a call of its module
  bool is_move_ = false;                 // in a `moved` or `removed` block
  bool in_encryption_ = false;
  std::vector<size_t> given_in_file_;    // uses: values of a test for all of its runs
  std::vector<size_t> outputs_of_runs_;  // uses: outputs behind `run.NAME.`
};

/// Blocks of `encryption` that have names.
inline bool IsNamedInEncryption(std::string_view type) {
  return type == "key_provider" || type == "method";
}

/// The key of an object of a resource type.
Key ResourceKey(ResourceMode mode, std::string_view type, std::string_view name);

}  // namespace kinu::ide
