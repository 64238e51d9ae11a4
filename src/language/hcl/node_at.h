// What stands at an offset of a native file: for editors, which ask with the place of the cursor.
//
// A name, label or expression is touched by the offsets from its first byte to behind its last one,
// because the cursor stands behind the letter that was typed last. Where two are touched, the one
// that ends there counts. The cost grows with the depth, and with the logarithm of the length of
// lists; it does not depend on the rest of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hcl/body.h"

namespace kinu::hcl {

/// What an offset touches of the innermost expression.
struct ExprPart {
  enum class Kind : uint8_t {
    kOther,         ///< an operator, a bracket, a literal, white space
    kRoot,          ///< the root name of a traversal
    kStep,          ///< a step of a traversal; `index` counts from 0
    kFunctionName,  ///< the name of a call
    kArgument,      ///< between the parentheses of a call, but in no argument
    kForKeyName,    ///< the name before the comma of a `for`
    kForValueName,  ///< the name before its `in`
  };
  Kind kind = Kind::kOther;
  size_t index = 0;
};

/// An expression that encloses an offset, and which part of it does.
struct EnclosingExpr {
  const Expr* expr = nullptr;
  ExprPart part;  ///< of a call: always which argument, if any
};

/// What stands at an offset of a body.
struct NodeAt {
  enum class Place : uint8_t {
    kBody,            ///< in a body, outside of its items
    kAttributeName,   ///< `attribute` is set
    kAttributeEqual,  ///< between the name of an attribute and its value
    kAttributeValue,  ///< `exprs` is not empty
    kAfterAttribute,  ///< behind an attribute, on its last line
    kBlockType,       ///< `block` is set, which is not one of `blocks`
    kBlockLabel,      ///< in the label `label`
    kBlockHeader,     ///< between type, labels and brace; `label` is how many labels are before
  };
  Place place = Place::kBody;
  /// The blocks whose bodies enclose the offset, innermost last.
  std::vector<const NativeBlock*> blocks;
  /// The innermost body.
  const NativeBody* body = nullptr;
  const NativeAttribute* attribute = nullptr;
  const NativeBlock* block = nullptr;
  size_t label = 0;
  /// The enclosing expressions of the attribute, innermost last.
  std::vector<EnclosingExpr> exprs;
};

/// What stands at the offset, which is at most the length of the text. `body` is that of a file.
NodeAt FindNodeAt(const NativeBody& body, uint32_t offset);

/// The expressions that enclose the offset, innermost last; empty if `expr` does not touch it.
std::vector<EnclosingExpr> ExprsAt(const Expr& expr, uint32_t offset);

}  // namespace kinu::hcl
