// Tar archives, written in one piece: the format ustar, with pax headers for what has no place in
// it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinu {

class TarWriter {
 public:
  enum class Kind : char { kFile = '0', kLink = '2', kDirectory = '5' };

  /// Adds an entry. `content`: of a file, or where a link leads. `mode`: the permissions.
  void Add(Kind kind, std::string_view path, unsigned mode, int64_t modified,
           std::string_view content = {});
  /// The archive. Nothing may be added any more.
  std::string Finish();

 private:
  void AddHeader(char kind, std::string_view path, unsigned mode, int64_t modified, uint64_t size,
                 std::string_view link);
  void AddContent(std::string_view content);

  std::string out_;
};

}  // namespace kinu
