// Spec files: the text format of decoder specifications. Ref: hcl v2 cmd/hcldec/spec.go,
// spec-format.md.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hcldec/spec.h"
#include "lang/user_function.h"

namespace kinu::hcldec {

/// A parsed spec file. Owns its syntax tree; neither movable nor copyable, because specs point into
/// it.
class SpecFile {
 public:
  /// Reads the file. After errors spec() is a literal null.
  static std::unique_ptr<SpecFile> Read(Ref<const SourceFile> source, Diagnostics& diags);

  const Spec& spec() const { return spec_; }
  /// Adds the file's variables and functions to a scope, which the file must outlive.
  void AddTo(lang::ToolScope& scope) const;

 private:
  friend class SpecReader;
  SpecFile() = default;

  hcl::SyntaxTree tree_;
  lang::ToolScope functions_;  // the scope of expressions in the spec
  std::vector<std::pair<std::string, Value>> variables_;
  std::vector<std::unique_ptr<functions::Callable>> user_functions_;
  Spec spec_;
};

}  // namespace kinu::hcldec
