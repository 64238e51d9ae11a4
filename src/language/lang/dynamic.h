// `dynamic` blocks: reads a body and replaces each `dynamic` block by the blocks that it generates.
//
// The generated blocks share the body of `content` and differ in the binding of the iterator, so
// expressions of a block must be evaluated with the block's bindings. Bindings live in an
// ExpansionStore, which must outlive every use of the blocks. Ref: hcl v2 ext/dynblock.
#pragma once

#include <forward_list>
#include <memory>
#include <string_view>
#include <vector>

#include "hcl/body.h"
#include "lang/eval.h"

namespace kinu::lang {

/// Owns the results of expansion: iterator bindings, labels, and syntax parsed from JSON strings.
class ExpansionStore {
 public:
  ExpansionStore() = default;
  ExpansionStore(const ExpansionStore&) = delete;
  ExpansionStore& operator=(const ExpansionStore&) = delete;

  /// Makes a binding that lives as long as the store. `name` must outlive the store.
  const Binding* Bind(std::string_view name, Value value, const Binding* outer);
  /// Has what is made of `dynamic` blocks. Most bodies have none.
  hcl::SyntaxTree& tree() {
    if (tree_ == nullptr) {
      tree_ = std::make_unique<hcl::SyntaxTree>();
    }
    return *tree_;
  }

 private:
  struct Entry {
    Value value;
    Binding binding;
  };
  std::forward_list<Entry> entries_;
  std::unique_ptr<hcl::SyntaxTree> tree_;
};

/// A block of the source, or one that a `dynamic` block generates.
struct ExpandedBlock {
  hcl::Block block;
  const Binding* bindings = nullptr;  ///< for the expressions in the body
  bool unknown = false;  ///< `for_each` is unknown; this block represents any number of blocks
  MarkSet marks;         ///< of `for_each`; the block's attributes and value get them too
};

/// Content of a body after expansion.
struct ExpandedContent {
  std::vector<hcl::Attribute> attributes;
  std::vector<ExpandedBlock> blocks;  ///< source order
  SourceRange missing_item_range;
};

/// Reads a body through `schema` and expands its `dynamic` blocks, one level deep: read the bodies
/// of the blocks by further calls with the bindings of the block. Evaluates `for_each` and `labels`
/// in `scope` with `bindings`.
ExpandedContent ExpandContent(const hcl::Body& body, const hcl::BodySchema& schema,
                              hcl::Strictness strictness, const Scope& scope,
                              const Binding* bindings, ExpansionStore& store, Diagnostics& diags);

/// The parts of a `dynamic` block without evaluation, for collecting references.
struct DynamicParts {
  std::string_view iterator;
  const hcl::Expr* for_each = nullptr;
  const hcl::Expr* labels = nullptr;
  std::vector<const hcl::Body*> contents;
};
/// Finds the parts of a block of type "dynamic" with one label. Reports no errors; false if the
/// iterator is not a name.
bool ReadDynamicParts(const hcl::Block& block, hcl::SyntaxTree& tree, DynamicParts& parts);

/// The schema of `dynamic` blocks.
inline constexpr std::string_view kDynamicLabels[] = {"type"};
inline constexpr hcl::BlockSchema kDynamicBlock{"dynamic", kDynamicLabels};

}  // namespace kinu::lang
