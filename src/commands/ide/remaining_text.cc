#include "ide/remaining_text.h"

#include <algorithm>
#include <vector>

#include "diag/source.h"
#include "hcl/parse.h"

namespace kinu::ide {
namespace {

struct Piece {
  uint32_t begin = 0, end = 0;
  bool has_header = false;  ///< it begins like a block
  bool is_sound = false;    ///< it is one whole block
};

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool IsNeutral(std::string_view line) {
  const size_t at = line.find_first_not_of(" \t\r");
  return at == std::string_view::npos || line[at] == '#' || line.substr(at).starts_with("//");
}

/// Whether a line begins a block that stands at the margin.
bool IsHeader(std::string_view line) {
  if (line.empty() || !IsLetter(line[0])) {
    return false;
  }
  const size_t brace = line.find('{');
  return brace != std::string_view::npos && std::ranges::all_of(line.substr(0, brace), [](char c) {
           return IsLetter(c) || (c >= '0' && c <= '9') || c == '-' || c == '"' || c == ' ' ||
                  c == '\t' || static_cast<unsigned char>(c) >= 0x80;
         });
}

bool IsEnd(std::string_view line) {
  return line.starts_with('}') && IsNeutral(line.substr(1));
}

/// Whether a text consists of blocks that begin at these offsets.
bool IsBlocks(std::string_view text, const std::vector<uint32_t>& begins) {
  const Ref<const SourceFile> source = SourceFile::Make("", std::string(text));
  hcl::SyntaxTree tree;
  Diagnostics found;
  const hcl::NativeBody* body = hcl::ParseNative(source.get(), tree, found);
  return found.empty() && body != nullptr && body->attributes.empty() &&
         std::ranges::equal(body->blocks, begins, {}, &hcl::NativeBlock::type_begin);
}

bool IsOneBlock(std::string_view text) {
  return IsBlocks(text, {0});
}

class PieceReader {
 public:
  PieceReader(std::string_view text, const std::atomic<bool>* abandoned)
      : text_(text), abandoned_(abandoned) {
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      starts_.push_back(static_cast<uint32_t>(begin));
      begin = end + 1;
    }
    starts_.push_back(static_cast<uint32_t>(text.size()));
  }

  std::vector<Piece> Read() {
    for (size_t line = 0; line < lines(); ++line) {
      if (IsHeader(Line(line))) {
        headers_.push_back(line);
      }
    }
    for (size_t line = 0; line < (headers_.empty() ? lines() : headers_[0]); ++line) {
      ReadOther(line);
    }
    const size_t count = headers_.size();
    headers_.push_back(lines());
    ReadBlocks(0, count);
    return std::move(pieces_);
  }

 private:
  size_t lines() const { return starts_.size() - 1; }
  std::string_view Line(size_t line) const {
    std::string_view out = text_.substr(starts_[line], starts_[line + 1] - starts_[line]);
    return out.ends_with('\n') ? out.substr(0, out.size() - 1) : out;
  }
  std::string_view Lines(size_t first, size_t end) const {
    return text_.substr(starts_[first], starts_[end] - starts_[first]);
  }

  /// Takes the blocks of some headers, with the lines up to the next one. Halves with nothing wrong
  /// are parsed at once.
  void ReadBlocks(size_t first, size_t end) {
    if (end - first > 1 && !(abandoned_ != nullptr && abandoned_->load())) {
      const size_t middle = first + (end - first) / 2;
      ReadHalf(first, middle);
      ReadHalf(middle, end);
    } else if (end - first == 1) {
      for (size_t line = ReadBlock(headers_[first]); line < headers_[end]; ++line) {
        ReadOther(line);
      }
    }
  }

  void ReadHalf(size_t first, size_t end) {
    std::vector<uint32_t> begins;
    for (size_t i = first; i < end; ++i) {
      begins.push_back(starts_[headers_[i]] - starts_[headers_[first]]);
    }
    if (!IsBlocks(Lines(headers_[first], headers_[end]), begins)) {
      return ReadBlocks(first, end);
    }
    for (size_t i = first; i < end; ++i) {
      Add(headers_[i], headers_[i + 1], true);
    }
  }

  /// Takes a block up to the end with which it is sound, else all up to the next block. Returns the
  /// line after it.
  size_t ReadBlock(size_t first) {
    constexpr size_t kMostEnds = 8;
    size_t ends = 0;
    size_t end = first + 1;
    const bool may_be_one_line = Line(first).find('}') != std::string_view::npos;
    if (may_be_one_line && IsOneBlock(Lines(first, end))) {
      return Add(first, end, true);
    }
    for (; end < lines() && !IsHeader(Line(end)); ++end) {
      if (IsEnd(Line(end)) && ends++ < kMostEnds && IsOneBlock(Lines(first, end + 1))) {
        return Add(first, end + 1, true);
      }
    }
    return Add(first, end, false);
  }

  size_t Add(size_t first, size_t end, bool is_sound) {
    pieces_.push_back({starts_[first], starts_[end], true, is_sound});
    return end;
  }

  /// Lines that no block has make one piece, with the comments between them.
  void ReadOther(size_t line) {
    if (IsNeutral(Line(line))) {
      return;
    }
    if (pieces_.empty() || pieces_.back().has_header) {
      pieces_.push_back({.begin = starts_[line]});
    }
    pieces_.back().end = starts_[line + 1];
  }

  std::string_view text_;
  const std::atomic<bool>* abandoned_;
  std::vector<uint32_t> starts_;  // of lines, and the end
  std::vector<size_t> headers_;   // their lines, and the end
  std::vector<Piece> pieces_;
};

/// Whether what is wrong in a piece may reach into others.
bool MayReachOut(std::string_view piece, bool has_header) {
  if (piece.find("/*") != std::string_view::npos || piece.find("*/") != std::string_view::npos) {
    return true;
  }
  // A line at the margin is the beginning of something new; others belong to a block that has ended
  // too early or lost its header.
  const bool is_line = std::ranges::count(piece, '\n') <= 1;
  return !has_header && !(is_line && IsLetter(piece[0]));
}

void Blank(std::string& text, const Piece& piece) {
  for (uint32_t at = piece.begin; at < piece.end; ++at) {
    text[at] = text[at] == '\n' ? '\n' : ' ';
  }
}

}  // namespace

std::optional<std::string> WithoutWrongParts(std::string_view text,
                                             const std::atomic<bool>* abandoned) {
  std::string out(text);
  for (const Piece& piece : PieceReader(text, abandoned).Read()) {
    if (piece.is_sound) {
      continue;
    }
    if (MayReachOut(text.substr(piece.begin, piece.end - piece.begin), piece.has_header)) {
      return std::nullopt;
    }
    Blank(out, piece);
  }
  return out;
}

std::optional<std::string> WithoutBlockAt(std::string_view text, uint32_t offset) {
  for (const Piece& piece : PieceReader(text, nullptr).Read()) {
    if (piece.is_sound && piece.begin <= offset && offset < piece.end) {
      std::string out(text);
      Blank(out, piece);
      return out;
    }
  }
  return std::nullopt;
}

}  // namespace kinu::ide
