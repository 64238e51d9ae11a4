// BodyMembers: what may stand in a body: the arguments and blocks of the language and of schemas,
// and the inputs of called modules.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cty/type.h"
#include "ide/answers.h"
#include "ide/known_types.h"
#include "ide/language_blocks.h"
#include "ide/module_names.h"
#include "lang/type_expr.h"
#include "schema/schema.h"

namespace kinu::ide {

/// An argument or a type of block.
struct Member {
  std::string name;
  bool is_block = false;
  bool required = false;
  bool optional = false;  ///< both this and `required` are false if only a provider sets it
  bool computed = false;
  bool sensitive = false;
  bool deprecated = false;
  bool repeatable = false;    ///< a block that may stand there several times
  bool in_schema = false;     ///< or a variable: what one block has and others do not
  bool takes_blocks = false;  ///< an argument that may be written as blocks instead
  ValueKind kind = ValueKind::kAny;
  Type type;
  std::shared_ptr<const lang::Defaults> defaults;  ///< of a variable; null: none
  std::string type_text;                           ///< with them; empty: that of the type
  std::string doc;
  std::vector<std::string_view> labels;     ///< of a block
  const schema::Block* block = nullptr;     ///< of a block in a schema
  const LanguageBlock* language = nullptr;  ///< of a block of the language
  const schema::NestedAttributes* nested = nullptr;

  /// A type of block, or the type of an argument.
  std::string TypeText() const;
};

/// What a value for an argument looks like.
enum class ValueShape : uint8_t { kUnknown, kBool, kNumber, kText, kList, kMap };
ValueShape ShapeOf(const Member& member);

/// The members of the body of a block in a schema.
std::vector<Member> MembersOfSchema(const schema::Block& block);

/// The body of a block.
struct BodyPlace {
  const LanguageBlock* language = nullptr;
  std::string label;  ///< the first one of the block; empty: none
  const schema::Block* schema = nullptr;
  std::string called;      ///< directory of the module whose inputs it has; empty: none
  bool variables = false;  ///< its arguments are variables of the module itself
  bool known = false;      ///< false: nobody knows what stands there
  bool nested = false;     ///< of a provider whose schema nobody knows: blocks may stand there
  bool as_blocks = false;  ///< arguments that are lists or sets of objects may be blocks
  /// Of such blocks: what `schema` is a part of.
  std::shared_ptr<const schema::Block> made = nullptr;
};

/// The body of the innermost of the blocks; without any: the file.
BodyPlace PlaceOfBody(ModuleNames& names, FileKind file, const std::vector<OpenBlock>& blocks);
/// All members of a body.
std::vector<Member> MembersOf(ModuleNames& names, const BodyPlace& place);
/// One of them.
std::optional<Member> FindMember(ModuleNames& names, const BodyPlace& place, std::string_view name);
/// The types that are declared for variables of the module as members.
std::vector<Member> VariablesAsMembers(ModuleNames& names);
Member MemberOfAttribute(const schema::Attribute& attribute);
/// The names of the types of blocks that a schema lets `dynamic` blocks make there.
std::vector<std::string> MadeBlocks(const BodyPlace& place);
/// The members of the innermost object around a cursor in the value of an argument, as its schema
/// has them. Null if it has none there.
const schema::NestedAttributes* NestedAtCursor(const Member& argument,
                                               std::span<const OpenBracket> brackets);

}  // namespace kinu::ide
