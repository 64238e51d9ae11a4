// Output of query results. Every format replaces sensitive values, unless options say otherwise.
// Results are written at once, except in CSV and tables, which need all rows to know the columns.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "query/columns.h"
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
  /// What is shown of each result, in place of the whole.
  std::vector<Column> columns{};
  /// Counts the results that have the same values in these columns, in place of the results.
  std::vector<Column> group_by{};
  /// Values inside a result are members of their own, named by their paths.
  bool flatten = false;
  /// Terminal columns that a table may use; longer cells are cut. 0: any number.
  size_t width = 0;
};

/// Writes the results of queries in a format.
class ResultWriter {
 public:
  using Print = std::function<void(std::string_view)>;
  ResultWriter(OutputOptions options, Print print)
      : options_(std::move(options)), print_(std::move(print)) {}

  /// Call it before the results of another document.
  void BeginDocument() { secrets_of_.reset(); }
  void Add(const Found& found);
  /// Writes the rest of the output. Call it last.
  void Finish();
  uint64_t count() const { return count_; }

 private:
  struct Cell {
    std::string column;
    std::string text;
    std::string json;  // only for results that are written as JSON
  };
  using Row = std::vector<Cell>;
  bool projects() const {
    return !options_.columns.empty() || !options_.group_by.empty() || options_.flatten;
  }
  bool writes_json() const {
    return options_.format == Format::kJson || options_.format == Format::kLines;
  }
  Cell CellFor(std::string column, const json::Node& node, const tfjson::MaskCursor& cursor) const;
  Cell CellFor(const Column& column, const Found& found, const tfjson::MaskCursor& cursor) const;
  Row RowOf(const Found& found, const tfjson::MaskCursor& cursor, const std::string& path) const;
  void AddFlat(Row& row, std::string name, const json::Node& node,
               const tfjson::MaskCursor& cursor) const;
  void AddToGroup(const Found& found, const tfjson::MaskCursor& cursor);
  void WriteRow(const Row& row);
  void WriteGroups();
  void CutToWidth(std::vector<std::vector<std::string>>& lines, std::vector<size_t>& widths) const;
  std::string PathOf(const Found& found, size_t depth) const;
  std::string TextOf(const json::Node& node, const tfjson::MaskCursor& cursor) const;
  void AppendValue(std::string& out, const json::Node& node,
                   const tfjson::MaskCursor& cursor) const;
  void FindSecrets(const json::Tree& tree);
  void WriteRows();
  void Flush(size_t at_least);

  OutputOptions options_;
  Print print_;
  uint64_t count_ = 0;
  std::string out_;
  std::vector<Row> rows_;
  uint64_t written_ = 0;  // rows
  struct Group {
    Row cells;
    uint64_t count = 0;
  };
  std::vector<Group> groups_;
  FlatMap<std::string, size_t> group_index_;
  /// The secrets of the last result's tree; secrets_of_ identifies it by address and offset in the
  /// document.
  tfjson::Secrets secrets_;
  std::optional<std::pair<const json::Tree*, uint64_t>> secrets_of_;
};

}  // namespace kinu::query
