#include "table/batch.h"

#include <utility>

#include "base/invariant.h"

namespace kinu::table {

BatchWriter::BatchWriter(std::span<const ColumnSpec> specs, Sink sink)
    : specs_(specs), sink_(std::move(sink)) {
  Start();
}

void BatchWriter::Start() {
  batch_ = Batch{specs_, std::vector<Column>(specs_.size()), 0};
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].type == ColumnType::kText) {
      batch_.columns[i].offsets.push_back(0);
    }
  }
  bytes_ = 0;
}

void BatchWriter::SetBit(std::vector<uint8_t>& bits, size_t row, bool value) {
  if (row % 8 == 0) {
    bits.push_back(0);
  }
  bits.back() |= static_cast<uint8_t>(static_cast<unsigned>(value) << row % 8);
}

Column& BatchWriter::Next(ColumnType type) {
  KINU_INVARIANT(at_ < specs_.size() && specs_[at_].type == type, "a row has its table's columns");
  Column& column = batch_.columns[at_++];
  if (column.nulls > 0) {
    SetBit(column.valid, batch_.rows, true);
  }
  return column;
}

void BatchWriter::AddNull(Column& column) const {
  if (column.nulls++ == 0) {
    column.valid.assign(batch_.rows / 8, 0xFF);
    if (const size_t more = batch_.rows % 8; more > 0) {
      column.valid.push_back(static_cast<uint8_t>((1U << more) - 1));
    }
  }
  SetBit(column.valid, batch_.rows, false);
}

BatchWriter& BatchWriter::Text(std::string_view value) {
  Column& column = Next(ColumnType::kText);
  column.bytes += value;
  column.offsets.push_back(static_cast<int32_t>(column.bytes.size()));
  bytes_ += value.size();
  return *this;
}

BatchWriter& BatchWriter::Integer(int64_t value) {
  Next(ColumnType::kInteger).integers.push_back(value);
  return *this;
}

BatchWriter& BatchWriter::Number(double value) {
  Next(ColumnType::kNumber).numbers.push_back(value);
  return *this;
}

BatchWriter& BatchWriter::Bool(bool value) {
  SetBit(Next(ColumnType::kBool).bools, batch_.rows, value);
  return *this;
}

BatchWriter& BatchWriter::Null() {
  KINU_INVARIANT(at_ < specs_.size(), "a row has its table's columns");
  Column& column = batch_.columns[at_];
  AddNull(column);
  switch (specs_[at_++].type) {
    case ColumnType::kText:
      column.offsets.push_back(column.offsets.back());
      break;
    case ColumnType::kInteger:
      column.integers.push_back(0);
      break;
    case ColumnType::kNumber:
      column.numbers.push_back(0);
      break;
    case ColumnType::kBool:
      SetBit(column.bools, batch_.rows, false);
      break;
  }
  return *this;
}

void BatchWriter::EndRow() {
  KINU_INVARIANT(at_ == specs_.size(), "a row has all columns");
  at_ = 0;
  if (++batch_.rows >= kMostRows || bytes_ >= kMostBytes) {
    GiveOut();
  }
}

void BatchWriter::GiveOut() {
  total_ += batch_.rows;
  std::vector<size_t> sizes;
  for (const Column& column : batch_.columns) {
    sizes.push_back(column.bytes.size());
  }
  stopped_ = stopped_ || !sink_(std::move(batch_));
  Start();
  // The next batch will be like this one.
  for (size_t i = 0; i < sizes.size(); ++i) {
    batch_.columns[i].bytes.reserve(sizes[i] + sizes[i] / 8);
  }
}

void BatchWriter::Finish() {
  if (batch_.rows > 0) {
    GiveOut();
  }
}

}  // namespace kinu::table
