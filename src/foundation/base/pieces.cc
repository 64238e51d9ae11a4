#include "base/pieces.h"

#include <algorithm>
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
