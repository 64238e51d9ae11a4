// Fuzzes the lexer and the parser of the native syntax. The first byte chooses the grammar.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/invariant.h"
#include "hcl/lexer.h"
#include "hcl/node_at.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/walk.h"

namespace kinu::hcl {
namespace {

/// Checks that tokens are in order and inside the text, and that the last one is kEof.
void CheckTokens(std::string_view text, LexMode mode) {
  uint32_t at = 0;
  const std::vector<Token> tokens = Lex(text, mode, Comments::kKeep);
  for (const Token& token : tokens) {
    KINU_INVARIANT(token.begin >= at && token.end >= token.begin && token.end <= text.size(),
                   "tokens are in order");
    at = token.end;
  }
  KINU_INVARIANT(!tokens.empty() && tokens.back().kind == TokenKind::kEof, "tokens end");
}

void CheckExpr(const Expr& expr) {
  KINU_INVARIANT(expr.begin <= expr.end && expr.end <= expr.file()->text().size(), "range in file");
  StartRange(expr);
  ForEachChild(expr, CheckExpr);
}

void CheckBody(const NativeBody& body) {
  for (const NativeAttribute& attribute : body.attributes) {
    CheckExpr(*attribute.expr);
  }
  for (const NativeBlock& block : body.blocks) {
    for (const Label& label : block.labels) {
      KINU_INVARIANT(label.begin <= label.end && label.end <= body.file->text().size(),
                     "range in file");
    }
    CheckBody(*block.body);
  }
  Diagnostics diags;
  body.Content({}, Strictness::kExact, diags);
  body.JustAttributes({}, diags);
}

/// Checks that items are in source order, and what stands at offsets near their ends.
void CheckOrder(const NativeBody& body, const NativeBody& file) {
  uint32_t at = 0;
  for (const NativeAttribute& attribute : body.attributes) {
    KINU_INVARIANT(attribute.begin >= at && attribute.begin <= attribute.end,
                   "attributes in order");
    at = attribute.end;
    FindNodeAt(file, attribute.end);
  }
  at = 0;
  for (const NativeBlock& block : body.blocks) {
    KINU_INVARIANT(block.type_begin >= at && block.open_brace <= block.close_brace,
                   "blocks in order");
    at = block.header_end();
    FindNodeAt(file, block.header_end());
    CheckOrder(*block.body, file);
  }
}

/// Checks that the incomplete mode reports what the strict mode has reported.
void CheckIncomplete(const SourceFile& source, const Diagnostics& strict) {
  SyntaxTree tree;
  Diagnostics diags;
  const NativeBody* body = ParseNative(&source, tree, diags, ParseMode::kIncomplete);
  KINU_INVARIANT(diags.size() == strict.size(), "both modes report the same");
  for (size_t i = 0; i < diags.size(); ++i) {
    const Diagnostic& one = strict.list()[i];
    const Diagnostic& other = diags.list()[i];
    KINU_INVARIANT(one.summary == other.summary && one.detail == other.detail &&
                       one.subject == other.subject && one.context == other.context,
                   "both modes report the same");
  }
  CheckBody(*body);
  CheckOrder(*body, *body);
  const auto size = static_cast<uint32_t>(source.text().size());
  for (uint32_t offset = 0; offset <= size; offset += 1 + size / 16) {
    FindNodeAt(*body, offset);
  }
}

void CheckDiagnostics(const Diagnostics& diags) {
  for (const Diagnostic& diagnostic : diags) {
    diagnostic.subject.start_position();
    diagnostic.subject.end_position();
  }
}

void FuzzOne(std::string_view input) {
  if (input.empty()) {
    return;
  }
  const auto choice = static_cast<unsigned char>(input.front()) % 4;
  const auto source = SourceFile::Make("fuzz.tf", std::string(input.substr(1)));
  SyntaxTree tree;
  Diagnostics diags;
  CheckTokens(source->text(), choice == 2 ? LexMode::kTemplate : LexMode::kNormal);
  if (choice == 0) {
    CheckBody(*ParseNative(source.get(), tree, diags));
    CheckIncomplete(*source, diags);
  } else if (choice == 3) {
    ParseTraversal(source.get(), tree, /*partial=*/true, diags);
  } else {
    const Expr* expr = choice == 1 ? ParseExpression(source.get(), tree, diags)
                                   : ParseTemplate(source.get(), tree, diags);
    CheckExpr(*expr);
    std::vector<const TraversalExpr*> traversals;
    CollectTraversals(*expr, traversals);
    AsTraversal(*expr, tree);
  }
  CheckDiagnostics(diags);
}

}  // namespace
}  // namespace kinu::hcl

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kinu::hcl::FuzzOne({reinterpret_cast<const char*>(data), size});
  return 0;
}
