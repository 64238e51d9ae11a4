// Diagnostics are data: what is wrong, where, and with which values. Rendering is view's work.
//
// Severity, summary and subject range equal the reference's, and so does a detail of one line that
// states a fact (programs match them); what explains is kinu's own words. Never put a sensitive
// value into a detail.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/source.h"

namespace kinu {

enum class Severity : uint8_t { kError, kWarning };

/// A value that an expression in the subject referred to: `var.a` `is "x"`.
struct ExpressionValue {
  std::string traversal;
  std::string statement;
};

/// The function call that a diagnostic is about, for JSON output.
struct FunctionCallNote {
  std::string called_as;
  std::string signature;  ///< JSON of the signature, empty when there is none
};

/// What a diagnostic carries beyond text and place; clients switch on these.
enum class DiagnosticTag : uint8_t {
  kNone,
  kCausedByUnknown,
  kCausedBySensitive,
  kConsolidateNever,
  kDeprecation,
};

/// Something that a diagnostic carries for those who know its type (dynamic_cast finds it), such as
/// the two sides of a comparison that failed.
struct DiagnosticExtra {
  virtual ~DiagnosticExtra() = default;
};

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string summary;
  std::string detail;
  SourceRange subject;  ///< what is wrong; no file: the problem has no place in a source
  SourceRange context;  ///< what to show around it; no file: just the subject's lines
  std::string address;  ///< the object that it happened for ("" when none)
  std::vector<ExpressionValue> values;
  std::optional<FunctionCallNote> function_call;
  DiagnosticTag tag = DiagnosticTag::kNone;
  std::shared_ptr<const DiagnosticExtra> extra;

  bool is_error() const { return severity == Severity::kError; }
};

/// A list of diagnostics that grows. Functions that can find problems take one as last parameter,
/// add to it and go on with a partial result.
class Diagnostics {
 public:
  /// Adds an error and returns it, so that the caller can fill in more.
  Diagnostic& Error(std::string summary, std::string detail, SourceRange subject = {},
                    SourceRange context = {});
  Diagnostic& Warning(std::string summary, std::string detail, SourceRange subject = {},
                      SourceRange context = {});
  void Add(Diagnostic diagnostic);
  void Append(Diagnostics&& others);
  void Append(const Diagnostics& others);

  bool has_errors() const { return errors_ > 0; }
  /// Number of errors so far: compare before and after a call to learn whether that call failed.
  size_t error_count() const { return errors_; }
  bool empty() const { return list_.empty(); }
  size_t size() const { return list_.size(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  std::vector<Diagnostic>& list() { return list_; }
  const std::vector<Diagnostic>& list() const { return list_; }

  /// The order in which the reference prints a batch: warnings before errors, those with no place
  /// first, files of fewer path segments first, then by place; stable otherwise.
  /// Ref: opentofu internal/tfdiags/diagnostics.go Sort.
  void Sort();
  /// Drops all that came after the first `size`.
  void Truncate(size_t size);

 private:
  std::vector<Diagnostic> list_;
  size_t errors_ = 0;
};

}  // namespace kinu
