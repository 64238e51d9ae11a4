#include "ide/answers.h"

namespace kinu::ide {

Result<RenameTarget> PrepareRename(const Snapshot&, const Cursor&) {
  return Fail(ErrorCode::kInvalid, "");
}

Result<WorkspaceEdit> Rename(const Snapshot&, const Cursor&, std::string_view) {
  return Fail(ErrorCode::kInvalid, "");
}

}  // namespace kinu::ide
