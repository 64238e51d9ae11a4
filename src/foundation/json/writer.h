// Streaming JSON writer with Go's encoding/json rules: no tree, commas and indentation by itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinu {

/// Which characters inside strings are escaped beyond what JSON demands.
enum class JsonEscape : uint8_t {
  kHtml,   ///< `<`, `>`, `&`, U+2028, U+2029: Go's default
  kPlain,  ///< only U+2028 and U+2029: Go's SetEscapeHTML(false)
};

/// The name of a member. A literal is checked by the compiler and written without a search for
/// characters to escape.
class JsonKey {
 public:
  template <size_t size>
  consteval JsonKey(const char (&literal)[size])  // NOLINT(google-explicit-constructor)
      : text_(literal), size_((size - 1) | kPlain) {
    for (const char c : text()) {
      const bool is_plain = c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
      if (!is_plain || c == '<' || c == '>' || c == '&') {
        throw "the name of the member needs escapes";
      }
    }
  }
  JsonKey(std::string_view text)  // NOLINT(google-explicit-constructor)
      : text_(text.data()), size_(text.size()) {}
  JsonKey(const std::string& text)  // NOLINT(google-explicit-constructor)
      : JsonKey(std::string_view(text)) {}

  constexpr std::string_view text() const { return {text_, size_ & ~kPlain}; }
  bool is_plain() const { return (size_ & kPlain) != 0; }

 private:
  static constexpr size_t kPlain = ~(~size_t{0} >> 1);

  // Small enough to be passed in registers.
  const char* text_;
  size_t size_;  // and whether it is plain, in the highest bit
};

/// A whole member whose text is a literal, such as `"optional":true`. Its value is a word or a
/// string.
class JsonMemberText {
 public:
  template <size_t size>
  consteval JsonMemberText(const char (&literal)[size])  // NOLINT(google-explicit-constructor)
      : text_(literal, size - 1) {
    if (!text_.starts_with('"') || text_.find("\":") == std::string_view::npos) {
      throw "the text is no member";
    }
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class JsonWriter {
 public:
  struct Options {
    JsonEscape escape = JsonEscape::kHtml;
    std::string_view indent;  ///< empty: compact
    std::string_view prefix;  ///< at the start of each new line when indenting
  };
  /// Appends to `out`, which must outlive the writer.
  explicit JsonWriter(std::string& out) : JsonWriter(out, Options()) {}
  JsonWriter(std::string& out, Options options)
      : out_(out), options_(options), compact_(options.indent.empty() && options.prefix.empty()) {}

  void BeginObject();
  void EndObject();
  void BeginArray();
  void EndArray();
  void Key(JsonKey key);
  void String(std::string_view text);
  void Bool(bool value);
  void Int(int64_t value);
  void Uint(uint64_t value);
  void Null();
  /// A number by its digits, or any complete JSON text, which is not indented again.
  void Raw(std::string_view json);
  /// A complete JSON text that is laid out again with this writer's indentation.
  void Embed(std::string_view json);

  // Key and value in one call.
  void Member(JsonMemberText member);
  void Member(JsonKey key, std::string_view text);
  void Member(JsonKey key, const char* text) { Member(key, std::string_view(text)); }
  void Member(JsonKey key, bool value);
  void Member(JsonKey key, int64_t value);
  void Member(JsonKey key, int value) { Member(key, static_cast<int64_t>(value)); }

  std::string& out() { return out_; }
  /// Whether all is on one line.
  bool is_compact() const { return compact_; }
  /// A writer of another text, with the same options.
  JsonWriter Another(std::string& out) const { return {out, options_}; }

  /// A position of the writer. Rewind() removes everything that was written after it.
  struct Mark {
    size_t size = 0;
    uint32_t depth = 0;
    bool first = false;
    bool after_key = false;
  };
  Mark Here() const { return {out_.size(), depth_, first_, after_key_}; }
  void Rewind(const Mark& mark);

  /// Appends a quoted JSON string to `out`.
  static void AppendQuoted(std::string& out, std::string_view text, JsonEscape escape);

 private:
  void BeforeValue();
  template <typename Write>
  void AppendNext(size_t size, Write write);
  void PlainKey(std::string_view key);
  void NewLine();
  void Open(char bracket);
  void Close(char bracket);

  std::string& out_;
  Options options_;
  bool compact_;  // all on one line
  uint32_t depth_ = 0;
  bool first_ = true;  // nothing yet inside the innermost bracket
  bool after_key_ = false;
};

}  // namespace kinu
