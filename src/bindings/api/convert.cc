#include "convert/convert.h"

#include <kinu/hcl.h>

#include "api/access.h"

namespace kinu::v1 {
namespace {

convert::Nested ToInner(NestedObjects nested) {
  switch (nested) {
    case NestedObjects::kArraysAreBlocks:
      return convert::Nested::kArrays;
    case NestedObjects::kAreArguments:
      return convert::Nested::kArguments;
    case NestedObjects::kAreBlocks:
      return convert::Nested::kBlocks;
  }
  return convert::Nested::kArrays;
}

}  // namespace

std::optional<std::string> Convert(std::string_view name, std::string_view text, Syntax to,
                                   Diagnostics& problems, NestedObjects nested) {
  hcl::SyntaxTree tree;
  InnerDiagnostics diags;
  const auto source = SourceFile::Make(std::string(name), std::string(text));
  const convert::BodyShape& shape = convert::ShapeForFile(name);
  const bool is_json = to == Syntax::kByName ? name.ends_with(".json") : to == Syntax::kNative;
  std::optional<std::string> result =
      is_json ? convert::JsonToNative(*source, shape, {.nested = ToInner(nested)}, tree, diags)
              : convert::NativeToJson(*source, shape, diags);
  AppendTo(problems, diags);
  return diags.has_errors() ? std::nullopt : std::move(result);
}

}  // namespace kinu::v1
