#include "hcl/parse_in_pieces.h"

#include <memory>

#include "base/loop_threads.h"
#include "hcl/parser.h"
#include "text/unicode.h"

namespace kinu::hcl {
namespace {

constexpr size_t kBytesPerBlock = 128;        // about; where it is less, a list has to grow
constexpr size_t kLeastPerPiece = 128 << 10;  // bytes; below, a thread costs more than it saves

/// A part of a file with what its parser found.
struct Piece {
  uint32_t begin = 0, end = 0;
  SyntaxTree* tree = nullptr;
  const NativeBody* body = nullptr;  ///< without its blocks
  std::vector<NativeBlock> blocks;
  Diagnostics diags;

  /// Whether it consists of complete blocks. If all pieces before it do, too, it begins at the top
  /// level.
  bool HasOnlyBlocks() const { return diags.empty() && body->attributes.empty(); }
};

void ParsePiece(const SourceFile* source, Piece& piece) {
  Parser parser(source, *piece.tree, {piece.begin, piece.end}, piece.diags);
  piece.blocks.reserve((piece.end - piece.begin) / kBytesPerBlock);
  piece.body = parser.ParseFile(piece.blocks);
  parser.ReportTokens();
}

const NativeBody* JoinPieces(std::span<const Piece> pieces, SyntaxTree& tree) {
  size_t count = 0;
  for (const Piece& piece : pieces) {
    count += piece.blocks.size();
  }
  ArenaList<NativeBlock> blocks;
  blocks.Reserve(tree.arena, count);
  for (const Piece& piece : pieces) {
    for (const NativeBlock& block : piece.blocks) {
      blocks.Add(tree.arena) = block;
    }
  }
  auto* body = tree.arena.New<NativeBody>(*pieces.front().body);
  body->end = pieces.back().body->end;
  body->blocks = std::span<const NativeBlock>(blocks.begin(), blocks.end());
  return body;
}

}  // namespace

std::vector<uint32_t> LikelyCuts(std::string_view text, size_t pieces) {
  constexpr std::string_view kBlockEnd = "\n}\n";
  std::vector<uint32_t> cuts;
  for (size_t i = 1; i < pieces; ++i) {
    const size_t at = text.find(kBlockEnd, text.size() / pieces * i);
    if (at == std::string_view::npos || at + kBlockEnd.size() >= text.size()) {
      break;
    }
    const auto cut = static_cast<uint32_t>(at + kBlockEnd.size());
    if (cuts.empty() || cut > cuts.back()) {
      cuts.push_back(cut);
    }
  }
  return cuts;
}

const NativeBody* ParseNativeInPieces(const SourceFile* source, SyntaxTree& tree, unsigned threads,
                                      Diagnostics& diags, ParseMode mode) {
  const std::string_view text = source->text();
  const size_t wanted = std::min<size_t>(threads, text.size() / kLeastPerPiece);
  // Columns of other texts are counted in grapheme clusters, whose table belongs to the whole file.
  if (wanted < 2 || !text::IsAscii(text)) {
    return ParseNative(source, tree, diags, mode);
  }
  std::vector<Piece> pieces(1);
  for (const uint32_t cut : LikelyCuts(text, wanted)) {
    pieces.back().end = cut;
    pieces.emplace_back().begin = cut;
  }
  pieces.back().end = static_cast<uint32_t>(text.size());
  for (Piece& piece : pieces) {
    piece.tree = tree.Own(std::make_unique<SyntaxTree>());
  }
  LoopThreads::OfProcess().Run(pieces.size(), threads,
                               [&](size_t i) { ParsePiece(source, pieces[i]); });
  for (const Piece& piece : pieces) {
    if (!piece.HasOnlyBlocks()) {
      return ParseNative(source, tree, diags, mode);
    }
  }
  return JoinPieces(pieces, tree);
}

}  // namespace kinu::hcl
