#include "base/loop_threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include <sched.h>

#include "base/pieces.h"
#include "base/thread.h"

namespace kinu {
namespace {

/// Passes that a thread takes at once: enough to make taking them cheap, few enough to end
/// together.
size_t PieceOf(size_t count, unsigned threads) {
  constexpr size_t kPiecesPerThread = 16;
  return std::max<size_t>(1, count / (kPiecesPerThread * threads));
}

}  // namespace

unsigned UsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
  return static_cast<unsigned>(std::max(count, 1));
}

struct LoopThreads::Shared {
  std::mutex mutex;
  std::condition_variable begun;
  std::condition_variable ended;
  bool taken = false;  ///< a loop runs
  bool closing = false;
  bool full = false;   ///< the system has no room for more threads
  size_t loop = 0;     ///< the number of loops so far
  size_t helping = 0;  ///< threads in the loop, without the one that began it
  const std::function<void(size_t)>* work = nullptr;  ///< null: the loop needs no more threads
  size_t count = 0;
  size_t piece = 1;
  std::atomic<size_t> next{0};
  std::vector<std::unique_ptr<BigThread>> workers;

  void Work(const std::function<void(size_t)>& pass) {
    for (size_t at = next.fetch_add(piece); at < count; at = next.fetch_add(piece)) {
      const size_t end = std::min(count, at + piece);
      for (size_t i = at; i < end; ++i) {
        pass(i);
      }
    }
  }

  /// Starts what is missing of so many workers, as far as the system has room. False if there is
  /// none.
  bool StartWorkers(size_t wanted) {
    while (!full && workers.size() < wanted) {
      std::unique_ptr<BigThread> worker = BigThread::TryStart([this] { Help(); });
      full = worker == nullptr;
      if (!full) {
        workers.push_back(std::move(worker));
      }
    }
    return !workers.empty();
  }

  /// The life of a worker.
  void Help() {
    std::unique_lock lock(mutex);
    for (size_t seen = 0;;) {
      begun.wait(lock, [&] { return closing || (work != nullptr && loop != seen); });
      if (closing) {
        return;
      }
      seen = loop;
      ++helping;
      const std::function<void(size_t)>& pass = *work;
      lock.unlock();
      Work(pass);
      lock.lock();
      if (--helping == 0) {
        ended.notify_one();
      }
    }
  }
};

LoopThreads::LoopThreads(unsigned threads)
    : threads_(std::max(threads, 1U)), shared_(std::make_unique<Shared>()) {
}

LoopThreads::~LoopThreads() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->closing = true;
  }
  shared_->begun.notify_all();
  shared_->workers.clear();
}

void LoopThreads::Run(size_t count, const std::function<void(size_t)>& work) {
  if (!Begin(count, work)) {
    for (size_t i = 0; i < count; ++i) {
      work(i);
    }
    return;
  }
  shared_->Work(work);
  std::unique_lock lock(shared_->mutex);
  shared_->work = nullptr;
  shared_->ended.wait(lock, [&] { return shared_->helping == 0; });
  shared_->taken = false;
}

/// Calls the other threads to a loop. False if it is to run without them.
bool LoopThreads::Begin(size_t count, const std::function<void(size_t)>& work) {
  if (threads_ == 1 || count < 2) {
    return false;
  }
  Shared& shared = *shared_;
  const std::lock_guard lock(shared.mutex);
  if (shared.taken || !shared.StartWorkers(threads_ - 1)) {
    return false;
  }
  shared.taken = true;
  shared.work = &work;
  shared.count = count;
  shared.piece = PieceOf(count, threads_);
  shared.next.store(0);
  ++shared.loop;
  shared.begun.notify_all();
  return true;
}

namespace {

struct Piece {
  std::string text;
  Result<void> done;
};

/// One piece, which is empty, if they are not worth several threads.
std::vector<Piece> MakePieces(size_t count, size_t least, const MakePiece& make) {
  constexpr size_t kPiecesPerThread = 4;
  const unsigned cores = count < 2 * least ? 1 : UsableCores();
  if (cores == 1) {
    return std::vector<Piece>(1);
  }
  const size_t size = std::max(least, count / (cores * kPiecesPerThread) + 1);
  std::vector<Piece> pieces((count + size - 1) / size);
  std::atomic<size_t> longest{0};  // so far: the others are as long, and so need not grow
  LoopThreads(cores).Run(pieces.size(), [&](size_t i) {
    std::string& text = pieces[i].text;
    text.reserve(longest.load());
    pieces[i].done = make(i * size, std::min(count, (i + 1) * size), text);
    longest.store(std::max(longest.load(), text.size() + text.size() / 16));
  });
  return pieces;
}

}  // namespace

Result<std::vector<std::string>> MakeInPieces(size_t count, size_t least, const MakePiece& make) {
  std::vector<Piece> pieces = MakePieces(count, least, make);
  if (pieces.size() == 1) {
    pieces[0].done = make(0, count, pieces[0].text);
  }
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

Result<void> AppendInPieces(std::string& out, size_t count, size_t least, const MakePiece& make) {
  std::vector<Piece> pieces = MakePieces(count, least, make);
  if (pieces.size() == 1) {
    return make(0, count, out);
  }
  size_t total = out.size();
  for (const Piece& piece : pieces) {
    total += piece.text.size();
  }
  out.reserve(total + total / 8);  // room for what follows
  for (Piece& piece : pieces) {
    if (!piece.done) {
      return piece.done;
    }
    out += std::exchange(piece.text, {});
  }
  return {};
}

}  // namespace kinu
