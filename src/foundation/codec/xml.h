// Texts for XML documents, and a reader of such as web services send: elements, their attributes
// and text, the five named entities and character references. Comments and instructions are
// skipped; documents with a type definition are refused, so nothing can expand. Decision:
// docs/decisions/0039-xml.md.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kinu {

struct XmlElement {
  std::string name;  ///< without a namespace prefix
  std::string text;  ///< of the element itself, with entities replaced
  std::vector<XmlElement> children;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< names without prefixes

  /// The first child of that name, or null.
  const XmlElement* Find(std::string_view child) const;
  /// The text of the first child of that name, or an empty one.
  std::string_view Text(std::string_view child) const;
  /// The value of an attribute of this element, or an empty one.
  std::string_view Attribute(std::string_view wanted) const;
};

enum class XmlQuotes : bool { kEscaped, kKept };
/// The text with entities for `&`, `<`, `>` and, if it may stand in an attribute, `"`.
std::string EscapeXml(std::string_view text, XmlQuotes quotes = XmlQuotes::kEscaped);

/// Reads a document of UTF-8. Elements may be nested 100 deep.
Result<XmlElement> ReadXml(std::string_view text);

}  // namespace kinu
