// Event sinks that print the progress of a walk. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/events.h"
#include "terminal/style.h"

namespace kinu::view {

/// Prints a text. Never called by two threads at once.
using Print = std::function<void(std::string_view)>;

/// Prints texts, and those of a burst together: a write for each line costs more than the line.
/// Thread-safe.
class BurstPrinter {
 public:
  explicit BurstPrinter(Print print) : print_(std::move(print)) {}
  void operator()(std::string_view text);
  void Begin();
  void End();
  /// Prints what is kept of a burst.
  void Flush();

 private:
  void PrintKept();  ///< under `mutex_`

  std::mutex mutex_;
  Print print_;
  bool burst_ = false;
  std::string kept_;
  std::chrono::steady_clock::time_point since_;  ///< of the first text in `kept_`
};

/// Prints progress lines in human form.
class ProgressSink final : public engine::EventSink {
 public:
  /// `program` and `style` must outlive the sink.
  ProgressSink(const Program& program, const terminal::Style& style, Print print)
      : program_(program), style_(style), print_(std::move(print)) {}
  void Post(engine::Event event) override;
  void BeginBurst() override { print_.Begin(); }
  void EndBurst() override { print_.End(); }

 private:
  const Program& program_;
  const terminal::Style& style_;
  BurstPrinter print_;
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
  void BeginBurst() override {
    for (engine::EventSink* sink : sinks_) {
      sink->BeginBurst();
    }
  }
  void EndBurst() override {
    for (engine::EventSink* sink : sinks_) {
      sink->EndBurst();
    }
  }

 private:
  std::vector<engine::EventSink*> sinks_;
};

}  // namespace kinu::view
