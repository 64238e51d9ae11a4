// Output of commands as lines.
#pragma once

#include <string>
#include <string_view>

#include "remote/communicator.h"

namespace kinu::remote {

/// Cuts a stream into lines. Line feeds are cut off, carriage returns stay.
class OutputLines {
 public:
  explicit OutputLines(const OutputSink& sink) : sink_(sink) {}

  /// Passes complete lines on.
  void Add(std::string_view bytes) {
    for (size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos;) {
      line_ += bytes.substr(0, end);
      bytes.remove_prefix(end + 1);
      sink_(line_);
      line_.clear();
    }
    line_ += bytes;
  }
  /// Passes an unfinished line on.
  void Flush() {
    if (!line_.empty()) {
      sink_(line_);
      line_.clear();
    }
  }

 private:
  const OutputSink& sink_;
  std::string line_;
};

}  // namespace kinu::remote
