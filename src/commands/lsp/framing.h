// Frames of the base protocol: headers with the length of a body, an empty line, the body.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinu::lsp {

/// Takes bytes in pieces of any size and gives the bodies that they contain. What is no frame is
/// reported and skipped.
class FrameReader {
 public:
  /// Longer bodies are skipped.
  static constexpr uint64_t kMostBytes = uint64_t{256} << 20;

  struct Item {
    std::string body;
    std::string problem;  ///< empty: there is a body
  };

  explicit FrameReader(uint64_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}
  void Add(std::string_view bytes);
  /// The next body or problem; nothing before more bytes were added.
  std::optional<Item> Next();

 private:
  bool NextLine(std::string_view& line);
  void ReadHeader(std::string_view line);
  std::optional<Item> EndHeaders();
  void DropRead();

  const uint64_t most_bytes_;
  std::string bytes_;
  size_t read_ = 0;      // bytes of bytes_ that were used
  size_t searched_ = 0;  // bytes of bytes_ without a line end
  bool in_body_ = false;
  bool in_headers_ = false;  // a line of headers was read
  bool in_long_line_ = false;
  std::optional<uint64_t> length_;
  uint64_t skip_ = 0;  // bytes of a body that is too long
};

/// A body with its headers.
std::string Framed(std::string_view body);

}  // namespace kinu::lsp
