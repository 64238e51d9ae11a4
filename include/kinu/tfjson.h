// Documents of plans, states, configurations and schemas for C++ programs: reading, asking, checking.
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
#include <vector>

namespace kinu::v1 {

/// A JSON document in memory. Cheap to copy: copies share the text.
class Document {
 public:
  /// Reads a text. On failure `problem` says what is wrong and at which byte.
  static std::optional<Document> Parse(std::string text, std::string* problem = nullptr);

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

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Converts between the two texts of a path; nothing when it is malformed.
std::optional<std::string> NormalizedPath(std::string_view json_path);
std::optional<std::string> JsonPathSteps(std::string_view normalized_path);

/// A run of checks: check files (name and text; the name says the syntax) over plans and states (the
/// text of `show -json`).
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
