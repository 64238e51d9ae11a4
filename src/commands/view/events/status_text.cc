#include "view/events/status_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "text/unicode.h"

namespace kinu::view {
namespace {

/// Names are not shorter than this.
constexpr size_t kShortestName = 12;
constexpr std::string_view kSeparator = " · ";

/// The end of a name that is too long, which tells more than its beginning.
std::string Shortened(const std::string& name, size_t width) {
  if (text::DisplayWidth(name) <= width) {
    return name;
  }
  size_t at = name.size();
  while (at > 0) {
    size_t before = at - 1;
    while (before > 0 && (name[before] & 0xC0) == 0x80) {
      --before;
    }
    if (text::DisplayWidth(std::string_view(name).substr(before)) + 1 > width) {
      break;
    }
    at = before;
  }
  return "…" + name.substr(at);
}

/// The running tasks in at most `room` columns: their number, and the names that fit.
std::string RunningText(const std::vector<StatusText::Item>& running, std::string count,
                        size_t room) {
  for (size_t i = 0; i < running.size(); ++i) {
    const StatusText::Item& item = running[i];
    const std::string detail = item.detail.empty() ? std::string() : " " + item.detail;
    const std::string_view more = i + 1 < running.size() ? ", …" : "";
    const size_t fixed =
        text::DisplayWidth(count) + 2 + text::DisplayWidth(detail) + text::DisplayWidth(more);
    const size_t left = room > fixed ? room - fixed : 0;
    // Only the oldest is shortened; of the others only whole names are shown.
    const size_t needed = text::DisplayWidth(item.name);
    if (left < (i == 0 ? std::min(kShortestName, needed) : needed)) {
      return count + (i == 0 ? "" : ", …");
    }
    count += (i == 0 ? ": " : ", ") + Shortened(item.name, left) + detail;
  }
  return count;
}

}  // namespace

/// "0:41", "1:02:03"
std::string ClockText(int64_t seconds) {
  std::array<char, 32> text{};
  const long long all = seconds;
  if (all >= 3600) {
    std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld", all / 3600, all / 60 % 60,
                  all % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%lld:%02lld", all / 60, all % 60);
  }
  return text.data();
}

std::string FitStatus(const StatusText& text, size_t width) {
  const auto part = [](const std::string& words) {
    return words.empty() ? std::string() : std::string(kSeparator) + words;
  };
  const auto fits = [&](const std::string& line) { return text::DisplayWidth(line) <= width; };
  std::string time = part(text.time);
  std::string left = part(text.left);
  std::string middle =
      text.running.empty() ? "" : part(std::to_string(text.running.size()) + " running");
  if (!fits(text.head + middle + time + left)) {
    left.clear();
  }
  if (!fits(text.head + middle + time)) {
    middle.clear();
  }
  if (!fits(text.head + middle + time)) {
    time.clear();
  }
  if (!middle.empty()) {
    const size_t taken = text::DisplayWidth(text.head + time + left);
    middle = RunningText(text.running, std::move(middle), width > taken ? width - taken : 0);
  }
  const std::string line = text.head + middle + time + left;
  return fits(line) ? line : Shortened(line, width);
}

}  // namespace kinu::view
