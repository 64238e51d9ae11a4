#include "ide/edited_syntax.h"

#include "base/files.h"
#include "ide/parsed_file.h"

namespace kinu::ide {

std::optional<std::vector<Problem>> EditedSyntax::Problems(const std::string& path,
                                                           const std::string& text) {
  if (IsJsonName(path)) {
    return std::nullopt;
  }
  const Ref<const SourceFile> source = SourceFile::Make(BaseName(path), text);
  return SyntaxProblemsOf(checkers_[path].Check(*source));
}

}  // namespace kinu::ide
