// Plan files where documents are expected: what `show -json` makes of them. Private to api and c.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <kinu/diagnostics.h>

#include "plan/plan_file.h"
#include "plan_json/documents.h"

namespace kinu::api {

/// Whether a text is a plan file, which is an archive.
inline bool IsPlanFile(std::string_view text) {
  return text.starts_with("PK\x03\x04");
}

/// The document of a plan file. Nothing, and an error, if it cannot be read.
std::optional<std::string> PlanDocument(const plan::PlanFile& file, v1::Diagnostics& problems,
                                        view::PlanParts parts = view::PlanParts::kAll);
/// Makes the text of a plan file that of its document, and leaves any other as it is. False, and an
/// error, if it cannot be read.
bool ReadPlanFile(std::string& text, v1::Diagnostics& problems,
                  view::PlanParts parts = view::PlanParts::kAll);

}  // namespace kinu::api
