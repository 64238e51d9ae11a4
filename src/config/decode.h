// Reading blocks: what the files of blocks/ share. Private to config.
//
// All primary files of a module are read into one FileContent, each override file into its own; the
// module builder then puts them together.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "hcl/static.h"

namespace kinu::config {

struct CheckBlock {
  Check check;
  std::optional<Resource> data;
};

struct RequiredProvidersBlock {
  std::vector<RequiredProvider> providers;
  SourceRange range;
};

/// The blocks of one or more files, in the order of the source.
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

/// Where the blocks of one file go.
struct BlockReader {
  Program& program;
  hcl::SyntaxTree& tree;
  FileContent& out;
  Diagnostics& diags;
  /// Problems that make all others meaningless: the module is for another version.
  Diagnostics& incompatible;
  bool is_override = false;
  bool is_tofu_file = false;  ///< required_version counts only in .tofu files

  Symbol Intern(std::string_view text) { return program.Intern(text); }
};

/// One row of the table of block types.
struct BlockType {
  std::string_view name;
  std::span<const std::string_view> labels;
  void (*read)(BlockReader& reader, const hcl::Block& block);
};
/// All block types that may stand at the top of a file.
std::span<const BlockType> BlockTypes();

/// Reads all blocks of a file.
void ReadFileBlocks(BlockReader& reader, const hcl::Body& body);

// --- Names and constants. ---
/// Reports `summary` when `name` is not an identifier.
bool CheckName(BlockReader& reader, std::string_view name, std::string_view summary,
               const SourceRange& range);
/// Reports a local provider name that is not valid or not in normal form.
bool CheckProviderName(BlockReader& reader, std::string_view name, const SourceRange& range);
/// Evaluates an expression that may use neither variables nor functions. In JSON, strings are taken
/// as they are.
Value EvaluateConstant(const hcl::Expr& expr, Diagnostics& diags);
/// A constant string or bool, converted if need be. Ref: gohcl.DecodeExpression.
bool ReadString(const hcl::Expr& expr, std::string& out, Diagnostics& diags);
bool ReadBool(const hcl::Expr& expr, bool& out, Diagnostics& diags);
/// A value that was evaluated from `expr`, converted, without marks. Nothing, and a diagnostic,
/// when that fails or gives null or an unknown value. Ref: gohcl.DecodeExpression.
std::optional<Value> Suitable(const Value& value, const Type& type, const hcl::Expr& expr,
                              Diagnostics& diags);
/// A value that was evaluated from `expr`, as a string.
bool ValueToString(const Value& value, const hcl::Expr& expr, std::string& out, Diagnostics& diags);
/// A version constraint; nothing when it is null or wrong.
std::optional<std::string> ReadVersionConstraint(const hcl::Attribute& attribute,
                                                 Diagnostics& diags);

// --- References in static positions. ---
/// True for "..." in native syntax, where old configurations have references.
bool IsNativeQuotedString(const hcl::Expr& expr);
/// An expression in quotes becomes what stands in them, with a warning. Anything else is returned
/// as it is. Ref: configs.shimTraversalInString.
const hcl::Expr* Unquote(BlockReader& reader, const hcl::Expr& expr, bool keyword);
/// The expression as a reference with constant keys; null, and a diagnostic, otherwise.
const hcl::TraversalExpr* ReadTraversal(BlockReader& reader, const hcl::Expr& expr);
std::vector<const hcl::TraversalExpr*> ReadDependsOn(BlockReader& reader,
                                                     const hcl::Attribute& attribute);
/// In JSON the expression that a string holds, else the expression; null when it does not parse.
const hcl::Expr* ExpressionInString(BlockReader& reader, const hcl::Expr& expr);
std::optional<ProviderRef> ReadProviderRef(BlockReader& reader, const hcl::Expr& expr,
                                           std::string_view argument);
/// Elements of a list that is written out; a diagnostic otherwise.
std::span<const hcl::Expr* const> ReadList(const hcl::Expr& expr, Diagnostics& diags);

// --- Parts of several block types. ---
Condition ReadCondition(BlockReader& reader, const hcl::Block& block);
/// Reports conditions of a resource that refer to the resource itself.
void CheckSelfReferences(BlockReader& reader, const Condition& condition, std::string_view type,
                         const ResourceName& name);
std::optional<Provisioner> ReadProvisioner(BlockReader& reader, const hcl::Block& block);
/// Reports references in a body to anything but the object itself.
void CheckOnlySelfReferences(const hcl::Body& body, std::span<const std::string_view> hidden,
                             Diagnostics& diags);
std::optional<Resource> ReadDataBlock(BlockReader& reader, const hcl::Block& block, bool nested);

/// `count`, `for_each` and `enabled` exclude each other.
class Repetition {
 public:
  void Add(std::string_view name, const SourceRange& name_range);
  /// `what`: "resources", "module instances".
  void Check(std::string_view what, Diagnostics& diags) const;

 private:
  struct Given {
    std::string_view name;
    SourceRange range;
  };
  Given given_[4];
  size_t count_ = 0;
};

/// An address for `moved` and `import` (instance keys allowed) or `removed` (not allowed).
std::optional<Endpoint> ReadEndpoint(BlockReader& reader, const hcl::TraversalExpr& traversal,
                                     bool allow_keys);

/// The address of a module, without keys.
std::optional<Endpoint> ReadModuleAddress(BlockReader& reader, const hcl::TraversalExpr& traversal);

/// `"text"`.
std::string Quoted(std::string_view text);

}  // namespace kinu::config
