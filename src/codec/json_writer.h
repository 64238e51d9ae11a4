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

class JsonWriter {
 public:
  struct Options {
    JsonEscape escape = JsonEscape::kHtml;
    std::string_view indent;  ///< empty: compact
    std::string_view prefix;  ///< at the start of each new line when indenting
  };
  /// Appends to `out`, which must outlive the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}
  JsonWriter(std::string& out, Options options) : out_(out), options_(options) {}

  void BeginObject();
  void EndObject();
  void BeginArray();
  void EndArray();
  void Key(std::string_view key);
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
  void Member(std::string_view key, std::string_view text);
  void Member(std::string_view key, const char* text) { Member(key, std::string_view(text)); }
  void Member(std::string_view key, bool value);
  void Member(std::string_view key, int64_t value);
  void Member(std::string_view key, int value) { Member(key, static_cast<int64_t>(value)); }

  std::string& out() { return out_; }

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
  void NewLine();
  void Open(char bracket);
  void Close(char bracket);

  std::string& out_;
  Options options_;
  uint32_t depth_ = 0;
  bool first_ = true;  // nothing yet inside the innermost bracket
  bool after_key_ = false;
};

}  // namespace kinu
