#include "codec/csv.h"

namespace kinu {
namespace {

class CsvParser {
 public:
  explicit CsvParser(std::string_view text) : text_(text) {}

  Result<std::vector<CsvRow>> Parse(size_t limit) {
    std::vector<CsvRow> rows;
    while (rows.size() < limit && SkipEmptyLines()) {
      const size_t line = line_;
      KINU_TRY(CsvRow row, Row());
      if (!rows.empty() && row.size() != rows.front().size()) {
        return Wrong(line, "wrong number of fields");
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  static std::unexpected<Error> Wrong(size_t line, std::string_view what) {
    return Fail(ErrorCode::kInvalid,
                "CSV parse error on line " + std::to_string(line) + ": " + std::string(what));
  }

  // Bytes of the line break at the position: 0 when there is none, or at the end of the text, where
  // a lone carriage return counts as one.
  size_t LineBreak() const {
    const std::string_view rest = text_.substr(pos_);
    if (rest.starts_with('\n') || rest == "\r") {
      return 1;
    }
    return rest.starts_with("\r\n") ? 2 : 0;
  }

  bool SkipEmptyLines() {
    while (const size_t size = LineBreak()) {
      pos_ += size;
      ++line_;
    }
    return pos_ < text_.size();
  }

  Result<CsvRow> Row() {
    CsvRow row;
    for (;;) {
      KINU_TRY(row.emplace_back(), text_.substr(pos_, 1) == "\"" ? Quoted() : Plain());
      if (text_.substr(pos_, 1) == ",") {
        ++pos_;
        continue;
      }
      const size_t size = LineBreak();
      pos_ += size;
      ++line_;
      return row;
    }
  }

  Result<std::string> Plain() {
    const size_t begin = pos_;
    while (pos_ < text_.size() && text_[pos_] != ',' && LineBreak() == 0) {
      if (text_[pos_] == '"') {
        return Wrong(line_, "a quote inside a field that is not quoted");
      }
      ++pos_;
    }
    return std::string(text_.substr(begin, pos_ - begin));
  }

  Result<std::string> Quoted() {
    const size_t line = line_;
    std::string field;
    ++pos_;
    while (pos_ < text_.size()) {
      if (text_[pos_] == '"') {
        ++pos_;
        if (text_.substr(pos_, 1) != "\"") {
          if (pos_ < text_.size() && text_[pos_] != ',' && LineBreak() == 0) {
            return Wrong(line_, "text behind the closing quote of a field");
          }
          return field;
        }
      } else if (const size_t size = LineBreak()) {
        field += '\n';
        pos_ += size;
        ++line_;
        continue;
      }
      field += text_[pos_++];
    }
    return Wrong(line, "a quoted field is not closed");
  }

  std::string_view text_;
  size_t pos_ = 0;
  size_t line_ = 1;
};

}  // namespace

Result<std::vector<CsvRow>> ParseCsv(std::string_view text, size_t limit) {
  return CsvParser(text).Parse(limit);
}

void AppendCsvField(std::string& out, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos && !field.starts_with(' ')) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    out += c;
    if (c == '"') {
      out += c;
    }
  }
  out += '"';
}

}  // namespace kinu
