#include "view/events/progress_sink.h"

#include "view/human/progress.h"

namespace kinu::view {

void ProgressSink::Post(engine::Event event) {
  const std::string lines = RenderEvent(program_, style_, event);
  if (!lines.empty()) {
    const std::lock_guard lock(mutex_);
    print_(lines);
  }
}

}  // namespace kinu::view
