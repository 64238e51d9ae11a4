// JSON documents of plans, states, configurations and schemas for C++ programs: reading them,
// querying them with selectors, and running checks. <kinu/documents.h> has typed readers.
//
// The only exception thrown is std::bad_alloc. Functions that can fail add errors to `problems` and
// return nothing. A Document may be read from several threads. The header needs C++20 and the
// standard library only.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinu/diagnostics.h>
#include <kinu/version.h>

namespace kinu::v1 {

/// A value of a document. Functions convert on request. Valid as long as a copy of the Document
/// exists. A missing member or element is an absent JsonValue: it has no members, and its texts are
/// empty. As a range, a value has the elements of an array or the values of an object's members, in
/// the order of the text; values of other kinds are empty ranges.
class JsonValue {
 public:
  enum class Kind : uint8_t { kAbsent, kNull, kBool, kNumber, kString, kArray, kObject };

  JsonValue() = default;
  Kind kind() const;
  /// Whether the value is neither absent nor null.
  explicit operator bool() const { return kind() > Kind::kNull; }
  /// Whether the value is `true`.
  bool IsTrue() const;
  /// The content of a string, or the digits of a number as in the document; else empty.
  std::string Text() const;
  /// A number that is an int64, written without fraction and exponent; nothing for other values.
  std::optional<int64_t> Integer() const;
  /// The value as compact JSON, with numbers as in the document; empty if it is absent.
  std::string Json() const;
  /// Number of elements or members; 0 for other kinds.
  size_t size() const;
  /// The member of that name; the last one if there are several, absent if there is none.
  JsonValue operator[](std::string_view name) const;
  /// The element at that index; absent if there is none. Takes linear time: use begin() and end() to
  /// visit all elements.
  JsonValue At(size_t index) const;

  /// Iterates forward over the elements of arrays and the members of objects.
  class Iterator {
   public:
    using value_type = JsonValue;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    /// The name of a member; empty for elements.
    std::string Name() const;
    JsonValue operator*() const;
    Iterator& operator++();
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    friend class JsonValue;
    const void* tree_ = nullptr;
    uint32_t at_ = 0;
    bool named_ = false;
  };
  Iterator begin() const;
  Iterator end() const;

 private:
  friend class Document;
  const void* tree_ = nullptr;
  uint32_t at_ = 0;
};

/// A forward iterator that converts each element or member with `make`.
template <typename Element, Element (*make)(const JsonValue::Iterator&)>
class ReaderIterator {
 public:
  using value_type = Element;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;
  using iterator_category = std::input_iterator_tag;

  ReaderIterator() = default;
  explicit ReaderIterator(JsonValue::Iterator at) : at_(at) {}
  Element operator*() const { return make(at_); }
  ReaderIterator& operator++() {
    ++at_;
    return *this;
  }
  ReaderIterator operator++(int) {
    const ReaderIterator before = *this;
    ++at_;
    return before;
  }
  bool operator==(const ReaderIterator& other) const = default;

 private:
  JsonValue::Iterator at_;
};

/// The elements of an array as readers of that type: a range. Empty when there is no array.
template <typename Reader>
class List {
  static Reader Make(const JsonValue::Iterator& at) { return Reader{*at}; }

 public:
  using Iterator = ReaderIterator<Reader, &List::Make>;

  List() = default;
  explicit List(JsonValue json) : json_(json) {}
  size_t size() const { return json_.size(); }
  Iterator begin() const { return Iterator(json_.begin()); }
  Iterator end() const { return Iterator(json_.end()); }
  /// A reader of an absent value when there is no such element. Linear, as JsonValue::At().
  Reader At(size_t index) const { return Reader{json_.At(index)}; }

 private:
  JsonValue json_;
};

/// The members of an object as readers of that type, with their names: a range of pairs. Empty when
/// there is no object.
template <typename Reader>
class Map {
  using Member = std::pair<std::string, Reader>;
  static Member Make(const JsonValue::Iterator& at) { return {at.Name(), Reader{*at}}; }

 public:
  using Iterator = ReaderIterator<Member, &Map::Make>;

