#include "lsp/message.h"

#include <algorithm>

namespace kinu::lsp {
namespace {

/// Whether a node can identify a request: a string, or a number without fraction.
bool IsId(const JsonNode& node) {
  return node.is_string() ||
         (node.is_number() && node.text().find_first_of(".eE") == std::string_view::npos);
}

/// The JSON text of an id, the same for all ways to write it.
std::string IdText(const JsonNode& node) {
  std::string text;
  if (node.is_string()) {
    JsonWriter::AppendQuoted(text, node.text(), JsonEscape::kPlain);
  } else {
    text = node.text();
  }
  return text;
}

std::unexpected<BadMessage> Bad(ErrorCode code, std::string text, std::string_view id = {}) {
  return std::unexpected(BadMessage{.error = {.code = code, .message = std::move(text), .data = {}},
                                    .id = std::string(id.empty() ? "null" : id)});
}

void BeginMessage(JsonWriter& json) {
  json.BeginObject();
  json.Member("jsonrpc", "2.0");
}

void WriteId(JsonWriter& json, std::string_view id) {
  json.Key("id");
  json.Raw(id);
}

}  // namespace

std::string Message::IdParam() const {
  const JsonNode* node = params == nullptr ? nullptr : params->Find("id");
  return node != nullptr && IsId(*node) ? IdText(*node) : "";
}

std::expected<std::shared_ptr<const Message>, BadMessage> ReadMessage(std::string body) {
  auto message = std::make_shared<Message>();
  message->text = std::move(body);
  message->document = ParseJson(message->text);
  if (!message->document.ok()) {
    return Bad(ErrorCode::kParseError,
               "The message is no JSON text: " + message->document.problems()[0].message + ".");
  }
  const JsonNode& root = message->document.root();
  if (!root.is_object()) {
    return Bad(ErrorCode::kInvalidRequest,
               root.is_array() ? "Batches are not supported." : "The message is no object.");
  }
  const JsonNode* id = root.Find("id");
  const JsonNode* method = root.Find("method");
  const bool has_id = id != nullptr && IsId(*id);
  if (has_id) {
    message->id = IdText(*id);
  }
  if (method == nullptr && (root.Find("result") != nullptr || root.Find("error") != nullptr)) {
    message->kind = Message::Kind::kResponse;
    message->result = root.Find("result");
    return message;
  }
  if (root.TextOf("jsonrpc") != "2.0") {
    return Bad(ErrorCode::kInvalidRequest, "The message is none of JSON-RPC 2.0.", message->id);
  }
  if (method == nullptr || !method->is_string()) {
    return Bad(ErrorCode::kInvalidRequest, "The message names no method.", message->id);
  }
  if (id != nullptr && !has_id) {
    return Bad(ErrorCode::kInvalidRequest, "The id is neither a string nor an integer.");
  }
  message->kind = has_id ? Message::Kind::kRequest : Message::Kind::kNotification;
  message->method = method->text();
  message->params = root.Find("params");
  if (message->params != nullptr && message->params->is_null()) {
    message->params = nullptr;
  }
  if (message->params != nullptr && !message->params->is_object() && !message->params->is_array()) {
    return Bad(ErrorCode::kInvalidRequest, "The params are neither an object nor an array.",
               message->id);
  }
  return message;
}

std::string ResponseText(std::string_view id, std::string_view result) {
  std::string text;
  text.reserve(result.size() + id.size() + 64);
  JsonWriter json(text, kCompactJson);
  BeginMessage(json);
  WriteId(json, id);
  json.Key("result");
  json.Raw(result);
  json.EndObject();
  return text;
}

std::string ErrorText(std::string_view id, const RpcError& error) {
  std::string text;
  JsonWriter json(text, kCompactJson);
  BeginMessage(json);
  WriteId(json, id);
  json.Key("error");
  json.BeginObject();
  json.Member("code", static_cast<int>(error.code));
  json.Member("message", error.message);
  if (!error.data.empty()) {
    json.Key("data");
    json.Raw(error.data);
  }
  json.EndObject();
  json.EndObject();
  return text;
}

std::string CallText(std::string_view method, std::string_view id, const WriteJson& params) {
  std::string text;
  JsonWriter json(text, kCompactJson);
  BeginMessage(json);
  if (!id.empty()) {
    WriteId(json, id);
  }
  json.Member("method", method);
  if (params) {
    json.Key("params");
    json.BeginObject();
    params(json);
    json.EndObject();
  }
  json.EndObject();
  return text;
}

}  // namespace kinu::lsp
