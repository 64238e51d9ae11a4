// `dynamic` blocks: reading a body so that each of them stands for the blocks that it makes.
//
// A made block's body is the shared `content` body; what tells two of them apart is the binding of
// the iterator, so expressions of a block must be evaluated with the block's bindings. Bindings
// live in an ExpansionStore, which must outlive every use of the blocks. Ref: hcl v2 ext/dynblock.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "hcl/body.h"
#include "lang/eval.h"

namespace kinu::lang {

/// Owns what expansion makes: iterators and the syntax that JSON strings hold.
class ExpansionStore {
 public:
  ExpansionStore() = default;
  ExpansionStore(const ExpansionStore&) = delete;
  ExpansionStore& operator=(const ExpansionStore&) = delete;

  /// A binding that lives as long as the store. `name` must live as long, too.
  const Binding* Bind(std::string_view name, Value value, const Binding* outer);
  hcl::SyntaxTree& tree() { return tree_; }

 private:
  struct Entry {
    Value value;
    Binding binding;
  };
  std::deque<Entry> entries_;
  hcl::SyntaxTree tree_;
};

/// A block of the source, or one that a `dynamic` block made.
struct ExpandedBlock {
  hcl::Block block;
  const Binding* bindings = nullptr;  ///< names that expressions in the body see
  bool unknown = false;  ///< how many such blocks there are is not known; this one stands for all
  MarkSet marks;         ///< of `for_each`: they belong on the block's attributes and its value
};

struct ExpandedContent {
  std::vector<hcl::Attribute> attributes;
  std::vector<ExpandedBlock> blocks;  ///< source order
  SourceRange missing_item_range;
};

/// Reads a body through `schema` and expands its `dynamic` blocks one level deep: nested bodies are
/// read by further calls with the block's bindings. Expressions of the `dynamic` blocks themselves
/// are evaluated in `scope`.
ExpandedContent ExpandContent(const hcl::Body& body, const hcl::BodySchema& schema,
                              hcl::Strictness strictness, const Scope& scope,
                              const Binding* bindings, ExpansionStore& store, Diagnostics& diags);

/// The parts of a `dynamic` block, found without evaluating anything. For collecting references.
struct DynamicParts {
  std::string_view iterator;
  const hcl::Expr* for_each = nullptr;
  const hcl::Expr* labels = nullptr;
  std::vector<const hcl::Body*> contents;
};
/// False when the iterator's name cannot be told. `block` has the type "dynamic" and one label.
bool ReadDynamicParts(const hcl::Block& block, hcl::SyntaxTree& tree, DynamicParts& parts);

/// The block header that finds `dynamic` blocks.
inline constexpr std::string_view kDynamicLabels[] = {"type"};
inline constexpr hcl::BlockSchema kDynamicBlock{"dynamic", kDynamicLabels};

}  // namespace kinu::lang
