// The functions that make the rows of tables, and what they share.
#pragma once

#include <string>
#include <string_view>

#include "table/source.h"
#include "table/table.h"

namespace kinu::table {

void AppendResources(const Source& source, BatchWriter& rows);
void AppendChanges(const Source& source, BatchWriter& rows);
void AppendAttributes(const Source& source, BatchWriter& rows);
void AppendOutputs(const Source& source, BatchWriter& rows);
void AppendChecks(const Source& source, BatchWriter& rows);
void AppendProviders(const Source& source, BatchWriter& rows);
void AppendModules(const Source& source, BatchWriter& rows);
void AppendReferences(const Source& source, BatchWriter& rows);

/// A value as compact JSON without what is hidden in it; null if it is null, absent or hidden.
void AppendJson(BatchWriter& rows, const Redaction& redaction, const json::Node& value,
                const Mask& mask);
/// A value that has nothing sensitive, as compact JSON; null if there is none.
void AppendPlainJson(BatchWriter& rows, const json::Node& value);
/// A member that is a string, or null.
void AppendText(BatchWriter& rows, const json::Node& object, std::string_view name);
/// The changes of resources, with those outside of the program first.
void ForEachChange(const Source& source,
                   const std::function<void(const json::Node& change, bool drift)>& visit);

}  // namespace kinu::table
