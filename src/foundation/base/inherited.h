// What work takes over from the thread that began it, on whatever threads it goes on.
#pragma once

namespace kinu {

/// The pointer that this thread has; null at first. BigThread and LoopThreads give it to the
/// threads that work for this one. It belongs to compatibility/level.h.
inline constinit thread_local void* inherited_pointer = nullptr;

/// Sets the pointer of this thread as long as it lives.
class WithInherited {
 public:
  explicit WithInherited(void* pointer) : before_(inherited_pointer) {
    inherited_pointer = pointer;
  }
  WithInherited(const WithInherited&) = delete;
  WithInherited& operator=(const WithInherited&) = delete;
  ~WithInherited() { inherited_pointer = before_; }

 private:
  void* const before_;
};

}  // namespace kinu
