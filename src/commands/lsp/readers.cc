#include "lsp/readers.h"

#include <utility>

namespace kinu::lsp {

Readers::Readers(size_t threads, Rest rest) : rest_(std::move(rest)) {
  for (size_t i = 0; i < threads; ++i) {
    threads_.push_back(std::make_unique<BigThread>([this] { Run(); }));
  }
}

Readers::~Readers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  threads_.clear();
}

void Readers::Add(std::function<void()> job) {
  if (threads_.empty()) {
    job();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void Readers::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    WaitForWork(changed_, lock, rest_, [this] { return ends_ || !jobs_.empty(); });
    if (jobs_.empty()) {
      return;
    }
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // drops its snapshot outside the lock
    lock.lock();
  }
}

}  // namespace kinu::lsp
