#include "base/thread.h"

#include "base/invariant.h"

namespace kinu {

BigThread::BigThread(std::function<void()> body) : body_(std::move(body)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kBigStackBytes);
  int failed = pthread_create(
      &thread_, &attributes,
      [](void* self) -> void* {
        static_cast<BigThread*>(self)->body_();
        return nullptr;
      },
      this);
  pthread_attr_destroy(&attributes);
  KINU_INVARIANT(failed == 0, "cannot start a thread");
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
