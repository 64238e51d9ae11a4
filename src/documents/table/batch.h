// Batches: rows in memory by columns, in the layout of Arrow arrays: a bitmap of values that are
// not null, offsets and bytes of texts, 64-bit integers and floating-point numbers, bits of
// booleans. A batch has a bounded size, so that any number of rows costs the same memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinu::table {

enum class ColumnType : uint8_t { kText, kInteger, kNumber, kBool };

/// A column of a table.
struct ColumnSpec {
  std::string_view name;
  ColumnType type = ColumnType::kText;
  std::string_view description;
};

/// The values of a column.
struct Column {
  std::vector<uint8_t> valid;  ///< a bit per row, the first the lowest; clear: null. Empty without
                               ///< nulls.
  std::vector<int32_t> offsets;  ///< texts: one more than rows
  std::string bytes;             ///< texts, one after the other
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  std::vector<uint8_t> bools;  ///< a bit per row
  int64_t nulls = 0;

  bool IsNull(size_t row) const { return nulls > 0 && (valid[row / 8] >> row % 8 & 1) == 0; }
  std::string_view Text(size_t row) const {
    return std::string_view(bytes).substr(static_cast<size_t>(offsets[row]),
                                          static_cast<size_t>(offsets[row + 1] - offsets[row]));
  }
  bool Bool(size_t row) const { return (bools[row / 8] >> row % 8 & 1) != 0; }
};

struct Batch {
  std::span<const ColumnSpec> specs;
  std::vector<Column> columns;  ///< one for each of `specs`
  size_t rows = 0;
};

/// Takes rows value by value and gives them out in batches.
class BatchWriter {
 public:
  /// Receives a full batch. Returns false to stop: further rows are dropped.
  using Sink = std::function<bool(Batch&&)>;
  BatchWriter(std::span<const ColumnSpec> specs, Sink sink);

  // The values of a row, in the order of the columns. An invariant fails for one of another type.
  BatchWriter& Text(std::string_view value);
  /// A text that `append` appends to the string that it is given, which has others before it.
  template <typename Append>
  BatchWriter& TextBy(const Append& append) {
    Column& column = Next(ColumnType::kText);
    const size_t before = column.bytes.size();
    append(column.bytes);
    column.offsets.push_back(static_cast<int32_t>(column.bytes.size()));
    bytes_ += column.bytes.size() - before;
    return *this;
  }
  /// Null for an empty text.
  BatchWriter& TextOrNull(std::string_view value) { return value.empty() ? Null() : Text(value); }
  BatchWriter& Integer(int64_t value);
  BatchWriter& Number(double value);
  BatchWriter& Bool(bool value);
  BatchWriter& Null();
  /// Ends a row, whose every column has a value.
  void EndRow();

  /// Gives out what is left.
  void Finish();
  bool stopped() const { return stopped_; }
  uint64_t rows() const { return total_ + batch_.rows; }

 private:
  static constexpr size_t kMostRows = size_t{1} << 16;
  static constexpr size_t kMostBytes = size_t{8} << 20;

  Column& Next(ColumnType type);
  void AddNull(Column& column) const;
  static void SetBit(std::vector<uint8_t>& bits, size_t row, bool value);
  void Start();
  void GiveOut();

  std::span<const ColumnSpec> specs_;
  Sink sink_;
  Batch batch_;
  size_t at_ = 0;     // the next column of the row
  size_t bytes_ = 0;  // of texts in the batch
  uint64_t total_ = 0;
  bool stopped_ = false;
};

}  // namespace kinu::table
