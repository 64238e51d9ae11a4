// Writes explanations for people and programs.
#pragma once

#include <functional>
#include <string>

#include "json/writer.h"
#include "why/explain.h"

namespace kinu::why {

/// Appends the explanation as text: a tree of causes for each object. A cause that stands in more
/// than one place is explained at the first.
void WriteText(std::string& out, const Explanation& explanation);
/// Appends the explanation as one JSON object (docs/schemas/why.json). `diagnostics` writes the
/// elements of that array.
void WriteJson(std::string& out, const Explanation& explanation,
               const std::function<void(JsonWriter& json)>& diagnostics);
/// One line that says what a cause is: "var.size is "xl" (-var)".
std::string Sentence(const Cause& cause);
/// A root in a few words: "var.size", "drift", "perhaps local.name".
std::string ShortName(const Cause& root);
/// The roots that one finds behind an object or output, each once, in the order of the tree.
std::vector<uint32_t> RootsOf(const Explanation& explanation, const ExplainedObject& object);

}  // namespace kinu::why
