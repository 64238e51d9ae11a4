// Collects the references of a body without evaluating it. Ref: opentofu
// internal/lang/blocktoattr/variables.go; hcl ext/dynblock/variables.go.
#include <algorithm>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>

#include "hcl/static.h"
#include "lang/dynamic.h"
#include "schema/decode.h"

namespace kinu::schema {
namespace {

// The iterators of the `dynamic` blocks around a body, innermost first. They are no references.
struct Iterator {
  std::string name;
  const Iterator* outer;
};

class Collector {
 public:
  Collector(std::vector<const hcl::TraversalExpr*>& traversals,
            std::vector<const hcl::CallExpr*>& calls)
      : traversals_(traversals), calls_(calls) {}

  void Visit(const Block& schema, const hcl::Body& body, std::span<const std::string_view> hidden,
             const Iterator* iterators) {
    Diagnostics ignored;
    std::vector<hcl::BlockSchema> blocks;
    blocks.reserve(1 + schema.blocks.size());
    blocks.push_back(lang::kDynamicBlock);
    for (const Attribute& attribute : schema.attributes) {
      if (CanBeBlocks(attribute.type)) {
        blocks.push_back({attribute.name, {}});
      }
    }
    blocks.insert(blocks.end(), schema.body_blocks().begin(), schema.body_blocks().end());
    const hcl::BodyContent content =
        body.Content({.attributes = schema.body_attributes(), .blocks = blocks, .hidden = hidden},
                     hcl::Strictness::kPartial, ignored);
    for (const hcl::Attribute& attribute : content.attributes) {
      Collect(*attribute.expr, iterators);
    }
    struct Child {
      std::string_view type;
      const hcl::Body* body;
      const Iterator* iterators;
    };
    std::vector<Child> children;
    for (const hcl::Block& block : content.blocks) {
      if (block.type != lang::kDynamicBlock.type) {
        children.push_back({block.type, block.body, iterators});
        continue;
      }
      lang::DynamicParts parts;
      if (!tree_) {
        tree_.emplace();
      }
      if (!lang::ReadDynamicParts(block, *tree_, parts)) {
        continue;
      }
      const Iterator* own =
          &iterators_.emplace_front(Iterator{std::string(parts.iterator), iterators});
      if (parts.for_each != nullptr) {
        Collect(*parts.for_each, iterators);
      }
      if (parts.labels != nullptr) {
        Collect(*parts.labels, own);
      }
      for (const hcl::Body* inner : parts.contents) {
        children.push_back({block.labels.front(), inner, own});
      }
    }
    for (const Child& child : children) {
      if (const NestedBlock* nested = schema.FindBlock(child.type)) {
        Visit(nested->block, *child.body, {}, child.iterators);
      } else if (const Attribute* attribute = schema.FindAttribute(child.type);
                 attribute != nullptr && CanBeBlocks(attribute->type)) {
        Visit(BlockForObject(attribute->type.element()), *child.body, {}, child.iterators);
      }
    }
  }

 private:
  void Collect(const hcl::Expr& expr, const Iterator* iterators) {
    const size_t first = traversals_.size();
    hcl::CollectTraversalsAndCalls(expr, traversals_, calls_);
    if (iterators == nullptr) {
      return;
    }
    const auto is_iterator = [iterators](const hcl::TraversalExpr* traversal) {
      for (const Iterator* i = iterators; i != nullptr; i = i->outer) {
        if (i->name == traversal->root) {
          return true;
        }
      }
      return false;
    };
    const auto begin = traversals_.begin() + static_cast<std::ptrdiff_t>(first);
    traversals_.erase(std::remove_if(begin, traversals_.end(), is_iterator), traversals_.end());
  }

  std::vector<const hcl::TraversalExpr*>& traversals_;
  std::vector<const hcl::CallExpr*>& calls_;
  std::forward_list<Iterator> iterators_;
  // Arena of the expressions in `dynamic` blocks. Created for the first one.
  std::optional<hcl::SyntaxTree> tree_;
};

}  // namespace

void CollectBodyTraversals(const Block& block, const hcl::Body& body,
                           std::span<const std::string_view> hidden,
                           std::vector<const hcl::TraversalExpr*>& traversals,
                           std::vector<const hcl::CallExpr*>& calls) {
  Collector(traversals, calls).Visit(block, body, hidden, nullptr);
}

}  // namespace kinu::schema
