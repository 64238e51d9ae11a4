#include "base/loop_threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include <sched.h>

#include "base/inherited.h"
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

/// A loop that runs. It lives on the stack of the thread that began it.
struct LoopThreads::Loop {
  const std::function<void(size_t)>& work;
  size_t count;
  size_t piece;
  size_t room;  ///< how many more threads may help
  void* inherited = inherited_pointer;
  size_t helping = 0;
  std::atomic<size_t> next{0};

  void Work() {
    for (size_t at = next.fetch_add(piece); at < count; at = next.fetch_add(piece)) {
      const size_t end = std::min(count, at + piece);
      for (size_t i = at; i < end; ++i) {
        work(i);
      }
    }
  }
  bool CanBeHelped() const { return room > 0 && next.load() < count; }
};

struct LoopThreads::Shared {
  std::mutex mutex;
  std::condition_variable begun;
  std::condition_variable ended;
  bool closing = false;
  bool full = false;         ///< the system has no room for more threads
  std::vector<Loop*> loops;  ///< those that run; the last ones are inside of others
  std::vector<std::unique_ptr<BigThread>> workers;

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

  /// The loop that a thread without work is to help; null if none needs help.
  Loop* FindLoop() const {
    const auto found = std::ranges::find_if(loops.rbegin(), loops.rend(), &Loop::CanBeHelped);
    return found == loops.rend() ? nullptr : *found;
  }

  /// The life of a worker.
  void Help() {
    const WithInherited nothing(nullptr);  // the thread that started it may be long gone
    std::unique_lock lock(mutex);
    while (true) {
      Loop* loop = nullptr;
      begun.wait(lock, [&] { return closing || (loop = FindLoop()) != nullptr; });
      if (closing) {
        return;
      }
      --loop->room;
      ++loop->helping;
      lock.unlock();
      {
        const WithInherited inherited(loop->inherited);
        loop->Work();
      }
      lock.lock();
      if (--loop->helping == 0) {
        ended.notify_all();
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

LoopThreads& LoopThreads::OfProcess() {
  static LoopThreads* const kThreads = new LoopThreads(UsableCores());
  return *kThreads;
}

void LoopThreads::Run(size_t count, unsigned most_threads,
                      const std::function<void(size_t)>& work) {
  const unsigned threads = std::min(threads_, most_threads);
  Loop loop{.work = work, .count = count, .piece = count, .room = 0};
  if (threads < 2 || count < 2) {
    loop.Work();
    return;
  }
  loop.piece = PieceOf(count, threads);
  loop.room = threads - 1;
  Shared& shared = *shared_;
  std::unique_lock lock(shared.mutex);
  if (shared.StartWorkers(threads_ - 1)) {
    shared.loops.push_back(&loop);
    shared.begun.notify_all();
  }
  lock.unlock();
  loop.Work();
  lock.lock();
  std::erase(shared.loops, &loop);
  shared.ended.wait(lock, [&] { return loop.helping == 0; });
}

void RunTogether(const std::function<void()>& one, const std::function<void()>& other) {
  LoopThreads::OfProcess().Run(2, 2, [&](size_t i) {
    const std::function<void()>& chosen = i == 0 ? one : other;
    chosen();
  });
}

}  // namespace kinu
