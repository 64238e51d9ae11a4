// Writers of tables as text or bytes. One file and one row of kFormats each.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "table/batch.h"

namespace kinu::table {

/// Receives pieces of the output. Returns false when nobody reads it any more.
using Output = std::function<bool(std::string_view)>;

class TableWriter {
 public:
  virtual ~TableWriter() = default;
  /// Writes the rows of a batch. False: nobody reads them.
  virtual bool Add(const Batch& batch) = 0;
  /// Ends the output.
  virtual bool Finish() { return true; }
};

struct FormatSpec {
  std::string_view name;
  /// Writes what stands in front of all rows.
  std::unique_ptr<TableWriter> (*open)(std::span<const ColumnSpec> columns,
                                       const Output& output) = nullptr;
};

/// A JSON object per row and line.
extern const FormatSpec kJsonLines;
/// RFC 4180, with a line of headings; null is empty.
extern const FormatSpec kCsv;
/// The streaming format of Arrow IPC.
extern const FormatSpec kArrow;

}  // namespace kinu::table
