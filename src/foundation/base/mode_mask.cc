#include "base/mode_mask.h"

#include <charconv>
#include <string_view>

#include <sys/stat.h>

#include "base/files.h"

namespace kinu {

unsigned ModeMask() {
  constexpr std::string_view kLine = "\nUmask:\t";
  if (const Result<std::string> status = ReadFile("/proc/self/status")) {
    const size_t at = status->find(kLine);
    unsigned mask = 0;
    const char* end = status->data() + status->size();
    if (at != std::string::npos &&
        std::from_chars(status->data() + at + kLine.size(), end, mask, 8).ec == std::errc()) {
      return mask;
    }
  }
  // Without that line the system can only be asked by a change: to a mask that lets nobody in.
  const mode_t mask = ::umask(077);
  ::umask(mask);
  return mask;
}

}  // namespace kinu
