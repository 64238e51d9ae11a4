// Parts of the addresses of resources in documents, which other programs may have written. A text
// that is no such address has no parts.
#pragma once

#include <string_view>

namespace kinu::tfjson {

/// "module.a[0]" in "module.a[0].data.t.n"; empty for the root module.
std::string_view ModuleIn(std::string_view address);
/// "t" in "module.a[0].data.t.n"; empty if there is none.
std::string_view ResourceTypeIn(std::string_view address);

}  // namespace kinu::tfjson