  Map() = default;
  explicit Map(JsonValue json) : json_(json) {}
  size_t size() const { return json_.size(); }
  Iterator begin() const { return Iterator(json_.begin()); }
  Iterator end() const { return Iterator(json_.end()); }
  /// A reader of an absent value when there is no such member.
  Reader operator[](std::string_view name) const { return Reader{json_[name]}; }

 private:
  JsonValue json_;
};

/// A JSON document in memory. Cheap to copy: copies share the text. Values and readers point into
/// the document, so a temporary does not return any.
class Document {
 public:
  /// A document without content, whose root is absent.
  Document() = default;
  /// Parses a text. After an error, which has the byte offset, the document has no content. The text
  /// of a plan file (see <kinu/plan_file.h>) stands for the document that `show -json` makes of it;
  /// the same goes for View(), Open() and the plans of RunChecks().
  static Document Parse(std::string text, Diagnostics& problems);
  /// Parses a text where it lies, without a copy. It must stay there while a copy of the document
  /// exists, and a zero byte must follow it, as behind a std::string or a string literal.
  static Document View(std::string_view text, Diagnostics& problems);
  /// Reads a file. A large one is mapped, not copied: do not shorten it while a copy of the document
  /// exists (a file that is replaced by another one stays as it was).
  static Document Open(const std::string& path, Diagnostics& problems);
  /// Whether the document has content.
  explicit operator bool() const { return impl_ != nullptr; }

  /// The outermost value; absent without content.
  JsonValue root() const&;
  JsonValue root() const&& = delete;

  /// The document as a reader of <kinu/documents.h>: Plan, State, Configuration, ProviderSchemas,
  /// Validation, Functions, Message. Nothing, and an error, if it is another document, or its format
  /// version is not 0.1 or a later one below 2.0.
  template <typename Reader>
  std::optional<Reader> As(Diagnostics& problems) const& {
    if (!Check(Reader::kShape, problems)) {
      return std::nullopt;
    }
    return Reader{root()};
  }
  template <typename Reader>
  std::optional<Reader> As(Diagnostics& problems) const&& = delete;

  /// The value at a path (a JSON array of steps, `["a", 0]`) as compact JSON, with numbers as in the
  /// document. Nothing, and an error that names the step, if there is none.
  std::optional<std::string> AtPath(std::string_view path, Diagnostics& problems) const;

  /// A value found by a selector.
  struct Found {
    std::string path;   ///< normalized path of RFC 9535, `$['a'][0]`
    std::string value;  ///< compact JSON
  };
  struct SelectOptions {
    bool show_sensitive = false;  ///< do not replace sensitive values
  };
  /// All values that a JSONPath selector (RFC 9535) finds, in the order of the RFC. Nothing, and an
  /// error with the byte offset, if the selector is malformed.
  std::optional<std::vector<Found>> Select(std::string_view selector, SelectOptions options,
                                           Diagnostics& problems) const;

  /// The changes of a plan as a text of at most `bytes` bytes: their numbers, then a line for each,
  /// those that destroy first, then how many are left out. It has no values of attributes. Nothing,
  /// and an error, for other documents.
  std::optional<std::string> Summary(size_t bytes, Diagnostics& problems) const;

  /// The document as compact JSON with its sensitive values replaced; empty without content.
  std::string Redacted() const;

  /// A plan or state of format 1.x, converted to format 0.1. Nothing, and an error, for other
  /// documents and for changes that format 0.1 does not have. That format has no masks of sensitive
  /// values: convert a document whose secrets are Redacted() already.
  std::optional<std::string> InFormat01(Diagnostics& problems) const;

  /// The properties by which As() recognises a kind of document.
  struct Shape {
    std::string_view what;      ///< the name of the kind in messages
    bool has_version;           ///< the document has a format_version
    std::string_view names[2];  ///< the document has one of these members; empty for any object
  };

