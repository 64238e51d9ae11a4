// Tables: what plans and states hold as rows and columns, for programs that analyse many of them.
// Each table is one row of kTables: its name, its columns, and the function that makes its rows.
//
// Sensitive values are null unless they are asked for, and so are other texts that contain one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "table/batch.h"

namespace kinu::table {

class Source;

/// A table.
struct TableSpec {
  std::string_view name;
  std::string_view description;  ///< a sentence without final full stop
  std::span<const ColumnSpec> columns;
  /// Appends the rows of a document. Null for the table of problems, whose rows TableReader makes.
  void (*append)(const Source& source, BatchWriter& rows) = nullptr;
  /// The rows of a plan are made from its configuration. Those of other tables are made from the
  /// changes, the outputs, the checks and the state before it.
  bool reads_configuration = false;
};

std::span<const TableSpec> Tables();
/// Null if there is none of that name.
const TableSpec* FindTable(std::string_view name);

/// The columns that every table begins with.
inline constexpr ColumnSpec kSource = {"source", ColumnType::kText, "the file, as it was given"};
inline constexpr ColumnSpec kLineage = {"lineage", ColumnType::kText,
                                        "the lineage of a state file"};
inline constexpr ColumnSpec kSerial = {"serial", ColumnType::kInteger,
                                       "the serial of a state file"};
inline constexpr ColumnSpec kVersion = {"terraform_version", ColumnType::kText,
                                        "the version of the program that wrote it"};

}  // namespace kinu::table
