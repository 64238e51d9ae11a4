// Output of query results. Every format replaces sensitive values, unless options say otherwise.
// Results are written at once, except in CSV and tables, which need all rows to know the columns.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/stream.h"

namespace kinu::query {

/// Formats of query results.
enum class Format : uint8_t {
  kJson,   ///< one JSON array
  kLines,  ///< a JSON value per line
  kRaw,    ///< like kLines, but strings without quotes
  kCsv,    ///< a row per result: members of objects and elements of arrays are columns
  kTable,  ///< like kCsv, aligned
  kCount,  ///< only the number of results
};

/// Options of ResultWriter.
struct OutputOptions {
  Format format = Format::kLines;
  bool paths = false;  ///< add the normalized path of each value
  bool show_sensitive = false;
};

/// Writes the results of queries in a format.
class ResultWriter {
 public:
  using Print = std::function<void(std::string_view)>;
  ResultWriter(OutputOptions options, Print print) : options_(options), print_(std::move(print)) {}

  /// Call it before the results of another document.
  void BeginDocument() { secrets_of_.reset(); }
  void Add(const Found& found);
  /// Writes the rest of the output. Call it last.
  void Finish();
  uint64_t count() const { return count_; }

 private:
  struct Row {
    std::vector<std::pair<std::string, std::string>> cells;  // column, text
  };
  std::string PathOf(const Found& found, size_t depth) const;
  void AddRow(const tfjson::Node& node, const tfjson::MaskCursor& cursor, const std::string& path);
  std::string CellOf(const tfjson::Node& node, const tfjson::MaskCursor& cursor) const;
  void AppendValue(const tfjson::Node& node, const tfjson::MaskCursor& cursor);
  void FindSecrets(const tfjson::Tree& tree);
  void WriteRows();
  void Flush(size_t at_least);

  OutputOptions options_;
  Print print_;
  uint64_t count_ = 0;
  std::string out_;
  std::vector<Row> rows_;
  /// The secrets of the last result's tree; secrets_of_ identifies it by address and offset in the
  /// document.
  tfjson::Secrets secrets_;
  std::optional<std::pair<const tfjson::Tree*, uint64_t>> secrets_of_;
};

}  // namespace kinu::query
