#include "codec/xml.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace kinu {
namespace {

constexpr int kMaxDepth = 100;

bool IsXmlSpace(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

void AppendUtf8(std::string& out, uint32_t code) {
  const auto add = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  Result<XmlElement> ReadDocument() {
    if (text_.starts_with("\xEF\xBB\xBF")) {
      at_ = 3;
    }
    if (!SkipProlog()) {
      return Problem("a declaration that is not supported");
    }
    if (!Take("<")) {
      return Problem("no element");
    }
    XmlElement root;
    if (auto read = ReadElement(root, 1); !read) {
      return std::unexpected(read.error());
    }
    if (!SkipProlog() || at_ != text_.size()) {
      return Problem("text after the last element");
    }
    return root;
  }

 private:
  std::unexpected<Error> Problem(const std::string& what) const {
    return Fail(ErrorCode::kInvalid, "invalid XML at byte " + std::to_string(at_) + ": " + what);
  }

  bool Take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) {
      return false;
    }
    at_ += token.size();
    return true;
  }

  /// Goes behind the next `end`; false if there is none.
  bool SkipPast(std::string_view end) {
    const size_t found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
    return found != std::string_view::npos;
  }

  void SkipSpace() {
    while (at_ < text_.size() && IsXmlSpace(text_[at_])) {
      ++at_;
    }
  }

  /// Skips white space, comments and instructions; false for a type definition or an open comment.
  bool SkipProlog() {
    for (;;) {
      SkipSpace();
      if (Take("<?")) {
        if (!SkipPast("?>")) {
          return false;
        }
      } else if (Take("<!--")) {
        if (!SkipPast("-->")) {
          return false;
        }
      } else {
        return !text_.substr(at_).starts_with("<!");
      }
    }
  }

  std::string_view ReadName() {
    const size_t begin = at_;
    while (at_ < text_.size() && !IsXmlSpace(text_[at_]) &&
           std::string_view("/><=\"'&").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  /// Reads the attributes of a start tag and its end. Sets `closed` for "/>".
  bool ReadAttributes(XmlElement& element, bool& closed) {
    for (;;) {
      SkipSpace();
      closed = Take("/>");
      if (closed || Take(">")) {
        return true;
      }
      const std::string_view name = ReadName();
      SkipSpace();
      if (name.empty() || !Take("=")) {
        return false;
      }
      SkipSpace();
      auto& [local, value] = element.attributes.emplace_back();
      local = name.substr(name.find(':') + 1);
      if (!ReadQuoted(value)) {
        return false;
      }
    }
  }

  bool ReadQuoted(std::string& value) {
    const std::string_view quote = text_.substr(at_, 1);
    if ((quote != "\"" && quote != "'") || !Take(quote)) {
      return false;
    }
    while (!Take(quote)) {
      if (at_ >= text_.size() || text_[at_] == '<') {
        return false;
      }
      if (text_[at_] != '&') {
        value += text_[at_++];
      } else if (!ReadReference(value)) {
        return false;
      }
    }
    return true;
  }

  /// Replaces the reference at "&".
  bool ReadReference(std::string& out) {
    const size_t end = text_.find(';', at_);
    constexpr size_t kLongest = 12;
    if (end == std::string_view::npos || end - at_ > kLongest) {
      return false;
    }
    std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    struct Entity {
      std::string_view name;
      char character;
    };
    constexpr Entity kEntities[] = {
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    const auto* known = std::ranges::find(kEntities, name, &Entity::name);
    if (known != std::end(kEntities)) {
      out += known->character;
      return true;
    }
    if (!name.starts_with('#')) {
      return false;
    }
    name.remove_prefix(1);
    const bool hex = name.starts_with('x');
    name.remove_prefix(hex ? 1 : 0);
    uint32_t code = 0;
    const auto [stop, error] =
        std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
    if (name.empty() || error != std::errc() || stop != name.data() + name.size() || code == 0 ||
        code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
      return false;
    }
    AppendUtf8(out, code);
    return true;
  }

  /// Reads an element whose "<" was taken.
  Result<void> ReadElement(XmlElement& element, int depth) {
    if (depth > kMaxDepth) {
      return Problem("elements are nested too deeply");
    }
    const std::string full(ReadName());
    element.name = full.substr(full.find(':') + 1);
    bool closed = false;
    if (element.name.empty() || !ReadAttributes(element, closed)) {
      return Problem("a wrong start tag");
    }
    while (!closed) {
      if (at_ >= text_.size()) {
        return Problem("the element " + full + " has no end");
      }
      if (text_[at_] == '&') {
        if (!ReadReference(element.text)) {
          return Problem("an unknown reference");
        }
      } else if (text_[at_] != '<') {
        const size_t end = std::min(text_.find_first_of("<&", at_), text_.size());
        element.text += text_.substr(at_, end - at_);
        at_ = end;
      } else if (Take("</")) {
        if (ReadName() != full) {
          return Problem("the end of another element");
        }
        SkipSpace();
        if (!Take(">")) {
          return Problem("a wrong end tag");
        }
        closed = true;
      } else if (Take("<![CDATA[")) {
        const size_t begin = at_;
        if (!SkipPast("]]>")) {
          return Problem("text without end");
        }
        element.text += text_.substr(begin, at_ - begin - 3);
      } else if (Take("<!--")) {
        if (!SkipPast("-->")) {
          return Problem("a comment without end");
        }
      } else if (Take("<?")) {
        if (!SkipPast("?>")) {
          return Problem("an instruction without end");
        }
      } else {
        at_ += 1;
        if (auto read = ReadElement(element.children.emplace_back(), depth + 1); !read) {
          return read;
        }
      }
    }
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const XmlElement* XmlElement::Find(std::string_view child) const {
  const auto it = std::ranges::find(children, child, &XmlElement::name);
  return it == children.end() ? nullptr : &*it;
}

std::string_view XmlElement::Text(std::string_view child) const {
  const XmlElement* found = Find(child);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

std::string_view XmlElement::Attribute(std::string_view wanted) const {
  for (const auto& [attribute, value] : attributes) {
    if (attribute == wanted) {
      return value;
    }
  }
  return {};
}

Result<XmlElement> ReadXml(std::string_view text) {
  return XmlReader(text).ReadDocument();
}

std::string EscapeXml(std::string_view text, XmlQuotes quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"' && quotes == XmlQuotes::kEscaped) {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace kinu
