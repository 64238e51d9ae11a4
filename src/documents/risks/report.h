// Reports of risks as text and JSON. docs/risks.md shows the forms, docs/schemas/risks.json
// describes the JSON. A report has names, and no values of attributes, outputs or variables.
#pragma once

#include <functional>
#include <string>

#include "json/writer.h"
#include "risks/risks.h"

namespace kinu::risks {

// The functions append to `out` what Collect() has left in a report.

/// For people: each risk, after a line that counts them.
void WriteText(std::string& out, const Report& report);
/// One JSON object with a line end. `problems` writes the elements of its diagnostics.
void WriteJson(std::string& out, const Report& report,
               const std::function<void(JsonWriter& json)>& problems);
/// The array of risks alone, for messages and summaries.
void WriteRisks(JsonWriter& json, const Report& report);

/// "Risks: 1 high, 2 medium; 1 more does not count."
std::string Headline(const Report& report);
/// The first addresses of a risk, and how many more there are; empty: it is of the whole plan.
std::string Addresses(const Risk& risk);

}  // namespace kinu::risks
