// Event sinks that print the progress of a walk. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "engine/events.h"
#include "view/human/style.h"

namespace kinu::view {

/// Prints a text. Never called by two threads at once.
using Print = std::function<void(std::string_view)>;

/// Prints progress lines in human form.
class ProgressSink final : public engine::EventSink {
 public:
  /// `program` and `style` must outlive the sink.
  ProgressSink(const Program& program, const Style& style, Print print)
      : program_(program), style_(style), print_(std::move(print)) {}
  void Post(engine::Event event) override;

 private:
  const Program& program_;
  const Style& style_;
  std::mutex mutex_;
  Print print_;
};

/// Posts events to several sinks, in order: for commands that print both text and JSON.
class TeeSink final : public engine::EventSink {
 public:
  explicit TeeSink(std::vector<engine::EventSink*> sinks) : sinks_(std::move(sinks)) {}
  void Post(engine::Event event) override {
    for (engine::EventSink* sink : sinks_) {
      sink->Post(event);
    }
  }

 private:
  std::vector<engine::EventSink*> sinks_;
};

}  // namespace kinu::view
