// How the results of a query are printed. Sensitive values are replaced unless asked for, in every
// form. Results are written as they come; only tables wait for the last one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/stream.h"

namespace kinu::query {

enum class Format : uint8_t {
  kJson,   ///< one array
  kLines,  ///< a JSON value a line
  kRaw,    ///< strings without quotes, a line each
  kCsv,    ///< a row each: members of objects and elements of arrays are columns
  kTable,  ///< the same, aligned
  kCount,  ///< only how many there are
};

struct OutputOptions {
  Format format = Format::kLines;
  bool paths = false;  ///< the normalized path with each value
  bool show_sensitive = false;
};

class ResultWriter {
 public:
  using Print = std::function<void(std::string_view)>;
  ResultWriter(OutputOptions options, Print print) : options_(options), print_(std::move(print)) {}

  /// What follows is of another document.
  void BeginDocument() { secrets_of_.reset(); }
  void Add(const Found& found);
  /// Writes what is left.
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
  /// Of the tree that a result stands in, which is known by where it begins in its document.
  tfjson::Secrets secrets_;
  std::optional<std::pair<const tfjson::Tree*, uint64_t>> secrets_of_;
};

}  // namespace kinu::query
