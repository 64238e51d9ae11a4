#include "view/human/style.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hcl/parse.h"

namespace kinu::view {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kCodes = {{
    {"reset", "0"},
    {"bold", "1"},
    {"dim", "2"},
    {"underline", "4"},
    {"red", "31"},
    {"green", "32"},
    {"yellow", "33"},
    {"blue", "34"},
    {"magenta", "35"},
    {"cyan", "36"},
    {"light_gray", "37"},
    {"dark_gray", "90"},
}};

std::string_view CodeOf(std::string_view name) {
  for (const auto& [known, code] : kCodes) {
    if (known == name) {
      return code;
    }
  }
  return {};
}

/// Length of the UTF-8 sequence at the start of `text` and its code point; a bad byte is one of its
/// own with code point -1.
std::pair<size_t, int32_t> DecodeOne(std::string_view text) {
  const auto byte = [&text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    return {1, first};
  }
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || length > text.size()) {
    return {1, -1};
  }
  int32_t point = first & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return {1, -1};
    }
    point = point << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  if (overlong || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
    return {1, -1};
  }
  return {length, point};
}

/// Go's unicode.IsPrint, by ranges: spaces other than U+0020, controls, format characters, private
/// use and noncharacters are not printable.
bool IsPrintable(int32_t point) {
  if (point < 0x20 || (point >= 0x7F && point <= 0xA0) || point == 0xAD) {
    return false;
  }
  constexpr std::array<std::pair<int32_t, int32_t>, 17> kHidden = {{
      {0x0378, 0x0379},
      {0x0600, 0x0605},
      {0x061C, 0x061C},
      {0x06DD, 0x06DD},
      {0x070F, 0x070F},
      {0x1680, 0x1680},
      {0x180E, 0x180E},
      {0x2000, 0x200F},
      {0x2028, 0x202F},
      {0x205F, 0x206F},
      {0x3000, 0x3000},
      {0xD800, 0xF8FF},
      {0xFEFF, 0xFEFF},
      {0xFFF0, 0xFFFB},
      {0xFFFE, 0xFFFF},
      {0xE0000, 0xE00FF},
      {0xE01F0, 0x10FFFF},
  }};
  return std::ranges::none_of(kHidden, [point](const auto& range) {
    return point >= range.first && point <= range.second;
  });
}

void AppendHex(std::string& out, uint32_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[value >> shift & 0xF];
  }
}

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

}  // namespace

std::string Style::Paint(std::string_view markup) const {
  std::string out;
  bool painted = false;
  size_t position = 0;
  while (position < markup.size()) {
    const size_t open = markup.find('[', position);
    const size_t close = open == std::string_view::npos ? open : markup.find(']', open);
    if (close == std::string_view::npos) {
      break;
    }
    const std::string_view code = CodeOf(markup.substr(open + 1, close - open - 1));
    if (code.empty()) {
      out += markup.substr(position, open + 1 - position);
      position = open + 1;
      continue;
    }
    out += markup.substr(position, open - position);
    painted = true;
    if (color_) {
      out += "\x1b[";
      out += code;
      out += 'm';
    }
    position = close + 1;
  }
  out += markup.substr(position);
  if (painted && color_) {
    out += "\x1b[0m";
  }
  return out;
}

std::string Style::Paint(std::string_view markup, std::string_view text) const {
  std::string out = Paint(markup);
  if (const size_t place = out.find('%'); place != std::string::npos) {
    out.replace(place, 1, text);
  }
  return out;
}

std::string WrapParagraph(std::string_view text, size_t limit) {
  std::string out;
  std::string word;
  std::string space;
  size_t column = 0;
  size_t word_size = 0;
  size_t space_size = 0;
  const auto flush = [&] {
    column += space_size + word_size;
    out += space;
    out += word;
    space.clear();
    word.clear();
    space_size = word_size = 0;
  };
  for (size_t i = 0; i < text.size();) {
    const size_t length = DecodeOne(text.substr(i)).first;
    const std::string_view character = text.substr(i, length);
    i += length;
    if (character == "\n") {
      if (word.empty() && column + space_size > limit) {
        space.clear();
        space_size = 0;
      }
      flush();
      out += '\n';
      column = 0;
    } else if (length == 1 && IsSpace(character[0])) {
      if (space.empty() || !word.empty()) {
        flush();
      }
      space += character;
      ++space_size;
    } else {
      word += character;
      ++word_size;
      if (column + word_size + space_size > limit && word_size < limit) {
        out += '\n';
        column = 0;
        space.clear();
        space_size = 0;
      }
    }
  }
  if (!word.empty() || column + space_size <= limit) {
    flush();
  }
  return out;
}

std::string WordWrap(std::string_view text, int width) {
  if (width <= 1) {
    return std::string(text);
  }
  std::string out;
  size_t begin = 0;
  while (true) {
    const size_t end = text.find('\n', begin);
    const std::string_view line = text.substr(begin, end - begin);
    if (line.starts_with(' ')) {
      out += line;
    } else {
      out += WrapParagraph(line, static_cast<size_t>(width) - 1);
    }
    if (end == std::string_view::npos) {
      return out;
    }
    out += '\n';
    begin = end + 1;
  }
}

std::string HorizontalRule(const Style& style, int width) {
  if (width <= 1) {
    return "\n";
  }
  std::string rule = "[dark_gray]\n";
  for (int i = 1; i < width; ++i) {
    rule += "─";
  }
  return style.Paint(rule);
}

std::string GoQuote(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const auto [length, point] = DecodeOne(text.substr(i));
    const std::string_view character = text.substr(i, length);
    i += length;
    switch (point) {
      case '"':
        out += "\\\"";
        continue;
      case '\\':
        out += "\\\\";
        continue;
      case '\a':
        out += "\\a";
        continue;
      case '\b':
        out += "\\b";
        continue;
      case '\f':
        out += "\\f";
        continue;
      case '\n':
        out += "\\n";
        continue;
      case '\r':
        out += "\\r";
        continue;
      case '\t':
        out += "\\t";
        continue;
      case '\v':
        out += "\\v";
        continue;
      default:
        break;
    }
    if (point < 0 || point < 0x20 || point == 0x7F) {
      out += "\\x";
      AppendHex(out, static_cast<unsigned char>(character[0]), 2);
    } else if (IsPrintable(point)) {
      out += character;
    } else if (point < 0x10000) {
      out += "\\u";
      AppendHex(out, static_cast<uint32_t>(point), 4);
    } else {
      out += "\\U";
      AppendHex(out, static_cast<uint32_t>(point), 8);
    }
  }
  out += '"';
  return out;
}

std::string AttributeName(std::string_view name) {
  return hcl::IsIdentifier(name) ? std::string(name) : GoQuote(name);
}

std::string ShowControls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') {
      out += "\xE2\x90";
      out += static_cast<char>(0x80 + byte);
    } else if (byte == 0x7F) {
      out += "\xE2\x90\xA1";
    } else {
      out += c;
    }
  }
  return out;
}

size_t CountCharacters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string DurationText(int64_t seconds) {
  std::string out;
  if (seconds >= 3600) {
    out += std::to_string(seconds / 3600) + "h";
  }
  if (seconds >= 60) {
    out += std::to_string(seconds / 60 % 60) + "m";
  }
  return out + std::to_string(seconds % 60) + "s";
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && IsSpace(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace kinu::view
