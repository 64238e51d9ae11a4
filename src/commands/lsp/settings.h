// The settings of users (docs/schemas/lsp-settings.json).
#pragma once

#include <string>
#include <vector>

#include "ide/workspace.h"
#include "json/reader.h"

namespace kinu::lsp {

/// Reads settings; those that are not given keep their values. A client may wrap them in an object
/// "kinu". Problems are sentences for people.
ide::Settings ReadSettings(const JsonNode& node, const ide::Settings& before,
                           std::vector<std::string>& problems);

}  // namespace kinu::lsp
