// Diagnostics: errors and warnings as data, with text, source range and the values involved. The
// library view renders them.
//
// Severity, summary and subject range equal the reference's, and so does a detail of one line that
// states a fact, because programs match them; longer explanations are kinu's own. Never put a
// sensitive value into a detail.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/source.h"

namespace kinu {

enum class Severity : uint8_t { kError, kWarning };

/// The value of a reference in the subject: traversal `var.a`, statement `is "x"`.
struct ExpressionValue {
  std::string traversal;
  std::string statement;
};

/// The function call that a diagnostic is about, for JSON output.
struct FunctionCallNote {
  std::string called_as;
  std::string signature;  ///< JSON of the signature, empty when there is none
};

/// Properties that clients switch on, beyond the text and the source range.
enum class DiagnosticTag : uint8_t {
  kNone,
  kCausedByUnknown,
  kCausedBySensitive,
  kConsolidateNever,
  kDeprecation,
};

/// What a diagnostic reports, where code asks for it: nothing decides by the words of a text.
enum class DiagnosticKind : uint8_t {
  kOther,
  kDynamicValue,      ///< an expression needs what is not read where its value must be known
  kUnavailableValue,  ///< a value depends on one that is not given
  kMissingVariable,   ///< a variable without a default is not set
  kUnsuitableInput,   ///< the value given for a variable does not fit its declaration
  kUnreadablePlan,    ///< a plan file, or a part of it, cannot be read
};

/// Base of extra data of a diagnostic, such as the two sides of a failed comparison. Readers find
/// it by dynamic_cast.
struct DiagnosticExtra {
  virtual ~DiagnosticExtra() = default;
};

/// An error or warning.
struct Diagnostic {
  Severity severity = Severity::kError;
  std::string summary;
  std::string detail;
  SourceRange subject;  ///< the faulty text; without a file if the problem has no source
  SourceRange context;  ///< the text to show around it; without a file: the subject's lines
  std::string address;  ///< the resource instance or other object concerned; may be empty
  std::vector<ExpressionValue> values;
  std::optional<FunctionCallNote> function_call;
  DiagnosticTag tag = DiagnosticTag::kNone;
  DiagnosticKind kind = DiagnosticKind::kOther;
  std::shared_ptr<const DiagnosticExtra> extra;
  /// The object whose condition is reported (meta_arguments::ConditionOrigin); null: no condition
  /// is.
  std::shared_ptr<const DiagnosticExtra> origin;

  bool is_error() const { return severity == Severity::kError; }
};

/// A list of diagnostics. Functions that report problems have one as last parameter, append to it
/// and return a partial result.
class Diagnostics {
 public:
  Diagnostics() = default;
  /// A list that only counts errors and keeps nothing: for a caller that asks whether something
  /// fails, and not why.
  static Diagnostics Counting();
  /// An empty list that counts or keeps as this one does.
  Diagnostics Another() const { return only_counts_ ? Counting() : Diagnostics(); }
  /// Whether it only counts. Then the text of an error need not be made: CountError() is enough.
  bool only_counts() const { return only_counts_; }
  void CountError() { ++errors_; }

  /// Adds an error and returns it, so that the caller can fill in more.
  Diagnostic& Error(std::string summary, std::string detail, SourceRange subject = {},
                    SourceRange context = {});
  Diagnostic& Warning(std::string summary, std::string detail, SourceRange subject = {},
                      SourceRange context = {});
  void Add(Diagnostic diagnostic);
  void Append(Diagnostics&& others);
  void Append(const Diagnostics& others);

  bool has_errors() const { return errors_ > 0; }
  /// Number of errors so far. A call has failed if the number is higher after it.
  size_t error_count() const { return errors_; }
  bool empty() const { return list_.empty() && errors_ == 0; }
  size_t size() const { return list_.size(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  std::vector<Diagnostic>& list() { return list_; }
  const std::vector<Diagnostic>& list() const { return list_; }

  /// Sorts stably in the order in which the reference prints: warnings before errors; then those
  /// without a source range; then by number of path segments, file name and range.
  /// Ref: opentofu internal/tfdiags/diagnostics.go Sort.
  void Sort();
  /// Removes all but the first `size` diagnostics.
  void Truncate(size_t size);

 private:
  Diagnostic& Keep(Diagnostic diagnostic);

  std::vector<Diagnostic> list_;
  size_t errors_ = 0;
  bool only_counts_ = false;
};

}  // namespace kinu
