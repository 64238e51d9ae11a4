// Fuzzes the JSON syntax: parsing, reading bodies through a schema, and static analysis.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/walk.h"

namespace kinu::hcl {
namespace {

void Analyse(const Expr& expr, SyntaxTree& tree) {
  StartRange(expr);
  AsTraversal(expr, tree);
  AsCall(expr, tree);
  AsLiteralString(expr);
  expr.range().start_position();
  ForEachChild(expr, [&](const Expr& child) { Analyse(child, tree); });
}

void FuzzOne(std::string_view input, ParseMode mode) {
  const auto source = SourceFile::Make("fuzz.tf.json", std::string(input));
  SyntaxTree tree;
  Diagnostics diags;
  const Body& body = *ParseJson(source.get(), tree, diags, mode);
  const AttributeSchema attributes[] = {{"a", true}, {"b"}};
  const std::string_view labels[] = {"type", "name"};
  const BlockSchema blocks[] = {{"c"}, {"d", labels}};
  const BodyContent content = body.Content({attributes, blocks, {}}, Strictness::kExact, diags);
  for (const Attribute& attribute : content.attributes) {
    Analyse(*attribute.expr, tree);
  }
  for (const Block& block : content.blocks) {
    block.body->JustAttributes({}, diags);
  }
  for (const Attribute& attribute : body.JustAttributes({}, diags)) {
    Analyse(*attribute.expr, tree);
    std::vector<const TraversalExpr*> traversals;
    CollectTraversals(*attribute.expr, traversals);
  }
  for (const Diagnostic& diagnostic : diags) {
    diagnostic.subject.start_position();
    diagnostic.subject.end_position();
  }
}

}  // namespace
}  // namespace kinu::hcl

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  kinu::hcl::FuzzOne(input, kinu::hcl::ParseMode::kStrict);
  kinu::hcl::FuzzOne(input, kinu::hcl::ParseMode::kIncomplete);
  return 0;
}
