// `check` blocks. Ref: opentofu internal/configs/checks.go decodeCheckBlock.
#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr std::string_view kTypeAndName[] = {"type", "name"};
constexpr hcl::BlockSchema kBlocks[] = {{"data", kTypeAndName}, {"assert"}};

}  // namespace

void ReadCheckBlock(BlockReader& reader, const hcl::Block& block) {
  Diagnostics& diags = reader.diags;
  CheckBlock out;
  out.check.name = reader.Intern(block.labels[0]);
  out.check.range = block.def_range;
  if (reader.is_override) {
    diags.Error("Can't override check blocks", "Override files cannot override check blocks.",
                block.def_range);
    return;
  }
  const hcl::BodyContent content =
      block.body->Content({.blocks = kBlocks}, hcl::Strictness::kExact, diags);
  CheckName(reader, block.labels[0], "Invalid check block name", block.label_range(0));
  for (const hcl::Block& nested : content.blocks) {
    if (nested.type == "assert") {
      const size_t errors = diags.error_count();
      const Condition condition = ReadCondition(reader, nested);
      if (diags.error_count() == errors) {
        out.check.asserts.push_back(condition);
      }
    } else if (out.data) {
      diags.Error("Multiple data resource blocks",
                  "This check block already has a data resource defined at " +
                      ToText(out.data->range) + ".",
                  nested.def_range);
    } else {
      out.data = ReadDataBlock(reader, nested, true);
    }
  }
  if (out.check.asserts.empty()) {
    diags.Error("Zero assert blocks", "Check blocks must have at least one assert block.",
                block.def_range);
  }
  reader.out.checks.push_back(std::move(out));
}

}  // namespace kinu::config
