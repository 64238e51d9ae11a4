// `removed` blocks. Ref: opentofu internal/configs/removed.go.
#include "config/address.h"
#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr std::string_view kProvisionerLabels[] = {"type"};
constexpr hcl::AttributeSchema kArguments[] = {{"from", true}};
constexpr hcl::BlockSchema kBlocks[] = {{"lifecycle"}, {"provisioner", kProvisionerLabels}};
constexpr hcl::AttributeSchema kLifecycleArguments[] = {{"destroy"}};

void ReadFrom(BlockReader& reader, const hcl::Expr& expr, Removed& removed) {
  const hcl::TraversalExpr* traversal = ReadTraversal(reader, expr);
  if (traversal == nullptr) {
    return;
  }
  if (const auto from = ReadRemoveEndpoint(reader.program, *traversal, reader.diags)) {
    removed.from = *from;
  }
}

}  // namespace

void ReadRemovedBlock(BlockReader& reader, const hcl::Block& block) {
  Diagnostics& diags = reader.diags;
  const size_t errors = diags.error_count();
  const hcl::BodyContent content = block.body->Content(
      {.attributes = kArguments, .blocks = kBlocks}, hcl::Strictness::kExact, diags);
  Removed removed;
  removed.range = block.def_range;
  if (const hcl::Attribute* from = content.Find("from")) {
    ReadFrom(reader, *from->expr, removed);
  }
  const hcl::Block* lifecycle = nullptr;
  for (const hcl::Block& nested : content.blocks) {
    if (nested.type == "lifecycle") {
      if (!IsFirst(lifecycle, nested, "Duplicate lifecycle block", diags)) {
        continue;
      }
      const hcl::BodyContent arguments =
          nested.body->Content({.attributes = kLifecycleArguments}, hcl::Strictness::kExact, diags);
      if (const hcl::Attribute* destroy = arguments.Find("destroy")) {
        ReadBool(*destroy->expr, removed.destroy, diags);
        removed.has_destroy = true;
      }
      continue;
    }
    std::optional<Provisioner> provisioner = ReadProvisioner(reader, nested);
    if (!provisioner) {
      continue;
    }
    if (provisioner->when != Provisioner::When::kDestroy) {
      diags.Error("Invalid \"removed.provisioner\" block",
                  "\"removed\" blocks can only contain destroy provisioners. "
                  "\"removed.provisioner.when = destroy\" expected",
                  nested.def_range);
    } else if (removed.from.is_module) {
      diags.Error("Invalid \"removed\" block",
                  "\"removed\" blocks containing \"provisioner\"s can only target resources. Found "
                  "one block that is targeting a module",
                  block.def_range);
    } else {
      removed.provisioners.push_back(*provisioner);
    }
  }
  if (diags.error_count() == errors) {
    if (!removed.has_destroy) {
      diags.Warning("Missing lifecycle from the removed block",
                    "Say in a lifecycle block whether the object is destroyed (destroy = true) or "
                    "only forgotten (destroy = false, which is what happens now).",
                    block.def_range);
    } else if (!removed.destroy && !removed.provisioners.empty()) {
      diags.Warning(
          "Removed block provisioners will not be executed",
          "The 'removed' block has marked the resource to be forgotten and not destroyed. "
          "Therefore, the provisioners configured for it will not be executed.",
          block.def_range);
    }
  }
  reader.out.removed.push_back(std::move(removed));
}

}  // namespace kinu::config
