// `locals` blocks. Ref: opentofu internal/configs/named_values.go decodeLocalsBlock.
#include "config/blocks/blocks.h"

namespace kinu::config {

void ReadLocalsBlock(BlockReader& reader, const hcl::Block& block) {
  for (const hcl::Attribute& attribute : block.body->JustAttributes({}, reader.diags)) {
    CheckName(reader, attribute.name, "Invalid local value name", attribute.name_range);
    reader.out.locals.push_back({reader.Intern(attribute.name), attribute.expr, attribute.range});
  }
}

}  // namespace kinu::config
