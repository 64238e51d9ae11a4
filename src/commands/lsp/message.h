// Messages of JSON-RPC 2.0: reading one, and writing responses, requests and notifications.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "json/reader.h"
#include "json/writer.h"

namespace kinu::lsp {

/// How messages are written.
inline constexpr JsonWriter::Options kCompactJson{
    .escape = JsonEscape::kPlain, .indent = {}, .prefix = {}};

/// Codes of JSON-RPC and of the protocol.
enum class ErrorCode : int32_t {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kNotInitialized = -32002,
  kRequestFailed = -32803,
  kServerCancelled = -32802,
  kContentModified = -32801,
  kRequestCancelled = -32800,
};

struct RpcError {
  ErrorCode code = ErrorCode::kRequestFailed;
  std::string message;
  std::string_view data;  ///< a JSON text; empty: none
};
template <typename T>
using Outcome = std::expected<T, RpcError>;

inline std::unexpected<RpcError> Refuse(ErrorCode code, std::string message) {
  return std::unexpected(RpcError{.code = code, .message = std::move(message), .data = {}});
}

/// A message that was received. Immutable; its nodes are views of its text.
struct Message {
  enum class Kind : uint8_t { kRequest, kNotification, kResponse };

  std::string text;
  JsonDocument document;
  Kind kind = Kind::kNotification;
  std::string id;  ///< its JSON text; of requests and responses
  std::string_view method;
  const JsonNode* params = nullptr;  ///< an object or array; null: none
  const JsonNode* result = nullptr;  ///< of a response without error

  /// The JSON text of the param `id`; empty if there is none.
  std::string IdParam() const;
};

/// Why a body is no message, and whom to answer.
struct BadMessage {
  RpcError error;
  std::string id = "null";
};
std::expected<std::shared_ptr<const Message>, BadMessage> ReadMessage(std::string body);

using WriteJson = std::function<void(JsonWriter&)>;
/// `result`: a JSON text.
std::string ResponseText(std::string_view id, std::string_view result);
std::string ErrorText(std::string_view id, const RpcError& error);
/// A notification, or a request if there is an id. `params` writes an object; null: none.
std::string CallText(std::string_view method, std::string_view id, const WriteJson& params);

}  // namespace kinu::lsp
