#include "config/merged_body.h"

#include <gtest/gtest.h>

#include "hcl/parse.h"

namespace kinu::config {
namespace {

constexpr std::string_view kLabels[] = {"type"};
constexpr hcl::BlockSchema kBlocks[] = {{"label"}, {"disk"}};
constexpr hcl::BlockSchema kBlocksAndDynamic[] = {{"label"}, {"disk"}, {"dynamic", kLabels}};

/// The types of the blocks that a body with an override has, and the label of a dynamic one.
std::vector<std::string> Blocks(std::string_view base, std::string_view over,
                                std::span<const hcl::BlockSchema> schema) {
  hcl::SyntaxTree tree;
  Diagnostics diags;
  const auto parse = [&](std::string_view text) {
    const Ref<const SourceFile> file = SourceFile::Make("x", std::string(text));
    tree.KeepSource(file);
    return text.starts_with('{') ? hcl::ParseJson(file.get(), tree, diags)
                                 : hcl::ParseNative(file.get(), tree, diags);
  };
  const OverriddenBody body(parse(base), parse(over));
  std::vector<std::string> out;
  for (const hcl::Block& block :
       body.Content({.blocks = schema}, hcl::Strictness::kPartial, diags).blocks) {
    out.push_back(std::string(block.type) +
                  (block.labels.empty() ? "" : "." + std::string(block.labels[0])));
  }
  EXPECT_FALSE(diags.has_errors());
  return out;
}

using Types = std::vector<std::string>;
constexpr std::string_view kStatic = "label {}\nlabel {}\ndisk {}\n";
constexpr std::string_view kDynamic = "dynamic \"label\" {\n}\n";
constexpr std::string_view kDynamicJson = R"({"dynamic": {"label": {}}})";

TEST(OverriddenBody, DynamicBlocksAreOnlyForThoseWhoAsk) {
  for (const std::string_view dynamic : {kDynamic, kDynamicJson}) {
    EXPECT_EQ(Blocks(kStatic, dynamic, kBlocks), (Types{"disk"}));
    EXPECT_EQ(Blocks(kStatic, dynamic, kBlocksAndDynamic), (Types{"disk", "dynamic.label"}));
    EXPECT_EQ(Blocks(dynamic, kStatic, kBlocks), (Types{"label", "label", "disk"}));
    EXPECT_EQ(Blocks(dynamic, kStatic, kBlocksAndDynamic), (Types{"label", "label", "disk"}));
    EXPECT_EQ(Blocks(dynamic, dynamic, kBlocks), Types{});
    EXPECT_EQ(Blocks(dynamic, "disk {}", kBlocks), (Types{"disk"}));
  }
}

}  // namespace
}  // namespace kinu::config
