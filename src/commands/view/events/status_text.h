// The text of a status line: what is left out first when the terminal is narrow.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kinu::view {

/// The parts of a status line: "HEAD · 2 running: NAME DETAIL, … · TIME · LEFT".
struct StatusText {
  struct Item {
    std::string name;
    std::string detail;  ///< behind the name: its age, or what it has received
  };
  std::string head;
  std::vector<Item> running;  ///< the oldest first
  std::string time;           ///< empty: none
  std::string left;           ///< the first to be left out; empty: none
};

/// The line in at most `width` columns: names are left out first, then `left`, then the count, then
/// the time.
std::string FitStatus(const StatusText& text, size_t width);

/// "0:41", "1:02:03"
std::string ClockText(int64_t seconds);

}  // namespace kinu::view
