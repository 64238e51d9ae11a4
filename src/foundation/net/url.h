// URLs: parsing, relative references and queries. Ref: Go net/url Parse, ResolveReference, Values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "text/query.h"

namespace kinu::net {

/// A URL in its parts, each as it is written (percent escapes are not decoded).
struct Url {
  std::string scheme;  ///< lower case; empty in a relative reference
  std::string user;    ///< the part before "@"; may contain a password
  std::string host;    ///< with the port if there is one
  std::string path;
  std::string query;  ///< without "?"
  std::string fragment;
  bool has_authority = false;  ///< "//" was written
  bool has_query = false;

  /// Parses an absolute URL or a relative reference. kInvalid: what is wrong with its syntax, in
  /// the words of Go, without user information.
  static Result<Url> Parse(std::string_view text);
  /// The absolute URL of a reference that stands in the document at this URL (RFC 3986, 5.2).
  Result<Url> Resolve(std::string_view reference) const;
  std::string ToText() const;
  /// For messages and logs: no user information, and "..." in place of each query value.
  std::string Redacted() const;
  /// The host without its port.
  std::string HostName() const;
  /// The first value of a query argument, decoded; empty if there is none.
  std::string Argument(std::string_view name) const;
  bool HasArgument(std::string_view name) const;
  /// Removes a query argument. The others are sorted by name and encoded again, as Go does.
  void RemoveArgument(std::string_view name);
  /// Adds or replaces a query argument; the result is sorted by name.
  void SetArgument(std::string_view name, std::string_view value);
};

using text::EncodeQuery;
using text::ParseQuery;
using text::PercentDecode;
using text::QueryArguments;
using text::QueryEscape;
using text::SegmentEscape;

}  // namespace kinu::net
