#include "view/events/progress_sink.h"

#include "view/human/progress.h"

namespace kinu::view {

void BurstPrinter::operator()(std::string_view text) {
  constexpr size_t kMost = 64 << 10;
  constexpr std::chrono::milliseconds kLongest{50};
  const std::lock_guard lock(mutex_);
  if (!burst_) {
    print_(text);
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (kept_.empty()) {
    since_ = now;
  }
  kept_ += text;
  if (kept_.size() >= kMost || now - since_ >= kLongest) {
    PrintKept();
  }
}

void BurstPrinter::Begin() {
  const std::lock_guard lock(mutex_);
  burst_ = true;
}

void BurstPrinter::End() {
  const std::lock_guard lock(mutex_);
  burst_ = false;
  PrintKept();
}

void BurstPrinter::Flush() {
  const std::lock_guard lock(mutex_);
  PrintKept();
}

void BurstPrinter::PrintKept() {
  if (!kept_.empty()) {
    print_(kept_);
    kept_.clear();
  }
}

void ProgressSink::Post(engine::Event event) {
  const std::string lines = RenderEvent(program_, style_, event);
  if (!lines.empty()) {
    print_(lines);
  }
  if (engine::BeginsChange(event.kind)) {
    print_.Flush();
  }
}

}  // namespace kinu::view
