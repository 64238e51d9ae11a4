// StatusLine: one line behind the printed text that is drawn again and again. Print() and
// PrintError() remove it before they write, and it comes back behind whole lines, so that the text
// on the screen is the same as without it.
//
// The cursor stays in the first column of the line: whatever a terminal makes of a long line when
// it becomes narrower, erasing to the end of the screen removes all of it.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace kinu::terminal {

/// Whether both output streams are terminals that may understand links (OSC 8).
bool CanDrawLinks();
/// Whether a status line may be drawn: standard output is a terminal that understands escape
/// sequences, logging is off, and the environment variable KINU_STATUS is not "0".
bool CanDrawStatus();

class StatusLine {
 public:
  /// Returns the line for a number of columns; empty: nothing is drawn.
  using Text = std::function<std::string(size_t width)>;
  /// Draws the line twice a second while it lives, and soon after each text. Only one lives at a
  /// time.
  explicit StatusLine(Text text);
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine();

 private:
  friend class StatusPause;
  void Run();
  void Draw();  // both with the lock
  void Erase();

  Text text_;
  std::string drawn_;
  bool visible_ = false;
  bool ended_ = false;
  std::condition_variable wake_;
  std::thread thread_;
};

/// While it lives, the line is not on the screen, and nobody else prints.
class StatusPause {
 public:
  /// `text` is what will be printed: the line comes back only behind a whole line.
  explicit StatusPause(std::string_view text);
  ~StatusPause();

 private:
  std::unique_lock<std::mutex> lock_;
  bool whole_line_;
};

}  // namespace kinu::terminal
