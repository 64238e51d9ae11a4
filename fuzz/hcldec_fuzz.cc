// Fuzzes decoder specifications and decoding. The input is a spec file and a file to decode, with a
// line "---" between them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/invariant.h"
#include "cty/json.h"
#include "hcl/parse.h"
#include "hcldec/spec_file.h"

namespace kinu::hcldec {
namespace {

constexpr std::string_view kSeparator = "\n---\n";

void FuzzOne(std::string_view input) {
  const size_t at = input.find(kSeparator);
  const std::string_view spec_text = input.substr(0, at);
  const std::string_view text =
      at == std::string_view::npos ? std::string_view() : input.substr(at + kSeparator.size());

  Diagnostics diags;
  const auto file = SpecFile::Read(SourceFile::Make("spec", std::string(spec_text)), diags);
  KINU_INVARIANT(file != nullptr, "there is a spec even after errors");
  if (diags.has_errors()) {
    return;
  }
  const Spec& spec = file->spec();
  const Type implied = ImpliedType(spec);
  lang::ToolScope scope;
  file->AddTo(scope);
  hcl::SyntaxTree tree;
  const SourceFile* source = tree.KeepSource(SourceFile::Make("in", std::string(text)));
  const hcl::Body* body = text.starts_with('{') ? hcl::ParseJson(source, tree, diags)
                                                : hcl::ParseNative(source, tree, diags);
  CollectVariables(spec, *body);
  for (const bool expand : {false, true}) {
    Diagnostics problems;
    const Value value = DecodeSpec(spec, *body, scope,
                                   {.expand_dynamic = expand, .literal = scope.empty()}, problems);
    if (diags.has_errors() || problems.has_errors()) {
      continue;  // the value is partial
    }
    KINU_INVARIANT(value.type().ConformsTo(implied), "a value has the type of its spec");
    if (value.IsWhollyKnown() && !value.ContainsMarked()) {
      KINU_INVARIANT(ValueToJson(value, value.type()).has_value(), "a known value has a JSON text");
    }
  }
}

}  // namespace
}  // namespace kinu::hcldec

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kinu::hcldec::FuzzOne({reinterpret_cast<const char*>(data), size});
  return 0;
}
