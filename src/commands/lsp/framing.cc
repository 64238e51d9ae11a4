#include "lsp/framing.h"

#include <algorithm>
#include <charconv>

#include "text/unicode.h"

namespace kinu::lsp {
namespace {

constexpr std::string_view kLengthName = "content-length:";
/// Longer lines of headers are dropped.
constexpr size_t kMostHeaderBytes = size_t{64} << 10;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

}  // namespace

void FrameReader::Add(std::string_view bytes) {
  const auto skipped = static_cast<size_t>(std::min<uint64_t>(skip_, bytes.size()));
  skip_ -= skipped;
  bytes_.append(bytes.substr(skipped));
}

void FrameReader::DropRead() {
  bytes_.erase(0, read_);
  searched_ = searched_ > read_ ? searched_ - read_ : 0;
  read_ = 0;
}

bool FrameReader::NextLine(std::string_view& line) {
  const size_t end = bytes_.find('\n', std::max(read_, searched_));
  if (end == std::string::npos) {
    searched_ = bytes_.size();
    if (searched_ - read_ > kMostHeaderBytes) {
      in_long_line_ = true;
      // What might be the begin of a length stays.
      read_ = bytes_.size() - kMostHeaderBytes / 2;
    }
    DropRead();
    return false;
  }
  line = std::string_view(bytes_).substr(read_, end - read_);
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  read_ = end + 1;
  searched_ = read_;
  return true;
}

void FrameReader::ReadHeader(std::string_view line) {
  in_headers_ = true;
  // The headers of a frame may follow garbage or a damaged body in the same line.
  const std::string lower = Lower(line);
  const size_t at = lower.rfind(kLengthName);
  if (at == std::string::npos) {
    return;
  }
  const std::string_view digits = text::TrimSpace(line.substr(at + kLengthName.size()));
  uint64_t length = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), length);
  if (error == std::errc::result_out_of_range) {
    length_ = UINT64_MAX;
  } else if (error == std::errc() && end == digits.end()) {
    length_ = length;
  }
}

std::optional<FrameReader::Item> FrameReader::EndHeaders() {
  const bool had_headers = in_headers_ || in_long_line_;
  in_headers_ = false;
  in_long_line_ = false;
  if (!length_) {
    return had_headers ? std::optional(Item{.body = "",
                                            .problem = "The headers of a message have no valid "
                                                       "Content-Length."})
                       : std::nullopt;
  }
  if (*length_ <= most_bytes_) {
    in_body_ = true;
    return std::nullopt;
  }
  const uint64_t present = bytes_.size() - read_;
  skip_ = *length_ - std::min(*length_, present);
  read_ += static_cast<size_t>(std::min(*length_, present));
  length_.reset();
  return Item{.body = "", .problem = "The message is too long."};
}

std::optional<FrameReader::Item> FrameReader::Next() {
  std::string_view line;
  while (!in_body_) {
    if (!NextLine(line)) {
      return std::nullopt;
    }
    if (!line.empty()) {
      ReadHeader(line);
    } else if (auto item = EndHeaders()) {
      return item;
    }
  }
  if (bytes_.size() - read_ < *length_) {
    return std::nullopt;
  }
  Item item{.body = bytes_.substr(read_, static_cast<size_t>(*length_)), .problem = ""};
  read_ += item.body.size();
  searched_ = read_;
  in_body_ = false;
  length_.reset();
  // Many small messages may come at once: what was read is dropped in larger pieces.
  if (read_ == bytes_.size() || read_ > kMostHeaderBytes) {
    DropRead();
  }
  return item;
}

std::string Framed(std::string_view body) {
  std::string frame = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  frame += body;
  return frame;
}

}  // namespace kinu::lsp
