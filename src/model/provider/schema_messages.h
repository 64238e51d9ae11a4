// The messages of a provider's schema response, decoded. Each message is a table of its fields.
// Ref: tfplugin5.proto and tfplugin6.proto, messages Schema and Function.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schema/declarations.h"

namespace kinu::provider {

/// Decodes a Schema message of this protocol (5 or 6) and, if given, a ResourceIdentitySchema
/// message into the same schema. Decoding goes on after an error; `problem`, which may be null, is
/// set to the first one or to an empty text.
schema::ResourceSchema DecodeResourceSchema(int protocol, std::string_view message,
                                            std::optional<std::string_view> identity,
                                            std::string* problem);

/// Decodes the same messages, one after the other, into views of them.
class DeclarationReader {
 public:
  explicit DeclarationReader(int protocol);
  ~DeclarationReader();
  /// Each message if it is given. The declaration is valid until the next call, and as long as the
  /// messages.
  schema::Declaration& Read(std::optional<std::string_view> message,
                            std::optional<std::string_view> identity);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Decodes a Function message; `problem` as above.
schema::FunctionSignature DecodeFunction(std::string_view name, std::string_view message,
                                         std::string* problem);

}  // namespace kinu::provider
