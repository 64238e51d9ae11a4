#include "backend/tablestore.h"

#include <chrono>
#include <map>

#include "codec/base64.h"
#include "codec/crc.h"
#include "codec/hash.h"
#include "codec/protowire.h"
#include "net/http_date.h"

namespace kinu::backend {
namespace {

constexpr std::string_view kLockIdName = "LockID";
constexpr uint32_t kRowHeader = 0x75;
/// What follows in an encoded row.
enum class RowTag : uint8_t {
  kKey = 1,
  kData = 2,
  kCell = 3,
  kName = 4,
  kValue = 5,
  kType = 6,
  kTimestamp = 7,
  kDeletion = 8,
  kRowSum = 9,
  kCellSum = 10,
};
constexpr uint8_t kTextValue = 3;
/// Expectations of a request about the row.
constexpr uint64_t kAny = 0;
constexpr uint64_t kNoRow = 2;

void AppendTag(std::string& out, RowTag tag) {
  out += static_cast<char>(tag);
}

std::string Fixed32(uint64_t value) {
  std::string out;
  for (int shift = 0; shift < 32; shift += 8) {
    out += static_cast<char>((value >> shift) & 0xFF);
  }
  return out;
}

/// Appends a cell and returns its checksum.
uint8_t AppendCell(std::string& out, std::string_view name, std::string_view text) {
  const std::string value =
      static_cast<char>(kTextValue) + Fixed32(text.size()) + std::string(text);
  const uint8_t sum = Crc8(Crc8(0, name), value);
  AppendTag(out, RowTag::kCell);
  AppendTag(out, RowTag::kName);
  out += Fixed32(name.size());
  out += name;
  AppendTag(out, RowTag::kValue);
  out += Fixed32(value.size());
  out += value;
  AppendTag(out, RowTag::kCellSum);
  out += static_cast<char>(sum);
  return sum;
}

/// Reads an encoded row from its begin. All calls after one that failed read nothing.
class RowReader {
 public:
  explicit RowReader(std::string_view rest) : rest_(rest) {}

