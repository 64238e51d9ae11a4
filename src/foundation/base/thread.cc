#include "base/thread.h"

#include "base/inherited.h"
#include "base/invariant.h"

namespace kinu {

BigThread::BigThread(std::function<void()> body) {
  const bool started = Start(std::move(body));
  KINU_INVARIANT(started, "cannot start a thread");
}

std::unique_ptr<BigThread> BigThread::TryStart(std::function<void()> body) {
  std::unique_ptr<BigThread> thread(new BigThread());
  return thread->Start(std::move(body)) ? std::move(thread) : nullptr;
}

bool BigThread::Start(std::function<void()> body) {
  body_ = std::move(body);
  inherited_ = inherited_pointer;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kBigStackBytes);
  const int failed = pthread_create(
      &thread_, &attributes,
      [](void* self) -> void* {
        const auto* thread = static_cast<BigThread*>(self);
        inherited_pointer = thread->inherited_;
        thread->body_();
        return nullptr;
      },
      this);
  pthread_attr_destroy(&attributes);
  joined_ = failed != 0;
  return failed == 0;
}

BigThread::~BigThread() {
  Join();
}

void BigThread::Join() {
  if (!joined_) {
    pthread_join(thread_, nullptr);
    joined_ = true;
  }
}

void RunOnBigStack(std::function<void()> body) {
  BigThread(std::move(body)).Join();
}

}  // namespace kinu
