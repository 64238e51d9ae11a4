// Source text made from values and references.
// Ref: hcl v2 hclwrite/generate.go.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/result.h"
#include "cty/value.h"
#include "hcl/ast.h"
#include "hcl/writer/layout.h"

namespace kinu::hcl::writer {

/// Tokens that own their text.
class TokenList {
 public:
  /// Appends a token with a copy of `text`.
  void Add(TokenKind kind, std::string_view text) {
    tokens_.push_back({kind, 0, arena_.CopyString(text)});
  }
  /// Appends a token whose text lives longer than the list: a literal, a part of the source.
  void AddView(TokenKind kind, std::string_view text) { tokens_.push_back({kind, 0, text}); }
  void Append(std::span<const SpacedToken> tokens) {
    for (const SpacedToken& token : tokens) {
      Add(token.kind, token.text);
    }
  }

  std::span<const SpacedToken> tokens() const { return tokens_; }
  size_t size() const { return tokens_.size(); }
  /// In canonical layout.
  std::string Text() const;

 private:
  Arena arena_;
  std::vector<SpacedToken> tokens_;
};

/// Appends a value as a constant expression. Fails when it is not wholly known, contains marks
/// (what is sensitive must not get into a source unasked) or a capsule.
///
/// Collections are written as tuples and objects: who reads them back must convert.
Result<void> AppendValue(TokenList& out, const Value& value);
/// Appends a string in quotes, escaped so that it stands for itself.
void AppendString(TokenList& out, std::string_view text);
/// Appends `root.step[step]`. Steps must not be splats.
Result<void> AppendTraversal(TokenList& out, std::string_view root,
                             std::span<const TraversalStep> steps);

/// The same as text.
Result<std::string> ValueText(const Value& value);
std::string StringText(std::string_view text);
Result<std::string> TraversalText(std::string_view root, std::span<const TraversalStep> steps);

/// What stands between the quotes of a string that means `text`.
std::string EscapeQuoted(std::string_view text);

}  // namespace kinu::hcl::writer
