// Bodies: the content of a file or block, read through a schema. One interface for both syntaxes.
// Ref: hcl v2 structure.go, schema.go.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/packed_pointer.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::hcl {

class Body;

/// An attribute that a body may contain.
struct AttributeSchema {
  std::string_view name;
  bool required = false;
};
/// A block that a body may contain.
struct BlockSchema {
  std::string_view type;
  std::span<const std::string_view> label_names = {};
};
/// The attributes and blocks that a body may contain.
struct BodySchema {
  std::span<const AttributeSchema> attributes = {};
  std::span<const BlockSchema> blocks = {};
  /// Names of attributes and block types that another reader has read. They are skipped without an
  /// error, so that the rest of the body can be read with kExact.
  std::span<const std::string_view> hidden = {};
};

/// An attribute of a body. Names and expressions are valid as long as the SyntaxTree.
struct Attribute {
  std::string_view name;
  const Expr* expr = nullptr;
  SourceRange range;  ///< name to end of expression
  SourceRange name_range;
};
/// A label of a block.
struct Label {
  PackedText text;
  uint32_t begin = 0, end = 0;  ///< with its quotes, in the source of the block

  operator std::string_view() const { return text; }  // NOLINT(google-explicit-constructor)
  bool operator==(std::string_view other) const { return text.view() == other; }
  /// Of their texts, wherever they stand.
  bool operator==(const Label& other) const { return text.view() == other.text.view(); }
};
/// A block of a body. Valid as long as the SyntaxTree.
struct Block {
  std::string_view type;
  std::span<const Label> labels;
  const Body* body = nullptr;
  SourceRange def_range;  ///< the header: type and labels
  SourceRange type_range;

  SourceRange label_range(size_t label) const {
    return {def_range.file, labels[label].begin, labels[label].end};
  }
};

/// Content of a body in the order of the source.
struct BodyContent {
  std::vector<Attribute> attributes;
  std::vector<Block> blocks;
  SourceRange missing_item_range;
  /// The attribute of that name, or null.
  const Attribute* Find(std::string_view name) const;
};

/// How a body treats items outside a schema.
enum class Strictness : uint8_t {
  kExact,    ///< reports anything outside the schema ("Unsupported argument", …)
  kPartial,  ///< ignores anything outside the schema
};

/// Immutable, lives in a SyntaxTree's arena (never deleted through this type).
class Body {
 public:
  /// Reads the body through `schema`. After errors, the result has everything that is valid.
  virtual BodyContent Content(const BodySchema& schema, Strictness strictness,
                              Diagnostics& diags) const = 0;
  /// All attributes, without a schema. Reports blocks as errors. Skips the names in `hidden`.
  virtual std::vector<Attribute> JustAttributes(std::span<const std::string_view> hidden,
                                                Diagnostics& diags) const = 0;
  /// The subject of diagnostics about a missing argument.
  virtual SourceRange MissingItemRange() const = 0;
  virtual bool is_json() const = 0;

 protected:
  ~Body() = default;
};

/// An attribute of a native body with the offsets of its parts.
struct NativeAttribute {
  PackedText name;
  PackedPointer<const Expr> expr;
  uint32_t begin, end;    ///< name to end of expression
  uint32_t equals_begin;  ///< without an equals sign: end of the name

  uint32_t name_end() const { return begin + static_cast<uint32_t>(name.size()); }
};
/// A block of a native body with the offsets of its parts.
struct NativeBlock {
  PackedText type;
  PackedSpan<Label> labels;
  PackedPointer<const class NativeBody> body;
  uint32_t type_begin;
  /// Offset of the character. Without an opening brace: `type_begin`; without the closing one: the
  /// end of the body. Both occur only after syntax errors.
  uint32_t open_brace, close_brace;

  uint32_t type_end() const { return type_begin + static_cast<uint32_t>(type.size()); }
  /// The end of the type and labels.
  uint32_t header_end() const { return labels.empty() ? type_end() : labels.back().end; }
};
/// A parsed native body, for callers that need order and layout.
class NativeBody final : public Body {
 public:
  BodyContent Content(const BodySchema&, Strictness, Diagnostics&) const override;
  std::vector<Attribute> JustAttributes(std::span<const std::string_view>,
                                        Diagnostics&) const override;
  SourceRange MissingItemRange() const override { return {file, begin, begin}; }
  bool is_json() const override { return false; }

  const SourceFile* file = nullptr;
  /// From the opening brace (or the file's first token) to the offset after the closing brace (or
  /// the file's end).
  uint32_t begin = 0, end = 0;
  PackedSpan<NativeAttribute> attributes;  ///< source order, names distinct (see ParseMode)
  PackedSpan<NativeBlock> blocks;          ///< source order
};

}  // namespace kinu::hcl