 private:
  friend class DocumentStream;
  bool Check(const Shape& shape, Diagnostics& problems) const;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Writes a JSON document. Parts of other documents are written as they stand there, with their
/// numbers exact.
///
///   kinu::v1::DocumentWriter writer;
///   writer.BeginObject();
///   writer.Key("address");
///   writer.String(change.address());
///   writer.EndObject();
///   std::cout << *writer.Finish();
class DocumentWriter {
 public:
  /// `indent`: for each level, on a line of its own; empty: compact.
  explicit DocumentWriter(std::string_view indent = {});
  DocumentWriter(DocumentWriter&&) noexcept;
  ~DocumentWriter();

  void BeginObject();
  void EndObject();
  void BeginArray();
  void EndArray();
  /// The name of the member that comes next.
  void Key(std::string_view name);
  void String(std::string_view text);
  void Bool(bool value);
  void Int(int64_t value);
  /// A number by its digits: "0.1", "1e400".
  void Number(std::string_view digits);
  void Null();
  /// A value of a document; null if it is absent.
  void Value(const JsonValue& value);

  /// The text. Nothing if it is no complete JSON value: a bracket is open, a member has no name or no
  /// value, a number is none. The writer is empty then.
  std::optional<std::string> Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads a sequence of JSON values, such as the messages that commands write with -json. Holds one
/// value at a time in memory.
class DocumentStream {
 public:
  /// Fills a buffer with the next bytes and returns their number; 0 at the end, negative on
  /// failure.
  using Source = std::function<int64_t(char* buffer, size_t size)>;
  explicit DocumentStream(Source source);
  DocumentStream(DocumentStream&&) noexcept;
  ~DocumentStream();

  /// The next value. Without content at the end, and after a syntax error, which is reported once
  /// with the byte offset in the stream.
  Document Next(Diagnostics& problems);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Converts a path from a JSON array of steps, `["a", 0]`, to a normalized path of RFC 9535,
/// `$['a'][0]`. Nothing, and an error, if it is malformed.
std::optional<std::string> NormalizedPath(std::string_view json_path, Diagnostics& problems);
/// Converts a normalized path to a JSON array of steps. Nothing, and an error, if it is malformed.
std::optional<std::string> JsonPathSteps(std::string_view normalized_path, Diagnostics& problems);

/// The input of RunChecks(): check files, and the texts of plans (plan files, `show -json`) and states
/// (`show -json`).
struct CheckRun {
  struct File {
    std::string name;  ///< JSON syntax if it ends with ".json", else native
    std::string text;
  };
  std::vector<File> files;
  std::vector<std::string> plans;
  std::vector<std::string> states;
  bool show_sensitive = false;
};

/// The result of RunChecks().
struct CheckReport {
  enum class Status : uint8_t { kPass, kFail, kError };
  struct Result {
    std::string check;
    std::string kind;
    uint32_t index = 0;  ///< position in the check
    Status status = Status::kPass;
    std::string message;
    uint32_t line = 0;  ///< in the check file, from 1
  };
  bool complete = false;  ///< the input had no errors, so the checks ran
  std::vector<Result> results;
  std::string json;   ///< the output of `check -json`
  std::string junit;  ///< JUnit XML

  /// Whether the checks ran and all assertions passed.
  bool passed() const;
};

/// Runs checks; docs/check.md describes check files. No check runs if a file or document is invalid,
/// which is reported.
CheckReport RunChecks(CheckRun run, Diagnostics& problems);

}  // namespace kinu::v1

// The ranges of this header are views: they point into the document.
template <>
inline constexpr bool std::ranges::enable_view<kinu::v1::JsonValue> = true;
template <>
inline constexpr bool std::ranges::enable_borrowed_range<kinu::v1::JsonValue> = true;
template <typename Reader>
inline constexpr bool std::ranges::enable_view<kinu::v1::List<Reader>> = true;
template <typename Reader>
inline constexpr bool std::ranges::enable_borrowed_range<kinu::v1::List<Reader>> = true;
template <typename Reader>
inline constexpr bool std::ranges::enable_view<kinu::v1::Map<Reader>> = true;
template <typename Reader>
inline constexpr bool std::ranges::enable_borrowed_range<kinu::v1::Map<Reader>> = true;
