// What the server says of itself in the answer to `initialize`.
#pragma once

#include <string_view>

#include "json/writer.h"
#include "lsp/client.h"

namespace kinu::lsp {

/// InitializeResult.
void WriteInitializeResult(JsonWriter& json, const Client& client, std::string_view version);

}  // namespace kinu::lsp
