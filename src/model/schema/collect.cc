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

// Collects the references and calls of an expression. `iterators`: a list of Iterator or Binding.
template <typename Named>
void CollectReferences(const hcl::Expr& expr, const Named* iterators,
                       std::vector<const hcl::TraversalExpr*>& traversals,
                       std::vector<const hcl::CallExpr*>& calls) {
  const size_t first = traversals.size();
  hcl::CollectTraversalsAndCalls(expr, traversals, calls);
  if (iterators == nullptr) {
    return;
  }
  const auto is_iterator = [iterators](const hcl::TraversalExpr* traversal) {
    for (const Named* i = iterators; i != nullptr; i = i->outer) {
      if (i->name == traversal->root) {
        return true;
      }
    }
    return false;
  };
  const auto begin = traversals.begin() + static_cast<std::ptrdiff_t>(first);
  traversals.erase(std::remove_if(begin, traversals.end(), is_iterator), traversals.end());
}

// The types of blocks that a body with this schema may have, and what may be written as blocks.
std::vector<hcl::BlockSchema> BlocksIn(const Block& schema) {
  std::vector<hcl::BlockSchema> blocks;
  blocks.reserve(1 + schema.blocks.size());
  for (const Attribute& attribute : schema.attributes) {
    if (CanBeBlocks(attribute.type)) {
      blocks.push_back({attribute.name, {}});
    }
  }
  blocks.insert(blocks.end(), schema.body_blocks().begin(), schema.body_blocks().end());
  return blocks;
}

// Calls `visit(schema)` with the schema of the blocks of a type, if there are any.
template <typename F>
void WithSchemaOf(const Block& schema, std::string_view type, F&& visit) {
  if (const NestedBlock* nested = schema.FindBlock(type)) {
    visit(nested->block);
  } else if (const Attribute* attribute = schema.FindAttribute(type);
             attribute != nullptr && CanBeBlocks(attribute->type)) {
    visit(BlockForObject(attribute->type.element()));
  }
}

class Collector {
 public:
  Collector(BodyPart part, std::vector<const hcl::TraversalExpr*>& traversals,
            std::vector<const hcl::CallExpr*>& calls)
      : part_(part), traversals_(traversals), calls_(calls) {}

  void Visit(const Block& schema, const hcl::Body& body, std::span<const std::string_view> hidden,
             const Iterator* iterators) {
    Diagnostics ignored;
    std::vector<hcl::BlockSchema> blocks = BlocksIn(schema);
    blocks.push_back(lang::kDynamicBlock);
    const hcl::BodyContent content =
        body.Content({.attributes = schema.body_attributes(), .blocks = blocks, .hidden = hidden},
                     hcl::Strictness::kPartial, ignored);
    if (part_ == BodyPart::kAll) {
      for (const hcl::Attribute& attribute : content.attributes) {
        Collect(*attribute.expr, iterators);
      }
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
      WithSchemaOf(schema, child.type,
                   [&](const Block& nested) { Visit(nested, *child.body, {}, child.iterators); });
    }
  }

 private:
  void Collect(const hcl::Expr& expr, const Iterator* iterators) {
    CollectReferences(expr, iterators, traversals_, calls_);
  }

  BodyPart part_;
  std::vector<const hcl::TraversalExpr*>& traversals_;
  std::vector<const hcl::CallExpr*>& calls_;
  std::forward_list<Iterator> iterators_;
  // Arena of the expressions in `dynamic` blocks. Created for the first one.
  std::optional<hcl::SyntaxTree> tree_;
};

// Collects from a body whose `dynamic` blocks are expanded. Reports nothing.
class ExpandedCollector {
 public:
  ExpandedCollector(const lang::Scope& expansion,
                    std::vector<const hcl::TraversalExpr*>& traversals,
                    std::vector<const hcl::CallExpr*>& calls)
      : expansion_(expansion), traversals_(traversals), calls_(calls) {}

  void Visit(const Block& schema, const hcl::Body& body, std::span<const std::string_view> hidden,
             const lang::Binding* bindings) {
    Diagnostics ignored;
    const std::vector<hcl::BlockSchema> blocks = BlocksIn(schema);
    const lang::ExpandedContent content = lang::ExpandContent(
        body, {.attributes = schema.body_attributes(), .blocks = blocks, .hidden = hidden},
        hcl::Strictness::kPartial, expansion_, bindings, store_, ignored);
    for (const hcl::Attribute& attribute : content.attributes) {
      CollectReferences(*attribute.expr, bindings, traversals_, calls_);
    }
    for (const lang::ExpandedBlock& block : content.blocks) {
      WithSchemaOf(schema, block.block.type, [&](const Block& nested) {
        Visit(nested, *block.block.body, {}, block.bindings);
      });
    }
  }

 private:
  const lang::Scope& expansion_;
  lang::ExpansionStore store_;
  std::vector<const hcl::TraversalExpr*>& traversals_;
  std::vector<const hcl::CallExpr*>& calls_;
};

}  // namespace

void CollectBodyTraversals(const Block& block, const hcl::Body& body,
                           std::span<const std::string_view> hidden,
                           std::vector<const hcl::TraversalExpr*>& traversals,
                           std::vector<const hcl::CallExpr*>& calls, BodyPart part) {
  Collector(part, traversals, calls).Visit(block, body, hidden, nullptr);
}

void CollectExpandedTraversals(const Block& block, const hcl::Body& body,
                               std::span<const std::string_view> hidden,
                               const lang::Scope& expansion,
                               std::vector<const hcl::TraversalExpr*>& traversals,
                               std::vector<const hcl::CallExpr*>& calls) {
  ExpandedCollector(expansion, traversals, calls).Visit(block, body, hidden, nullptr);
}

}  // namespace kinu::schema
