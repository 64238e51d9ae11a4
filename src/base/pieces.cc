#include "base/pieces.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/loop_threads.h"

namespace kinu {
namespace {

struct Piece {
  std::string text;
  Result<void> done;
};

/// No threads are started for one piece.
void RunPieces(size_t count, unsigned cores, const std::function<void(size_t)>& make) {
  if (count == 1) {
    make(0);
  } else {
    LoopThreads::OfProcess().Run(count, cores, make);
  }
}

}  // namespace

Result<std::vector<std::string>> MakeInPieces(size_t count, size_t least, const MakePiece& make) {
  constexpr size_t kPiecesPerThread = 4;
  const unsigned cores = count < 2 * least ? 1 : UsableCores();
  const size_t size = cores == 1 ? std::max<size_t>(count, 1)
                                 : std::max(least, count / (cores * kPiecesPerThread) + 1);
  std::vector<Piece> pieces(std::max<size_t>(1, (count + size - 1) / size));
  std::atomic<size_t> longest{0};  // so far: the others are as long, and so need not grow
  const auto make_piece = [&](size_t i) {
    std::string& text = pieces[i].text;
    text.reserve(longest.load());
    pieces[i].done = make(i * size, std::min(count, (i + 1) * size), text);
    longest.store(std::max(longest.load(), text.size() + text.size() / 16));
  };
  RunPieces(pieces.size(), cores, make_piece);
  std::vector<std::string> texts;
  texts.reserve(pieces.size());
  for (Piece& piece : pieces) {
    if (!piece.done) {
      return std::unexpected(std::move(piece.done).error());
    }
    texts.push_back(std::move(piece.text));
  }
  return texts;
}

Result<void> StreamInPieces(size_t count, size_t size, const MakePiece& make,
                            const std::function<void(std::string_view)>& write) {
  constexpr size_t kPiecesPerThread = 4;
  const unsigned cores = count < 2 * size ? 1 : UsableCores();
  std::vector<Piece> pieces(cores == 1 ? 1 : cores * kPiecesPerThread);
  for (size_t begin = 0; begin < count;) {
    const size_t most = (count - begin + size - 1) / size;
    const size_t at_once = std::min(pieces.size(), most);
    const auto make_piece = [&](size_t i) {
      const size_t from = begin + i * size;
      pieces[i].text.clear();
      pieces[i].done = make(from, std::min(count, from + size), pieces[i].text);
    };
    RunPieces(at_once, cores, make_piece);
    for (size_t i = 0; i < at_once; ++i) {
      if (!pieces[i].done) {
        return pieces[i].done;
      }
      write(pieces[i].text);
    }
    begin += at_once * size;
  }
  return {};
}

}  // namespace kinu
