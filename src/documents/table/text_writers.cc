// Tables as JSON Lines and CSV.
#include <charconv>
#include <utility>

#include "codec/csv.h"
#include "json/writer.h"
#include "table/writer.h"

namespace kinu::table {
namespace {

std::string NumberText(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

/// The shape of both: a text per row, given out in larger pieces.
class LineWriter : public TableWriter {
 public:
  explicit LineWriter(Output output) : output_(std::move(output)) {}

  bool Add(const Batch& batch) final {
    for (size_t row = 0; row < batch.rows; ++row) {
      AppendRow(out_, batch, row);
      if (out_.size() >= kPiece && !Flush()) {
        return false;
      }
    }
    return true;
  }
  bool Finish() final { return Flush(); }

 protected:
  virtual void AppendRow(std::string& out, const Batch& batch, size_t row) = 0;
  std::string& out() { return out_; }

 private:
  static constexpr size_t kPiece = size_t{64} << 10;
  bool Flush() {
    const bool read = out_.empty() || output_(out_);
    out_.clear();
    return read;
  }
  Output output_;
  std::string out_;
};

class JsonLinesWriter final : public LineWriter {
 public:
  using LineWriter::LineWriter;

 private:
  void AppendRow(std::string& out, const Batch& batch, size_t row) override {
    JsonWriter json(out, {.escape = JsonEscape::kPlain, .indent = {}, .prefix = {}});
    json.BeginObject();
    for (size_t i = 0; i < batch.specs.size(); ++i) {
      const Column& column = batch.columns[i];
      json.Key(batch.specs[i].name);
      if (column.IsNull(row)) {
        json.Null();
        continue;
      }
      switch (batch.specs[i].type) {
        case ColumnType::kText:
          json.String(column.Text(row));
          break;
        case ColumnType::kInteger:
          json.Int(column.integers[row]);
          break;
        case ColumnType::kNumber:
          json.Raw(NumberText(column.numbers[row]));
          break;
        case ColumnType::kBool:
          json.Bool(column.Bool(row));
          break;
      }
    }
    json.EndObject();
    out += '\n';
  }
};

class CsvWriter final : public LineWriter {
 public:
  CsvWriter(std::span<const ColumnSpec> columns, Output output) : LineWriter(std::move(output)) {
    for (const ColumnSpec& column : columns) {
      Begin(&column == columns.data());
      AppendCsvField(out(), column.name);
    }
    out() += '\n';
  }

 private:
  void Begin(bool first) { out() += first ? "" : ","; }
  void AppendRow(std::string& out, const Batch& batch, size_t row) override {
    for (size_t i = 0; i < batch.specs.size(); ++i) {
      const Column& column = batch.columns[i];
      Begin(i == 0);
      if (column.IsNull(row)) {
        continue;
      }
      switch (batch.specs[i].type) {
        case ColumnType::kText:
          // An empty text is told from null by its quotes.
          if (column.Text(row).empty()) {
            out += "\"\"";
          }
          AppendCsvField(out, column.Text(row));
          break;
        case ColumnType::kInteger:
          out += std::to_string(column.integers[row]);
          break;
        case ColumnType::kNumber:
          out += NumberText(column.numbers[row]);
          break;
        case ColumnType::kBool:
          out += column.Bool(row) ? "true" : "false";
          break;
      }
    }
    out += '\n';
  }
};

}  // namespace

constexpr FormatSpec kJsonLines{
    .name = "jsonl",
    .open = [](std::span<const ColumnSpec>, const Output& output) -> std::unique_ptr<TableWriter> {
      return std::make_unique<JsonLinesWriter>(output);
    }};
constexpr FormatSpec kCsv{.name = "csv",
                          .open = [](std::span<const ColumnSpec> columns,
                                     const Output& output) -> std::unique_ptr<TableWriter> {
                            return std::make_unique<CsvWriter>(columns, output);
                          }};

}  // namespace kinu::table
