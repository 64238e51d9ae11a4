// Fuzzes the formatter and the editor. Formatting changes only spaces of any text; the formatted
// and the edited text of a valid file are valid.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/invariant.h"
#include "hcl/parse.h"
#include "hcl/writer/editor.h"
#include "hcl/writer/format.h"

namespace kinu::hcl::writer {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string WithoutBlanks(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t'; });
  return out;
}

void CheckParses(std::string_view text) {
  const auto source = SourceFile::Make("fuzz.tf", std::string(text));
  SyntaxTree tree;
  Diagnostics diags;
  ParseNative(source.get(), tree, diags);
  KINU_INVARIANT(!diags.has_errors(), "the result is valid");
}

/// Removes, renames and sets attributes and blocks, in every body.
void Edit(EditableBody& body) {
  const std::vector<std::string_view> names = body.AttributeNames();
  if (!names.empty()) {
    const std::string first(names.front());
    body.RemoveAttribute(first);
    body.SetAttribute(first, "[\n]");
    body.RenameAttribute(names.back(), "fuzz_renamed");
  }
  const std::vector<EditableBlock*> blocks = body.Blocks();
  for (EditableBlock* block : blocks) {
    Edit(block->body());
  }
  if (!blocks.empty()) {
    blocks.back()->SetLabels(std::vector<std::string>{"a", "${b}"});
    body.RemoveBlock(blocks.front());
  }
  body.AppendComment("one\ntwo");
  body.AppendBlock("fuzz_block", std::vector<std::string>{"x"}).body().SetAttribute("y", "1");
}

void FuzzOne(std::string_view text) {
  const size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  KINU_INVARIANT(WithoutBlanks(Format(text)) == WithoutBlanks(text.substr(begin)),
                 "only spaces change");
  const auto source = SourceFile::Make("fuzz.tf", std::string(text));
  Diagnostics diags;
  const std::optional<std::string> formatted = FormatFile(source.get(), diags);
  if (!formatted) {
    return;
  }
  CheckParses(*formatted);
  const std::unique_ptr<Document> document = Document::Parse(source.get(), diags);
  KINU_INVARIANT(document != nullptr && document->Text() == text, "unedited text is the same");
  Edit(document->body());
  CheckParses(document->Text());
}

}  // namespace
}  // namespace kinu::hcl::writer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kinu::hcl::writer::FuzzOne({reinterpret_cast<const char*>(data), size});
  return 0;
}
