#include "terminal/style.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/files.h"
#include "text/quote.h"
#include "text/unicode.h"

namespace kinu::terminal {
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

}  // namespace

std::string Style::Link(std::string_view path, std::string_view text) const {
  if (!links_ || path.empty() || path.starts_with('<')) {
    return std::string(text);
  }
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string absolute(path.starts_with('/') ? "" : WorkingDirectory() + "/");
  absolute += path;
  std::string out = "\x1b]8;;file://";
  for (const char c : absolute) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && c != '%' && c != ';' && c != '?' && c != '#') {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  out += "\x1b\\";
  out += text;
  return out + "\x1b]8;;\x1b\\";
}

void Style::PaintTo(std::string& out, std::string_view markup) const {
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
}

std::string Style::Paint(std::string_view markup, std::string_view text) const {
  std::string out = Paint(markup);
  if (const size_t place = out.find('%'); place != std::string::npos) {
    out.replace(place, 1, text);
  }
  return out;
}

std::string WrapParagraph(std::string_view paragraph, size_t limit) {
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
  for (size_t i = 0; i < paragraph.size();) {
    const text::Decoded decoded = text::DecodeUtf8(paragraph, i);
    const std::string_view character = paragraph.substr(i, decoded.size);
    i += decoded.size;
    if (character == "\n") {
      if (word.empty() && column + space_size > limit) {
        space.clear();
        space_size = 0;
      }
      flush();
      out += '\n';
      column = 0;
    } else if (text::IsSpace(decoded.point) && decoded.point != 0xA0) {
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

std::string_view AttributeName(std::string_view name, std::string& quoted) {
  if (text::IsIdentifier(name)) {
    return name;
  }
  quoted = text::GoQuote(name);
  return quoted;
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

}  // namespace kinu::terminal
