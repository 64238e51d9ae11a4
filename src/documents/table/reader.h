// TableReader: one table of any number of documents, which are in memory one at a time.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "table/batch.h"
#include "table/source.h"
#include "table/table.h"

namespace kinu::table {

class TableReader {
 public:
  /// Receives why a document has no rows.
  using OnProblem = std::function<void(std::string_view source, std::string_view problem)>;

  TableReader(const TableSpec& table, const SourceOptions& options, BatchWriter::Sink sink,
              OnProblem on_problem)
      : table_(table),
        options_(options),
        rows_(table.columns, std::move(sink)),
        on_problem_(std::move(on_problem)) {}

  /// Adds the rows of a document. False: nobody wants more rows.
  bool Add(const std::string& source, std::string text);
  /// Records a document that could not be had. It is a row of the table of problems.
  bool AddProblem(std::string_view source, std::string_view problem);
  /// Gives out what is left.
  void Finish() { rows_.Finish(); }
  uint64_t rows() const { return rows_.rows(); }

 private:
  const TableSpec& table_;
  SourceOptions options_;
  BatchWriter rows_;
  OnProblem on_problem_;
};

}  // namespace kinu::table
