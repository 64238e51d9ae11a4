#include "backend/aws_lock_table.h"

#include "json/reader.h"
#include "json/writer.h"

namespace kinu::backend {
namespace {

/// {"S": TEXT} as the value of `name`.
void WriteText(JsonWriter& writer, std::string_view name, std::string_view text) {
  writer.Key(name);
  writer.BeginObject();
  writer.Member("S", text);
  writer.EndObject();
}

void WriteKey(JsonWriter& writer, std::string_view key) {
  writer.Key("Key");
  writer.BeginObject();
  WriteText(writer, "LockID", key);
  writer.EndObject();
}

}  // namespace

Result<std::string> AwsLockTable::Call(std::string_view operation, std::string body) const {
  return service_.CallJson("1.0", "DynamoDB_20120810", operation, std::move(body));
}

Result<void> AwsLockTable::Put(std::string_view key, std::string_view column, std::string_view text,
                               bool only_new) const {
  std::string body;
  JsonWriter writer(body);
  writer.BeginObject();
  if (only_new) {
    writer.Member("ConditionExpression", "attribute_not_exists(LockID)");
  }
  writer.Key("Item");
  writer.BeginObject();
  WriteText(writer, column, text);
  WriteText(writer, "LockID", key);
  writer.EndObject();
  writer.Member("TableName", std::string_view(table_));
  writer.EndObject();
  auto done = Call("PutItem", std::move(body));
  return done ? Result<void>() : std::unexpected(std::move(done).error());
}

Result<std::optional<std::string>> AwsLockTable::Get(std::string_view key,
                                                     std::string_view column) const {
  std::string body;
  JsonWriter writer(body);
  writer.BeginObject();
  writer.Member("ConsistentRead", true);
  WriteKey(writer, key);
  writer.Member("ProjectionExpression", "LockID, " + std::string(column));
  writer.Member("TableName", std::string_view(table_));
  writer.EndObject();
  KINU_TRY(const std::string text, Call("GetItem", std::move(body)));
  const JsonDocument document = ParseJson(text);
  const JsonNode* item =
      document.ok() && document.root().is_object() ? document.root().Find("Item") : nullptr;
  if (item == nullptr || !item->is_object() || item->members().empty()) {
    return std::nullopt;
  }
  const JsonNode* value = item->Find(column);
  const JsonNode* string = value != nullptr && value->is_object() ? value->Find("S") : nullptr;
  return string != nullptr && string->is_string() ? std::string(string->text()) : std::string();
}

Result<void> AwsLockTable::Delete(std::string_view key, const std::string* info) const {
  std::string body;
  JsonWriter writer(body);
  writer.BeginObject();
  if (info != nullptr) {
    writer.Member("ConditionExpression", "Info = :info");
    writer.Key("ExpressionAttributeValues");
    writer.BeginObject();
    WriteText(writer, ":info", *info);
    writer.EndObject();
  }
  WriteKey(writer, key);
  writer.Member("TableName", std::string_view(table_));
  writer.EndObject();
  auto done = Call("DeleteItem", std::move(body));
  return done ? Result<void>() : std::unexpected(std::move(done).error());
}

}  // namespace kinu::backend
