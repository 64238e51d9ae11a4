// Decoder specifications: a small language that says how a body becomes a value. The batch
// evaluator offers it; configuration itself is read through schemas. Ref: hcl v2 hcldec.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "codec/json_reader.h"
#include "cty/value.h"
#include "diag/diagnostic.h"
#include "hcl/body.h"
#include "lang/scope.h"

namespace kinu::cli::eval {

struct Spec {
  enum class Kind {
    kObject,
    kTuple,
    kAttribute,
    kLiteral,
    kDefault,
    kBlock,
    kBlockList,
    kBlockTuple,
    kBlockSet,
    kBlockMap,
    kBlockObject,
    kBlockAttributes,
    kBlockLabel,
  };
  Kind kind = Kind::kObject;
  std::string name;  ///< of the attribute, block type or label
  Type type;         ///< kAttribute, and the element type of kBlockAttributes
  Value literal;
  bool required = false;
  int64_t min_items = 0;
  int64_t max_items = 0;
  size_t label_index = 0;
  std::vector<std::string> label_names;   ///< kBlockMap, kBlockObject: those that make the keys
  std::vector<std::string> member_names;  ///< kObject
  /// kObject, kTuple: all; kDefault: primary and default; blocks: the spec of the body.
  std::vector<Spec> children;

  bool is_block() const { return kind >= Kind::kBlock && kind <= Kind::kBlockAttributes; }
};

Result<Spec> ReadSpec(const JsonNode& json);

struct DecodeOptions {
  bool expand_dynamic = false;
  /// There is no scope at all: strings of JSON are not templates.
  bool literal = false;
};
Value DecodeSpec(const Spec& spec, const hcl::Body& body, const lang::Scope& scope,
                 const DecodeOptions& options, Diagnostics& diags);

}  // namespace kinu::cli::eval
