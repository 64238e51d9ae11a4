#include "table/flatbuffer.h"

#include <algorithm>

namespace kinu::table {

void FlatWriter::Put(size_t at, uint64_t value, uint32_t size) {
  for (uint32_t i = 0; i < size; ++i) {
    out_[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
  }
}

/// Pads so that what stands `ahead` bytes further begins at a multiple of `alignment`.
void FlatWriter::Align(size_t alignment, size_t ahead) {
  out_.resize((out_.size() + ahead + alignment - 1) / alignment * alignment - ahead, '\0');
}

void FlatWriter::Resolve(size_t reference) {
  Put(reference, out_.size() - reference, 4);
}

void FlatWriter::Table(size_t reference, std::initializer_list<Field> fields) {
  uint32_t most = 0;
  for (const Field& field : fields) {
    most = std::max(most, field.id + 1);
  }
  // The list of the fields' positions, then the table. The table begins with the distance to it.
  const size_t list_size = 4 + 2 * size_t{most};
  Align(4, list_size);
  const size_t list = out_.size();
  out_.resize(list + list_size, '\0');
  Resolve(reference);
  const size_t table = out_.size();
  out_.resize(table + 4, '\0');
  Put(table, table - list, 4);
  for (const Field& field : fields) {
    Align(field.size);
    const size_t at = out_.size();
    out_.resize(at + field.size, '\0');
    Put(at, field.value, field.size);
    Put(list + 4 + 2 * size_t{field.id}, at - table, 2);
    if (field.reference != nullptr) {
      *field.reference = at;
    }
  }
  Put(list, list_size, 2);
  Put(list + 2, out_.size() - table, 2);
}

void FlatWriter::String(size_t reference, std::string_view text) {
  Align(4);
  Resolve(reference);
  const size_t at = out_.size();
  out_.resize(at + 4, '\0');
  Put(at, text.size(), 4);
  out_ += text;
  out_ += '\0';
}

std::vector<size_t> FlatWriter::References(size_t reference, size_t count) {
  Align(4);
  Resolve(reference);
  const size_t at = out_.size();
  out_.resize(at + 4 + 4 * count, '\0');
  Put(at, count, 4);
  std::vector<size_t> places(count);
  for (size_t i = 0; i < count; ++i) {
    places[i] = at + 4 + 4 * i;
  }
  return places;
}

void FlatWriter::Pairs(size_t reference, std::span<const std::pair<int64_t, int64_t>> pairs) {
  Align(8, 4);
  Resolve(reference);
  const size_t at = out_.size();
  out_.resize(at + 4 + 16 * pairs.size(), '\0');
  Put(at, pairs.size(), 4);
  for (size_t i = 0; i < pairs.size(); ++i) {
    Put(at + 4 + 16 * i, static_cast<uint64_t>(pairs[i].first), 8);
    Put(at + 12 + 16 * i, static_cast<uint64_t>(pairs[i].second), 8);
  }
}

std::string FlatWriter::Finish() {
  Align(8);
  return std::move(out_);
}

}  // namespace kinu::table
