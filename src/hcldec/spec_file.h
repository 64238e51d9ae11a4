// Spec files: decoder specifications as people write them. Ref: hcl v2 cmd/hcldec/spec.go,
// spec-format.md.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hcldec/spec.h"
#include "lang/user_function.h"

namespace kinu::hcldec {

/// What a spec file says. Owns its syntax; neither movable nor copyable because specs point into
/// it.
class SpecFile {
 public:
  /// Reads the file. After errors spec() is a literal null.
  static std::unique_ptr<SpecFile> Read(Ref<const SourceFile> source, Diagnostics& diags);

  const Spec& spec() const { return spec_; }
  /// Puts the file's variables and functions into a scope that the file must outlive.
  void AddTo(lang::ToolScope& scope) const;

 private:
  friend class SpecReader;
  SpecFile() = default;

  hcl::SyntaxTree tree_;
  lang::ToolScope functions_;  // what expressions of the spec itself see
  std::vector<std::pair<std::string, Value>> variables_;
  std::vector<std::unique_ptr<functions::Callable>> user_functions_;
  Spec spec_;
};

}  // namespace kinu::hcldec
