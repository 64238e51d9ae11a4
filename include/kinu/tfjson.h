// Documents of plans, states, configurations and schemas for C++ programs: reading, asking,
// checking.
//
// Nothing throws but std::bad_alloc; what can fail returns nothing and says why. A Document may be
// read from several threads. The header needs C++20 and nothing but the standard library.
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

/// A value of a document, found by going down from its root; nothing is converted before it is
/// asked for. Valid as long as a copy of the Document is. What is not there is a JsonValue too:
/// absent, without members, with empty texts.
class JsonValue {
 public:
  enum class Kind : uint8_t { kAbsent, kNull, kBool, kNumber, kString, kArray, kObject };

  JsonValue() = default;
  Kind kind() const;
  /// Whether it is there and not null.
  explicit operator bool() const { return kind() > Kind::kNull; }
  bool IsTrue() const;
  /// The content of a string, or the digits of a number as they are written.
  std::string Text() const;
  /// A number that is an int64 without fraction and exponent.
  std::optional<int64_t> Integer() const;
  /// The value as compact JSON, numbers as they are written.
  std::string Json() const;
  /// Number of elements or members.
  size_t size() const;
  /// The member of that name (the last one, if there are several).
  JsonValue operator[](std::string_view name) const;
  /// The element at that index. Linear: walk over elements with begin() and end().
  JsonValue At(size_t index) const;

  /// Walks over elements of arrays and members of objects.
  class Iterator {
   public:
    /// Of a member.
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

/// Elements of an array as readers of that type.
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

/// Members of an object as readers of that type, with their names.
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
  /// Reads a text. On failure `problem` says what is wrong and at which byte.
  static std::optional<Document> Parse(std::string text, std::string* problem = nullptr);

  JsonValue root() const;

  /// The document as one of the readers of <kinu/documents.h>: Plan, State, Configuration,
  /// ProviderSchemas, Validation, Functions. Nothing when it is no such document, or its format is
  /// none from 0.1 to below 2.0; `problem` says which.
  template <typename Reader>
  std::optional<Reader> As(std::string* problem = nullptr) const {
    if (!Check(Reader::kShape, problem)) {
      return std::nullopt;
    }
    return Reader{root()};
  }

  /// The value at a path (a JSON array of steps, `["a", 0]`) as compact JSON, numbers as they are
  /// written. On failure `problem` names the step.
  std::optional<std::string> AtPath(std::string_view path, std::string* problem = nullptr) const;

  /// A value that a selector found.
  struct Found {
    std::string path;   ///< normalized, `$['a'][0]`
    std::string value;  ///< compact JSON
  };
  struct SelectOptions {
    bool show_sensitive = false;  ///< else sensitive values are replaced
  };
  /// Everything that a JSONPath selector (RFC 9535) finds, in its order. On failure `problem` says
  /// what is wrong with the selector, and at which byte.
  std::optional<std::vector<Found>> Select(std::string_view selector, SelectOptions options,
                                           std::string* problem = nullptr) const;

  /// The document as compact JSON with its sensitive values replaced.
  std::string Redacted() const;

  /// A plan or state of format 1 as the same in format 0.1.
  std::optional<std::string> InFormat01(std::string* problem = nullptr) const;

  /// What tells a kind of document.
  struct Shape {
    std::string_view what;
    bool has_version;           ///< it has a format_version
    std::string_view names[2];  ///< members of which it has at least one; empty: any object
  };

 private:
  friend class DocumentStream;
  bool Check(const Shape& shape, std::string* problem) const;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Reads JSON values that follow each other, such as the message streams of `-json`, one at a time:
/// what is in memory is one of them. Each is given when the next begins.
class DocumentStream {
 public:
  /// Fills a buffer with the next bytes. Returns how many; 0 at the end, negative on failure.
  using Source = std::function<int64_t(char* buffer, size_t size)>;
  explicit DocumentStream(Source source);
  DocumentStream(DocumentStream&&) noexcept;
  ~DocumentStream();

  /// The next one; nothing at the end, and when the text is malformed: problem() is not empty then.
  std::optional<Document> Next();
  /// What is wrong, and at which byte of the stream.
  const std::string& problem() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Converts between the two texts of a path; nothing when it is malformed.
std::optional<std::string> NormalizedPath(std::string_view json_path);
std::optional<std::string> JsonPathSteps(std::string_view normalized_path);

/// A run of checks: check files (name and text; the name says the syntax) over plans and states
/// (the text of `show -json`).
struct CheckRun {
  struct File {
    std::string name;
    std::string text;
  };
  std::vector<File> files;
  std::vector<std::string> plans;
  std::vector<std::string> states;
  bool show_sensitive = false;
};

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
  /// Why nothing could be checked; empty when it could.
  std::vector<std::string> problems;
  std::vector<Result> results;
  std::string json;   ///< as `check -json` prints it
  std::string junit;  ///< JUnit XML

  bool passed() const;
};

CheckReport RunChecks(CheckRun run);

}  // namespace kinu::v1
