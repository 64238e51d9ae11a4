// JSON documents of plans, states, configurations and schemas for C++ programs: reading them,
// querying them with selectors, and running checks. <kinu/documents.h> has typed readers.
//
// The only exception thrown is std::bad_alloc. Functions that can fail return nothing and set
// `problem`. A Document may be read from several threads. The header needs C++20 and the standard
// library only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinu::v1 {

/// A value of a document. Functions convert on request. Valid as long as a copy of the Document
/// exists. A missing member or element is an absent JsonValue: it has no members, and its texts are
/// empty.
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
  /// The member of that name; the last one if there are several.
  JsonValue operator[](std::string_view name) const;
  /// The element at that index. Takes linear time: use begin() and end() to visit all elements.
  JsonValue At(size_t index) const;

  /// Iterates over the elements of arrays and the members of objects.
  class Iterator {
   public:
    /// The name of a member; empty for elements.
    std::string Name() const;
    JsonValue operator*() const;
    Iterator& operator++();
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

/// The elements of an array as readers of that type.
template <typename Reader>
class List {
 public:
  explicit List(JsonValue json) : json_(json) {}
  class Iterator {
   public:
    explicit Iterator(JsonValue::Iterator at) : at_(at) {}
    Reader operator*() const { return Reader{*at_}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const = default;

   private:
    JsonValue::Iterator at_;
  };
  size_t size() const { return json_.size(); }
  Iterator begin() const { return Iterator(json_.begin()); }
  Iterator end() const { return Iterator(json_.end()); }
  Reader At(size_t index) const { return Reader{json_.At(index)}; }

 private:
  JsonValue json_;
};

/// The members of an object as readers of that type, with their names.
template <typename Reader>
class Map {
 public:
  explicit Map(JsonValue json) : json_(json) {}
  class Iterator {
   public:
    explicit Iterator(JsonValue::Iterator at) : at_(at) {}
    std::pair<std::string, Reader> operator*() const { return {at_.Name(), Reader{*at_}}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const = default;

   private:
    JsonValue::Iterator at_;
  };
  size_t size() const { return json_.size(); }
  Iterator begin() const { return Iterator(json_.begin()); }
  Iterator end() const { return Iterator(json_.end()); }
  Reader operator[](std::string_view name) const { return Reader{json_[name]}; }

 private:
  JsonValue json_;
};

/// A JSON document in memory. Cheap to copy: copies share the text.
class Document {
 public:
  /// Parses a text. After an error `problem` has a message with the byte offset.
  static std::optional<Document> Parse(std::string text, std::string* problem = nullptr);

  JsonValue root() const;

  /// The document as a reader of <kinu/documents.h>: Plan, State, Configuration, ProviderSchemas,
  /// Validation, Functions, Message. Nothing, with the reason in `problem`, if it is another
  /// document, or its format version is not 0.1 or a later one below 2.0.
  template <typename Reader>
  std::optional<Reader> As(std::string* problem = nullptr) const {
    if (!Check(Reader::kShape, problem)) {
      return std::nullopt;
    }
    return Reader{root()};
  }

  /// The value at a path (a JSON array of steps, `["a", 0]`) as compact JSON, with numbers as in
  /// the document. If there is none, `problem` names the step.
  std::optional<std::string> AtPath(std::string_view path, std::string* problem = nullptr) const;

  /// A value found by a selector.
  struct Found {
    std::string path;   ///< normalized path of RFC 9535, `$['a'][0]`
    std::string value;  ///< compact JSON
  };
  struct SelectOptions {
    bool show_sensitive = false;  ///< do not replace sensitive values
  };
  /// All values that a JSONPath selector (RFC 9535) finds, in the order of the RFC. After an error
  /// in the selector, `problem` has a message with the byte offset in it.
  std::optional<std::vector<Found>> Select(std::string_view selector, SelectOptions options,
                                           std::string* problem = nullptr) const;

  /// The document as compact JSON with its sensitive values replaced.
  std::string Redacted() const;

  /// A plan or state of format 1.x, converted to format 0.1; nothing for other documents. Format
  /// 0.1 has no masks of sensitive values: convert a document whose secrets are Redacted() already.
  std::optional<std::string> InFormat01(std::string* problem = nullptr) const;

  /// The properties by which As() recognises a kind of document.
  struct Shape {
    std::string_view what;      ///< the name of the kind in messages
    bool has_version;           ///< the document has a format_version
    std::string_view names[2];  ///< the document has one of these members; empty for any object
  };

 private:
  friend class DocumentStream;
  bool Check(const Shape& shape, std::string* problem) const;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
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

  /// The next value; nothing at the end and after an error, when problem() is not empty.
  std::optional<Document> Next();
  /// The message of a syntax error, with the byte offset in the stream; empty without error.
  const std::string& problem() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Converts a path from a JSON array of steps, `["a", 0]`, to a normalized path of RFC 9535,
/// `$['a'][0]`, and back. Nothing after a syntax error.
std::optional<std::string> NormalizedPath(std::string_view json_path);
std::optional<std::string> JsonPathSteps(std::string_view normalized_path);

/// The input of RunChecks(): check files, and the texts of plans and states (`show -json`).
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
  /// Errors in the input, which prevent all checks; empty if the checks ran.
  std::vector<std::string> problems;
  std::vector<Result> results;
  std::string json;   ///< the output of `check -json`
  std::string junit;  ///< JUnit XML

  /// Whether the checks ran and all assertions passed.
  bool passed() const;
};

/// Runs checks; docs/check.md describes check files.
CheckReport RunChecks(CheckRun run);

}  // namespace kinu::v1