  bool failed() const { return failed_; }
  std::string_view Take(size_t size) {
    if (failed_ || size > rest_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  RowTag Tag() {
    const std::string_view byte = Take(1);
    return byte.empty() ? RowTag{} : static_cast<RowTag>(byte.front());
  }
  uint32_t Number() {
    uint32_t value = 0;
    int shift = 0;
    for (const char c : Take(4)) {
      value |= uint32_t{static_cast<unsigned char>(c)} << shift;
      shift += 8;
    }
    return value;
  }
  void Refuse() { failed_ = true; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

struct RowCell {
  std::string_view name;
  std::optional<std::string_view> text;  ///< nothing: it is no text
};

/// Reads a cell after its tag.
RowCell ReadCell(RowReader& reader) {
  RowCell cell;
  if (reader.Tag() != RowTag::kName) {
    reader.Refuse();
  }
  cell.name = reader.Take(reader.Number());
  RowTag tag = reader.Tag();
  if (tag == RowTag::kValue) {
    RowReader value(reader.Take(reader.Number()));
    const std::string_view type = value.Take(1);
    if (!type.empty() && static_cast<uint8_t>(type.front()) == kTextValue) {
      cell.text = value.Take(value.Number());
    }
    if (value.failed()) {
      reader.Refuse();
    }
    tag = reader.Tag();
  }
  if (tag == RowTag::kType) {
    reader.Take(1);
    tag = reader.Tag();
  }
  if (tag == RowTag::kTimestamp) {
    constexpr size_t kSize = 8;
    reader.Take(kSize);
    tag = reader.Tag();
  }
  if (tag != RowTag::kCellSum) {
    reader.Refuse();
  }
  reader.Take(1);
  return cell;
}

/// The code and message in the body of a response that reports an error.
std::string TablestoreFault(const net::HttpResponse& response, std::string& code) {
  std::string message;
  ProtoReader reader(response.body);
  for (ProtoField field; reader.Next(field);) {
    if (field.kind == ProtoField::Kind::kBytes && field.number <= 2) {
      std::string& text = field.number == 1 ? code : message;
      text = field.bytes;
    }
  }
  if (reader.failed()) {
    code.clear();
    return response.StatusText();
  }
  return response.StatusText() + (code.empty() ? "" : ": " + code) +
         (message.empty() ? "" : ": " + message);
}

void AppendExpectation(ProtoWriter& writer, uint64_t expectation) {
  constexpr uint32_t kCondition = 3;
  const size_t condition = writer.Begin(kCondition);
  writer.AlwaysUint(1, expectation);
  writer.End(condition);
}

}  // namespace

std::string TablestoreRow::Encode(bool deletes) const {
  std::string out = Fixed32(kRowHeader);
  AppendTag(out, RowTag::kKey);
  uint8_t cell = AppendCell(out, kLockIdName, key);
  uint8_t sum = Crc8(0, {reinterpret_cast<const char*>(&cell), 1});
  if (!column.empty()) {
    AppendTag(out, RowTag::kData);
    cell = AppendCell(out, column, text);
    sum = Crc8(sum, {reinterpret_cast<const char*>(&cell), 1});
  }
  if (deletes) {
    AppendTag(out, RowTag::kDeletion);
  }
  sum = Crc8(sum, std::string_view(deletes ? "\1" : "\0", 1));
  AppendTag(out, RowTag::kRowSum);
  out += static_cast<char>(sum);
  return out;
}

Result<std::optional<std::string>> TablestoreRow::Find(std::string_view encoded,
                                                       std::string_view column) {
  RowReader reader(encoded);
  std::optional<std::string> found;
  bool in_data = false;
  if (reader.Number() != kRowHeader) {
    reader.Refuse();
  }
  while (!reader.failed()) {
    const RowTag tag = reader.Tag();
    if (tag == RowTag::kKey || tag == RowTag::kData) {
      in_data = tag == RowTag::kData;
    } else if (tag == RowTag::kCell) {
      const RowCell cell = ReadCell(reader);
      if (in_data && cell.name == column && cell.text && !found) {
        found = *cell.text;
      }
    } else if (tag == RowTag::kRowSum) {
      reader.Take(1);
      break;
    } else if (tag != RowTag::kDeletion) {
      reader.Refuse();
    }
  }
  if (reader.failed()) {
    return Fail(ErrorCode::kInvalid, "the row in the response is malformed");
  }
  return found;
}

TablestoreTable::TablestoreTable(const net::HttpClient& client, AlibabaKeys keys,
                                 std::string endpoint, std::string table)
    : client_(client),
      keys_(std::move(keys)),
      endpoint_(std::move(endpoint)),
      table_(std::move(table)) {
  const size_t scheme = endpoint_.find("://");
  const size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  instance_ = endpoint_.substr(begin, endpoint_.find('.', begin) - begin);
}

Result<std::string> TablestoreTable::Call(const std::string& operation, std::string body) const {
  std::map<std::string, std::string> headers = {
      {"x-ots-accesskeyid", keys_.access_key},
      {"x-ots-apiversion", "2015-12-31"},
      {"x-ots-contentmd5", EncodeBase64(Digest(HashKind::kMd5, body))},
      {"x-ots-date", net::UtcText("%Y-%m-%dT%H:%M:%S.000Z")},
      {"x-ots-instancename", instance_},
  };
  if (!keys_.security_token.empty()) {
    headers.emplace("x-ots-ststoken", keys_.security_token);
  }
  net::HttpRequest request;
  request.method = "POST";
  request.url = endpoint_ + '/' + operation;
  std::string text = '/' + operation + "\nPOST\n\n";
  for (const auto& [name, value] : headers) {
    request.headers.Set(name, value);
    text += name + ':' + value + '\n';
  }
  request.headers.Set("x-ots-signature",
                      EncodeBase64(Hmac(HashKind::kSha1, keys_.secret_key, text)));
  request.body = std::move(body);
  request.max_redirects = 0;
  request.timeout = std::chrono::seconds(30);
  request.retry = {.retries = 4,
                   .first_wait = std::chrono::milliseconds(200),
                   .max_wait = std::chrono::milliseconds(2000),
                   .keep_last = true};
  Result<net::HttpResponse> response = client_.Send(request);
  if (!response) {
    return Fail(response.error().code, operation + ": " + response.error().message);
  }
  if (!response->ok()) {
    std::string code;
    std::string fault = TablestoreFault(*response, code);
    const bool conflict = code == "OTSConditionCheckFail" || code == "OTSRowOperationConflict";
    return Fail(conflict ? ErrorCode::kExists : ErrorCode::kUnavailable,
                operation + ": " + std::move(fault));
  }
  return std::move(response->body);
}

Result<void> TablestoreTable::Describe() const {
  std::string body;
  ProtoWriter(body).AlwaysBytes(1, table_);
  auto done = Call("DescribeTable", std::move(body));
  return done ? Result<void>() : std::unexpected(std::move(done).error());
}

Result<void> TablestoreTable::Put(std::string_view key, std::string_view column,
                                  std::string_view text, bool only_new) const {
  const TablestoreRow row{
      .key = std::string(key), .column = std::string(column), .text = std::string(text)};
  std::string body;
  ProtoWriter writer(body);
  writer.AlwaysBytes(1, table_);
  writer.AlwaysBytes(2, row.Encode());
  AppendExpectation(writer, only_new ? kNoRow : kAny);
  auto done = Call("PutRow", std::move(body));
  return done ? Result<void>() : std::unexpected(std::move(done).error());
}

Result<std::optional<std::string>> TablestoreTable::Get(std::string_view key,
                                                        std::string_view column) const {
  constexpr uint32_t kColumns = 3;
  constexpr uint32_t kVersions = 5;
  std::string body;
  ProtoWriter writer(body);
  writer.AlwaysBytes(1, table_);
  writer.AlwaysBytes(2, TablestoreRow{.key = std::string(key)}.Encode());
  writer.AlwaysBytes(kColumns, kLockIdName);
  writer.AlwaysBytes(kColumns, column);
  writer.AlwaysInt(kVersions, 1);
  KINU_TRY(const std::string answer, Call("GetRow", std::move(body)));
  ProtoReader reader(answer);
  std::string_view row;
  for (ProtoField field; reader.Next(field);) {
    if (field.number == 2 && field.kind == ProtoField::Kind::kBytes) {
      row = field.bytes;
    }
  }
  if (reader.failed()) {
    return Fail(ErrorCode::kInvalid, "GetRow: the response is malformed");
  }
  if (row.empty()) {
    return std::nullopt;
  }
  auto found = TablestoreRow::Find(row, column);
  if (!found) {
    return Fail(found.error().code, "GetRow: " + found.error().message);
  }
  return found->value_or("");
}

Result<void> TablestoreTable::Delete(std::string_view key, const std::string*) const {
  std::string body;
  ProtoWriter writer(body);
  writer.AlwaysBytes(1, table_);
  writer.AlwaysBytes(2, TablestoreRow{.key = std::string(key)}.Encode(true));
  AppendExpectation(writer, kAny);
  auto done = Call("DeleteRow", std::move(body));
  return done ? Result<void>() : std::unexpected(std::move(done).error());
}

}  // namespace kinu::backend
