// Tables by the Arrow C Data Interface. Batches are handed over without a copy.
// Ref: arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <kinu/kinu.h>

#include "table/reader.h"

namespace kinu::c {

/// The next document of a table.
struct NextDocument {
  enum class Status : uint8_t { kDocument, kProblem, kEnd, kFailed };
  Status status = Status::kEnd;
  std::string name;
  std::string text;  ///< kProblem, kFailed: why
};
using DocumentSource = std::function<NextDocument()>;

/// Makes the text of a plan file that of its document, as far as a table needs it, and leaves any
/// other as it is. Nothing; else why the file cannot be read.
std::optional<std::string> ProblemOfPlanFile(std::string& text, const table::TableSpec& table);

/// Fills `out` with a stream of a table's batches. Documents are asked for when they are needed.
void OpenStream(const table::TableSpec& table, const table::SourceOptions& options,
                DocumentSource next, ArrowArrayStream* out);

}  // namespace kinu::c
