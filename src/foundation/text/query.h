// Queries of URLs and percent escapes. Ref: Go net/url Values, QueryEscape, PathEscape.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinu::text {

using QueryArguments = std::vector<std::pair<std::string, std::string>>;
/// The arguments of a query, decoded, in the order of the text.
QueryArguments ParseQuery(std::string_view query);
/// Encodes arguments, sorted by name; equal names keep their order.
std::string EncodeQuery(QueryArguments arguments);

/// Escapes a text for a query or a form: spaces become "+".
std::string QueryEscape(std::string_view text);
/// Escapes a text for one segment of a path, as Go's url.PathEscape: slashes too.
std::string SegmentEscape(std::string_view text);
/// Decodes percent escapes; with `plus` also "+" as space. Invalid escapes stay as they are.
std::string PercentDecode(std::string_view text, bool plus = false);

}  // namespace kinu::text
