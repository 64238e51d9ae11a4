// The streaming format of Arrow IPC: a message with the schema, one for each batch, an end mark.
// Ref: arrow.apache.org/docs/format/Columnar.html, IPC streaming format; format/Message.fbs.
#include <utility>
#include <vector>

#include "table/flatbuffer.h"
#include "table/writer.h"

namespace kinu::table {
namespace {

constexpr uint64_t kMetadataV5 = 4;
constexpr uint64_t kSchemaMessage = 1;
constexpr uint64_t kBatchMessage = 3;
enum TypeId : uint64_t { kInt = 2, kFloatingPoint = 3, kUtf8 = 5, kBoolean = 6 };

TypeId TypeOf(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return kUtf8;
    case ColumnType::kInteger:
      return kInt;
    case ColumnType::kNumber:
      return kFloatingPoint;
    case ColumnType::kBool:
      return kBoolean;
  }
  return kUtf8;
}

void WriteType(FlatWriter& flat, size_t reference, ColumnType type) {
  constexpr uint64_t kBits = 64;
  constexpr uint64_t kDouble = 2;
  switch (type) {
    case ColumnType::kInteger:
      flat.Table(reference, {FlatWriter::Scalar(0, 4, kBits), FlatWriter::Scalar(1, 1, 1)});
      break;
    case ColumnType::kNumber:
      flat.Table(reference, {FlatWriter::Scalar(0, 2, kDouble)});
      break;
    case ColumnType::kText:
    case ColumnType::kBool:
      flat.Table(reference, {});
      break;
  }
}

/// Begins a message. Returns where its header is to be referred to.
size_t BeginMessage(FlatWriter& flat, uint64_t kind, uint64_t body_size) {
  size_t header = 0;
  flat.Table(0, {FlatWriter::Scalar(3, 8, body_size), FlatWriter::Reference(2, &header),
                 FlatWriter::Scalar(0, 2, kMetadataV5), FlatWriter::Scalar(1, 1, kind)});
  return header;
}

std::string SchemaMessage(std::span<const ColumnSpec> columns) {
  FlatWriter flat;
  const size_t header = BeginMessage(flat, kSchemaMessage, 0);
  size_t list = 0;
  flat.Table(header, {FlatWriter::Reference(1, &list)});
  const std::vector<size_t> fields = flat.References(list, columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    size_t name = 0;
    size_t type = 0;
    size_t children = 0;
    flat.Table(fields[i], {FlatWriter::Reference(0, &name), FlatWriter::Reference(3, &type),
                           FlatWriter::Reference(5, &children), FlatWriter::Scalar(1, 1, 1),
                           FlatWriter::Scalar(2, 1, TypeOf(columns[i].type))});
    flat.String(name, columns[i].name);
    WriteType(flat, type, columns[i].type);
    flat.References(children, 0);
  }
  return flat.Finish();
}

template <typename Number>
std::string_view BytesOf(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

class ArrowWriter final : public TableWriter {
 public:
  ArrowWriter(std::span<const ColumnSpec> columns, Output output) : output_(std::move(output)) {
    Frame(SchemaMessage(columns), {});
  }

  bool Add(const Batch& batch) override {
    std::vector<std::pair<int64_t, int64_t>> nodes;
    std::vector<std::pair<int64_t, int64_t>> places;
    std::vector<std::string_view> buffers;
    int64_t size = 0;
    auto add = [&](std::string_view buffer) {
      buffers.push_back(buffer);
      places.emplace_back(size, static_cast<int64_t>(buffer.size()));
      size += static_cast<int64_t>((buffer.size() + 7) / 8 * 8);
    };
    for (size_t i = 0; i < batch.specs.size(); ++i) {
      const Column& column = batch.columns[i];
      nodes.emplace_back(static_cast<int64_t>(batch.rows), column.nulls);
      add(BytesOf(column.valid));
      switch (batch.specs[i].type) {
        case ColumnType::kText:
          add(BytesOf(column.offsets));
          add(column.bytes);
          break;
        case ColumnType::kInteger:
          add(BytesOf(column.integers));
          break;
        case ColumnType::kNumber:
          add(BytesOf(column.numbers));
          break;
        case ColumnType::kBool:
          add(BytesOf(column.bools));
          break;
      }
    }
    FlatWriter flat;
    const size_t header = BeginMessage(flat, kBatchMessage, static_cast<uint64_t>(size));
    size_t node_list = 0;
    size_t buffer_list = 0;
    flat.Table(header, {FlatWriter::Scalar(0, 8, batch.rows), FlatWriter::Reference(1, &node_list),
                        FlatWriter::Reference(2, &buffer_list)});
    flat.Pairs(node_list, nodes);
    flat.Pairs(buffer_list, places);
    return Frame(flat.Finish(), buffers);
  }

  bool Finish() override { return output_(std::string_view("\xFF\xFF\xFF\xFF\0\0\0\0", 8)); }

 private:
  /// Writes a message and its body, each buffer padded to 8 bytes.
  bool Frame(const std::string& message, const std::vector<std::string_view>& buffers) {
    std::string head = "\xFF\xFF\xFF\xFF";
    for (int shift = 0; shift < 32; shift += 8) {
      head += static_cast<char>(message.size() >> shift & 0xFF);
    }
    bool read = output_(head) && output_(message);
    for (const std::string_view buffer : buffers) {
      constexpr std::string_view kPadding("\0\0\0\0\0\0\0", 7);
      read = read && output_(buffer) && output_(kPadding.substr(0, (8 - buffer.size() % 8) % 8));
    }
    return read;
  }

  Output output_;
};

}  // namespace

constexpr FormatSpec kArrow{.name = "arrow",
                            .open = [](std::span<const ColumnSpec> columns,
                                       const Output& output) -> std::unique_ptr<TableWriter> {
                              return std::make_unique<ArrowWriter>(columns, output);
                            }};

}  // namespace kinu::table
