// Generates source text from values and references.
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

/// A list of tokens that owns the texts added by Add().
class TokenList {
 public:
  /// Appends a token with a copy of `text`.
  void Add(TokenKind kind, std::string_view text) {
    tokens_.push_back({kind, 0, arena_.CopyString(text)});
  }
  /// Appends a token without copying `text`, which must outlive the list.
  void AddView(TokenKind kind, std::string_view text) { tokens_.push_back({kind, 0, text}); }
  void Append(std::span<const SpacedToken> tokens) {
    for (const SpacedToken& token : tokens) {
      Add(token.kind, token.text);
    }
  }

  std::span<const SpacedToken> tokens() const { return tokens_; }
  size_t size() const { return tokens_.size(); }
  /// The tokens as text in canonical layout.
  std::string Text() const;

 private:
  Arena arena_;
  std::vector<SpacedToken> tokens_;
};

/// Appends a value as a constant expression. Fails if it is not wholly known, contains a capsule or
/// has marks (a sensitive value must not get into source text).
///
/// Collections become tuple and object expressions; a reader must convert them back.
Result<void> AppendValue(TokenList& out, const Value& value);
/// Appends a quoted and escaped string.
void AppendString(TokenList& out, std::string_view text);
/// Appends `root.step[step]`. Steps must not be splats.
Result<void> AppendTraversal(TokenList& out, std::string_view root,
                             std::span<const TraversalStep> steps);

/// A value, a string, a traversal as text in canonical layout.
Result<std::string> ValueText(const Value& value);
std::string StringText(std::string_view text);
Result<std::string> TraversalText(std::string_view root, std::span<const TraversalStep> steps);

/// `text` escaped for use between the quotes of a string.
std::string EscapeQuoted(std::string_view text);

}  // namespace kinu::hcl::writer
