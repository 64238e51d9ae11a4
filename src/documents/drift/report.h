// Reports of drift as text, JSON, Markdown and SARIF. Sensitive values are replaced already
// (ReadDrift()). docs/drift.md shows the forms, docs/schemas/drift.json describes the JSON.
#pragma once

#include <functional>
#include <string>

#include "check/finding.h"
#include "drift/drift.h"
#include "json/writer.h"

namespace kinu::drift {

// The functions append to `out`.

/// For people: each object with its differences, then a line that counts them.
void WriteText(std::string& out, const Report& report);
/// One JSON object with a line end. `problems` writes the elements of its diagnostics: what the
/// plan that saw the drift reported.
void WriteJson(std::string& out, const Report& report,
               const std::function<void(JsonWriter& json)>& problems);
/// A table for comments on changes and wikis.
void WriteMarkdown(std::string& out, const Report& report);
/// SARIF 2.1.0: an entry per object that counts, at its block in the configuration.
void WriteSarif(std::string& out, const Report& report, std::string_view version);

/// "2 objects have drifted, 1 of them is gone; 1 does not count."
std::string Headline(const Report& report);

}  // namespace kinu::drift
