// Fuzzes conversion between the two syntaxes, in both directions. There is a result or an error,
// and results are valid and formatted. The conversions themselves check that the meaning is equal.
// The first byte chooses the direction and the shape of the file.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/invariant.h"
#include "convert/convert.h"
#include "hcl/parse.h"
#include "hcl/writer/format.h"

namespace kinu::convert {
namespace {

bool Parses(const std::string& text, bool json) {
  const auto source = SourceFile::Make("fuzz", text);
  hcl::SyntaxTree tree;
  Diagnostics diags;
  if (json) {
    hcl::ParseJson(source.get(), tree, diags);
  } else {
    hcl::ParseNative(source.get(), tree, diags);
  }
  return !diags.has_errors();
}

void CheckNative(const std::string& text, const BodyShape& shape) {
  const auto source = SourceFile::Make("fuzz.tf", text);
  Diagnostics diags;
  const std::optional<std::string> json = NativeToJson(*source, shape, diags);
  KINU_INVARIANT(json.has_value() == !diags.has_errors(), "a result or an error");
  KINU_INVARIANT(!json || Parses(*json, true), "the JSON result is valid");
}

void CheckJson(const std::string& text, const BodyShape& shape, Nested nested) {
  const auto source = SourceFile::Make("fuzz.tf.json", text);
  hcl::SyntaxTree tree;
  Diagnostics diags;
  const std::optional<std::string> native =
      JsonToNative(*source, shape, {.nested = nested}, tree, diags);
  KINU_INVARIANT(native.has_value() == !diags.has_errors(), "a result or an error");
  if (native) {
    KINU_INVARIANT(Parses(*native, false), "the native result is valid");
    KINU_INVARIANT(hcl::writer::Format(*native) == *native, "the native result is formatted");
    CheckNative(*native, shape);
  }
}

void FuzzOne(std::string_view input) {
  if (input.empty()) {
    return;
  }
  const auto choice = static_cast<unsigned char>(input[0]);
  const std::string text(input.substr(1));
  const BodyShape* const shapes[] = {&ModuleShape(), &VariablesShape(), &PlainShape(),
                                     &ForeignShape()};
  const BodyShape& shape = *shapes[choice % 4];
  if (choice / 4 % 2 == 0) {
    CheckNative(text, shape);
  } else {
    constexpr Nested kOptions[] = {Nested::kArrays, Nested::kArguments, Nested::kBlocks};
    CheckJson(text, shape, kOptions[choice / 8 % 3]);
  }
}

}  // namespace
}  // namespace kinu::convert

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kinu::convert::FuzzOne({reinterpret_cast<const char*>(data), size});
  return 0;
}
