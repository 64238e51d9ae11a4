// Functions that the block readers in blocks/ share. Private to config.
//
// All primary files of a module are read into one FileContent, each override file into its own. The
// module builder merges them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/version.h"
#include "config/config.h"
#include "hcl/static.h"
#include "text/quote.h"

namespace kinu::config {

/// A `check` block and its nested data source.
struct CheckBlock {
  Check check;
  std::optional<Resource> data;
};

/// A `required_providers` block.
struct RequiredProvidersBlock {
  std::vector<RequiredProvider> providers;
  SourceRange range;
};

/// The blocks of one or more files, in source order.
struct FileContent {
  std::vector<Variable> variables;
  std::vector<Local> locals;
  std::vector<Output> outputs;
  std::vector<ModuleCall> calls;
  std::vector<Resource> resources;
  std::vector<ProviderBlock> providers;
  std::vector<RequiredProvidersBlock> required_providers;
  std::vector<ProviderMeta> provider_metas;
  std::vector<CheckBlock> checks;
  std::vector<Moved> moved;
  std::vector<Removed> removed;
  std::vector<Import> imports;
  std::vector<Backend> backends;
  std::vector<Cloud> clouds;
  std::vector<Encryption> encryptions;
};

/// A constraint on the version of the language, as a module has it in its files.
struct VersionRequirement {
  VersionConstraints constraints;
  SourceRange range;
};

/// Reads the blocks of one file into `out`.
struct BlockReader {
  Program& program;
  hcl::SyntaxTree& tree;
  FileContent& out;
  Diagnostics& diags;
  std::vector<VersionRequirement>& required_versions;
  bool is_override = false;
  bool is_tofu_file = false;  ///< required_version counts only in .tofu files

  Symbol Intern(std::string_view text) { return program.Intern(text); }
};

/// Reads all blocks of a file.
void ReadFileBlocks(BlockReader& reader, const hcl::Body& body);

// --- Names and constants. ---
/// Reports `summary` if `name` is not an identifier. False if it is not.
bool CheckName(BlockReader& reader, std::string_view name, std::string_view summary,
               const SourceRange& range);
/// Reports a local provider name that is invalid or not normalised. False in both cases.
bool CheckProviderName(BlockReader& reader, std::string_view name, const SourceRange& range);
/// Evaluates an expression without variables and functions. Strings of JSON files are literal.
Value EvaluateConstant(const hcl::Expr& expr, Diagnostics& diags);
/// Reads a constant string or bool, with conversion. False after an error. Ref:
/// gohcl.DecodeExpression.
bool ReadString(const hcl::Expr& expr, std::string& out, Diagnostics& diags);
bool ReadBool(const hcl::Expr& expr, bool& out, Diagnostics& diags);
/// Converts a value and removes its marks. Fails if that fails or the value is null or unknown.
Result<Value> ConvertToKnown(const Value& value, const Type& type);
/// As ConvertToKnown(), for a value that was evaluated from `expr`. Reports the error. Ref:
/// gohcl.DecodeExpression.
std::optional<Value> ConvertKnownValue(const Value& value, const Type& type, const hcl::Expr& expr,
                                       Diagnostics& diags);
/// As ConvertKnownValue(), for a string. False after an error.
bool ValueToString(const Value& value, const hcl::Expr& expr, std::string& out, Diagnostics& diags);
/// Reads a version constraint. Returns nothing if it is null or invalid.
std::optional<std::string> ReadVersionConstraint(const hcl::Attribute& attribute,
                                                 Diagnostics& diags);

// --- References in static positions. ---
/// True for "..." in native syntax: configurations of 0.11 write references so.
bool IsNativeQuotedString(const hcl::Expr& expr);
/// Parses a quoted reference of 0.11 and warns about it. Returns other expressions unchanged. Ref:
/// configs.shimTraversalInString.
const hcl::Expr* Unquote(BlockReader& reader, const hcl::Expr& expr, bool keyword);
/// Returns the expression if it is a reference with constant keys. Otherwise reports an error and
/// returns null.
const hcl::TraversalExpr* ReadTraversal(BlockReader& reader, const hcl::Expr& expr);
/// The same, with splats as steps.
const hcl::TraversalExpr* ReadTraversalPattern(BlockReader& reader, const hcl::Expr& expr);
/// Reads `depends_on`. Elements that are not references are reported and omitted.
std::vector<const hcl::TraversalExpr*> ReadDependsOn(BlockReader& reader,
                                                     const hcl::Attribute& attribute);
/// In JSON, parses the string as an expression; null if that fails, or if there are more errors
/// than `errors`, those before what `expr` is a part of. In native syntax, returns `expr`.
const hcl::Expr* ExpressionInString(BlockReader& reader, const hcl::Expr& expr, size_t errors);
/// Reads a reference to a provider configuration. Nothing after an error. `argument` is its name,
/// for messages.
std::optional<ProviderRef> ReadProviderRef(BlockReader& reader, const hcl::Expr& expr,
                                           std::string_view argument);
/// The elements of a list constructor. Reports an error for other expressions.
std::span<const hcl::Expr* const> ReadList(const hcl::Expr& expr, Diagnostics& diags);

// --- Parts of several block types. ---
/// Reads a `validation`, `precondition`, `postcondition` or `assert` block.
Condition ReadCondition(BlockReader& reader, const hcl::Block& block);
/// Reports a condition of a resource that refers to the resource by its name and not as `self`.
void CheckSelfReferences(BlockReader& reader, const Condition& condition, std::string_view type,
                         const ResourceName& name);
/// Reads a `provisioner` block. Nothing if OpenTofu has removed its type.
std::optional<Provisioner> ReadProvisioner(BlockReader& reader, const hcl::Block& block);
/// Reports the references of a body that are not `self`, `path` or `terraform`.
void CheckOnlySelfReferences(const hcl::Body& body, std::span<const std::string_view> hidden,
                             Diagnostics& diags);
/// Reads a `data` block. `nested`: in a `check` block, which forbids repetition.
std::optional<Resource> ReadDataBlock(BlockReader& reader, const hcl::Block& block, bool nested);

/// Checks that a block has at most one of `count`, `for_each` and `enabled`.
class ExclusiveArguments {
 public:
  void Add(std::string_view name, const SourceRange& name_range);
  /// Reports arguments that exclude each other. `what` names the blocks: "resources", "module
  /// instances".
  void Check(std::string_view what, Diagnostics& diags) const;

 private:
  struct Given {
    std::string_view name;
    SourceRange range;
  };
  Given given_[4];
  size_t count_ = 0;
};

using text::Quoted;

}  // namespace kinu::config
