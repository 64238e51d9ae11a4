// URIs of documents and paths of files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kinu::lsp {

/// The absolute, clean path of a `file:` URI of this machine; nothing for other URIs.
std::optional<std::string> PathOfUri(std::string_view uri);
/// The `file:` URI of an absolute path.
std::string UriOfPath(std::string_view path);

}  // namespace kinu::lsp
