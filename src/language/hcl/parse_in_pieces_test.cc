#include "hcl/parse_in_pieces.h"

#include <string>

#include <gtest/gtest.h>

#include "hcl/walk.h"

namespace kinu::hcl {
namespace {

constexpr unsigned kThreads = 4;
constexpr size_t kLarge = 600 << 10;

/// Blocks, each with what `inside` makes of its number.
template <typename Inside>
std::string ManyBlocks(Inside inside) {
  std::string text = "\n";
  for (size_t i = 0; text.size() < kLarge; ++i) {
    text += "thing \"a\" \"b" + std::to_string(i) + "\" {\n" + inside(i) + "}\n\n";
  }
  return text;
}

void Describe(const Expr& expr, std::string& out) {
  out += std::to_string(static_cast<int>(expr.kind)) + "@" + std::to_string(expr.begin) + "-" +
         std::to_string(expr.end) + " ";
  ForEachChild(expr, [&](const Expr& child) { Describe(child, out); });
}

void Describe(const NativeBody& body, std::string& out) {
  out += "{" + std::to_string(body.begin) + "-" + std::to_string(body.end) + " ";
  for (const NativeAttribute& attribute : body.attributes) {
    out += std::string(attribute.name) + "=" + std::to_string(attribute.begin) + " ";
    Describe(*attribute.expr, out);
  }
  for (const NativeBlock& block : body.blocks) {
    out += std::string(block.type) + " ";
    for (size_t i = 0; i < block.labels.size(); ++i) {
      out += std::string(block.labels[i]) + "@" + std::to_string(block.labels[i].begin) + " ";
    }
    Describe(*block.body, out);
  }
  out += "}\n";
}

/// The tree and the diagnostics of a text as text.
std::string Parse(const std::string& text, unsigned threads) {
  const Ref<const SourceFile> source = SourceFile::Make("test.tf", text);
  SyntaxTree tree;
  Diagnostics diags;
  std::string out;
  Describe(*ParseNativeInPieces(source.get(), tree, threads, diags), out);
  for (const Diagnostic& diagnostic : diags) {
    out += diagnostic.summary + "@" + ToText(diagnostic.subject) + "\n";
  }
  return out;
}

void ExpectSame(const std::string& text) {
  ASSERT_FALSE(LikelyCuts(text, kThreads).empty());
  EXPECT_EQ(Parse(text, 1), Parse(text, kThreads));
}

TEST(ParseNativeInPieces, GivesTheTreeOfOneThread) {
  ExpectSame(ManyBlocks([](size_t i) {
    return "  a = \"x${var.b}\"\n  nested {\n    c = [" + std::to_string(i) + ", local.d]\n  }\n";
  }));
}

TEST(ParseNativeInPieces, CutsInHeredocsAndCommentsAreFoundOut) {
  ExpectSame(ManyBlocks([](size_t) { return "  a = <<EOT\nb {\n}\nc = 1\n}\nd {\nEOT\n"; }));
  ExpectSame(ManyBlocks([](size_t) { return "/*\n}\ne {\n*/\n"; }));
  // One text in which everything is within one heredoc.
  ExpectSame("a = <<EOT\n" + ManyBlocks([](size_t) { return "  b = 1\n"; }) + "EOT\n");
}

TEST(ParseNativeInPieces, ReportsProblemsOnce) {
  std::string text = ManyBlocks([](size_t) { return "  a = 1\n"; });
  ExpectSame(text + "broken {\n");
  ExpectSame(text + "a = 1\na = 2\n");
  ExpectSame("}\n" + text);
  text.insert(text.find("a = 1", text.size() / 2), "a = ");
  ExpectSame(text);
}

TEST(ParseNativeInPieces, AttributesOfSeveralPiecesAreDistinct) {
  const std::string text = ManyBlocks([](size_t) { return "  a = 1\n"; });
  ExpectSame("b = 1\n" + text + "b = 2\n");
}

TEST(ParseNativeInPieces, OtherTextsAreParsedWhole) {
  ExpectSame(ManyBlocks([](size_t) { return "  a = \"ä\"\n"; }));
  EXPECT_TRUE(LikelyCuts(std::string(kLarge, 'x'), kThreads).empty());
}

}  // namespace
}  // namespace kinu::hcl
