// What the functions of a provider write to the standard output, as the client reads it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

#include "sdk/server.h"

namespace kinu::sdk {

/// Takes the place of the standard output. Text that no client reads is dropped beyond a limit, so
/// that writers never wait. Lives as long as the process. Thread-safe.
class StdioRelay {
 public:
  /// Puts a pipe in the place of the descriptor `output` and reads it in a thread of its own.
  explicit StdioRelay(int output);
  StdioRelay(const StdioRelay&) = delete;
  StdioRelay& operator=(const StdioRelay&) = delete;

  /// Answers StreamStdio: sends text as it comes, until the client is gone.
  Reply Stream(const Sender& send);
  /// Ends the output, and waits until a client that reads it has all of it.
  void Finish();

 private:
  void ReadAll(int pipe);
  bool idle() const { return ended_ && text_.empty() && !sending_; }

  std::mutex mutex_;
  std::condition_variable changed_;
  int output_;
  std::string text_;
  bool ended_ = false;    ///< nothing is added to `text_`
  bool read_ = false;     ///< a client reads
  bool sending_ = false;  ///< what was taken from `text_`
};

}  // namespace kinu::sdk
