// `moved` blocks. Ref: opentofu internal/configs/moved.go.
#include "config/address.h"
#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr hcl::AttributeSchema kArguments[] = {{"from", true}, {"to", true}};

}  // namespace

void ReadMovedBlock(BlockReader& reader, const hcl::Block& block) {
  Diagnostics& diags = reader.diags;
  const size_t errors = diags.error_count();
  const hcl::BodyContent content =
      block.body->Content({.attributes = kArguments}, hcl::Strictness::kExact, diags);
  Moved moved;
  moved.range = block.def_range;
  const auto read = [&](std::string_view name, const hcl::TraversalExpr*& traversal) {
    std::optional<Endpoint> found;
    if (const hcl::Attribute* attribute = content.Find(name)) {
      traversal = ReadTraversal(reader, *attribute->expr);
      if (traversal != nullptr) {
        found =
            AddressReader(reader.program, *traversal, AddressKeys::kAllowed, diags).ReadEndpoint();
      }
    }
    return found;
  };
  const auto allow = [&](std::string_view name, const std::optional<Endpoint>& found) {
    if (!found || (!found->is_module && found->resource.mode == ResourceMode::kEphemeral)) {
      diags.Error("Invalid \"moved\" address",
                  "The resource referenced by the " + Quoted(name) +
                      " attribute is not allowed to be moved.",
                  block.def_range);
    }
  };
  const std::optional<Endpoint> from = read("from", moved.from);
  const std::optional<Endpoint> to = read("to", moved.to);
  allow("from", from);
  allow("to", to);
  moved.from_endpoint = from.value_or(Endpoint());
  moved.to_endpoint = to.value_or(Endpoint());
  if (diags.error_count() == errors &&
      moved.from_endpoint.is_module != moved.to_endpoint.is_module) {
    diags.Error("Invalid \"moved\" addresses",
                "The \"from\" and \"to\" addresses must either both refer to resources or both "
                "refer to modules.",
                block.def_range);
  }
  reader.out.moved.push_back(std::move(moved));
}

}  // namespace kinu::config
