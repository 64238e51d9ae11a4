// Source: a document whose rows tables have: a plan or a state as `show -json` prints it, in format
// 0.1 or 1.x, or a state file of version 4.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/tree.h"
#include "table/batch.h"
#include "table/masking.h"
#include "tfjson/secrets.h"

namespace kinu::table {

/// What a document is.
enum class DocumentKind : uint8_t { kPlan, kState, kStateFile };

struct SourceOptions {
  bool show_sensitive = false;
};

/// A resource instance of a state. The views are valid during the call that they are passed to.
struct ResourceView {
  std::string_view address;
  std::string_view module;  ///< empty: the root
  std::string_view mode;
  std::string_view type;
  std::string_view name;
  json::Node index;  ///< none without count and for_each
  std::string_view provider;
  json::Node schema_version;
  bool tainted = false;
  std::string_view deposed;  ///< the key of a deposed object
  json::Node values;
  Mask mask;  ///< of `values`
  json::Node depends_on;
};

class Source {
 public:
  /// Reads a text. The error says why it is none of these documents.
  static Result<std::unique_ptr<Source>> Read(std::string name, std::string text,
                                              const SourceOptions& options);

  const std::string& name() const { return name_; }
  DocumentKind kind() const { return kind_; }
  json::Node root() const { return document_->root(); }
  /// `configuration` of a plan, in any format.
  json::Node configuration() const;
  /// What values are written with.
  const Redaction& redaction() const { return redaction_; }

  /// Appends the values of the columns that every table begins with.
  BatchWriter& BeginRow(BatchWriter& rows) const;
  /// The resource instances of a state, or of the state before a plan.
  void ForEachResource(const std::function<void(const ResourceView&)>& visit) const;

 private:
  Source(std::string name, std::unique_ptr<json::Document> document, DocumentKind kind,
         const SourceOptions& options);
  void VisitModule(const json::Node& module,
                   const std::function<void(const ResourceView&)>& visit) const;
  void VisitStateFile(const std::function<void(const ResourceView&)>& visit) const;

  std::string name_;
  std::unique_ptr<json::Document> document_;
  DocumentKind kind_;
  std::string version_;
  std::string lineage_;
  std::optional<int64_t> serial_;
  Redaction redaction_;
};

/// The text of a string; empty for all else. `scratch` holds what was escaped.
std::string_view TextOf(const json::Node& text, std::string& scratch);
/// The text of a member that is a string; empty for all else.
std::string_view TextOf(const json::Node& object, std::string_view name, std::string& scratch);

/// A whole number of 64 bits, or nothing.
std::optional<int64_t> IntegerOf(const json::Node& number);

}  // namespace kinu::table
