#include "ide/body_members.h"

#include <algorithm>

#include "backend/backend.h"
#include "config/encryption_values.h"
#include "hcl/static.h"
#include "ide/file_index.h"
#include "ide/type_text.h"
#include "schema/decode.h"

namespace kinu::ide {
namespace {

Member MemberOfBlock(const schema::NestedBlock& nested) {
  Member member{.name = nested.name,
                .is_block = true,
                .required = nested.min_items > 0,
                .optional = nested.min_items == 0,
                .deprecated = nested.block.deprecated,
                .in_schema = true,
                .doc = nested.block.description,
                .block = &nested.block};
  const bool is_single =
      nested.nesting == schema::Nesting::kSingle || nested.nesting == schema::Nesting::kGroup;
  member.repeatable = !is_single && nested.max_items != 1;
  if (nested.nesting == schema::Nesting::kMap) {
    member.labels.emplace_back("key");
  }
  return member;
}

Member MemberOfArgument(const LanguageArgument& argument) {
  return {.name = std::string(argument.name),
          .required = argument.required,
          .optional = !argument.required,
          .kind = argument.kind,
          .doc = std::string(argument.doc)};
}

void AddLanguage(const LanguageBlock& language, std::string_view label, std::vector<Member>& out) {
  for (const LanguageArgument& argument : language.arguments) {
    if (argument.label.empty() || label.empty() || argument.label == label) {
      out.push_back(MemberOfArgument(argument));
    }
  }
  for (const LanguageNested& nested : language.blocks) {
    out.push_back({.name = std::string(nested.block->type),
                   .is_block = true,
                   .optional = true,
                   .repeatable = nested.repeatable,
                   .doc = std::string(nested.block->doc),
                   .labels = {nested.block->labels.begin(), nested.block->labels.end()},
                   .language = nested.block});
  }
}

ResourceMode ModeOf(std::string_view block) {
  if (block == "data") {
    return ResourceMode::kData;
  }
  return block == "ephemeral" ? ResourceMode::kEphemeral : ResourceMode::kManaged;
}

bool IsTrue(const hcl::Expr* expr) {
  return expr != nullptr && expr->range().text() == "true";
}

/// The body of a block of the language, with what schemas and called modules add to it.
BodyPlace PlaceOfBlock(ModuleNames& names, const LanguageBlock& language, const OpenBlock& block) {
  BodyPlace place{.language = &language, .known = !language.any_names};
  place.label = block.labels.empty() ? std::string_view() : block.labels[0];
  const std::string_view type = language.type;
  if ((type == "resource" || type == "data" || type == "ephemeral") && block.labels.size() == 2) {
    const auto* schema = names.ResourceSchemaOf(ModeOf(type), block.labels[0], block.labels[1]);
    place.schema = schema == nullptr ? nullptr : &schema->block;
    place.known = schema != nullptr;
    place.nested = schema == nullptr;
  } else if (type == "provider" && block.labels.size() == 1) {
    const auto* schema = names.SchemaOf(block.labels[0]);
    place.schema = schema == nullptr ? nullptr : &schema->provider_config().block;
    place.known = schema != nullptr;
    place.nested = schema == nullptr;
  } else if (type == "backend" && block.labels.size() == 1) {
    const backend::BackendSpec* spec = backend::FindBackend(block.labels[0]);
    place.schema = spec == nullptr ? nullptr : &backend::SchemaOf(*spec);
    place.known = spec != nullptr;
  } else if ((type == "key_provider" || type == "method") && block.labels.size() == 2) {
    place.schema = config::EncryptionSchema(type, block.labels[0]);
    place.known = place.schema != nullptr;
  } else if (type == "module" && block.labels.size() == 1) {
    place.called = names.Called(std::string(block.labels[0])).value_or("");
    place.known = !place.called.empty();
  } else if (type == "variables") {
    place.variables = true;
    place.known = true;
  }
  place.as_blocks = place.schema != nullptr && place.schema->allows_attributes_as_blocks();
  return place;
}

bool TakesBlocks(const BodyPlace& place, const schema::Attribute& attribute) {
  return place.as_blocks && schema::CanBeBlocks(attribute.type);
}

Member MemberOfAttributeIn(const BodyPlace& place, const schema::Attribute& attribute) {
  Member member = MemberOfAttribute(attribute);
  member.takes_blocks = TakesBlocks(place, attribute);
  return member;
}

/// The body of blocks of a type in a body with a schema; nothing if the schema has no such blocks.
std::optional<BodyPlace> PlaceInSchema(const BodyPlace& around, std::string_view type) {
  if (around.schema == nullptr) {
    return std::nullopt;
  }
  if (const schema::NestedBlock* nested = around.schema->FindBlock(type)) {
    return BodyPlace{.schema = &nested->block,
                     .known = true,
                     .as_blocks = around.as_blocks,
                     .made = around.made};
  }
  const schema::Attribute* attribute = around.schema->FindAttribute(type);
  if (attribute == nullptr || !TakesBlocks(around, *attribute)) {
    return std::nullopt;
  }
  auto made =
      std::make_shared<const schema::Block>(schema::BlockForObject(attribute->type.element()));
  return BodyPlace{.schema = made.get(),
                   .known = true,
                   .as_blocks = made->allows_attributes_as_blocks(),
                   .made = made};
}

/// The directory of the module that a run of a test calls; nothing: it plans the module around.
std::optional<std::string> ModulePlannedBy(const ModuleNames& names, const OpenBlock& run) {
  if (names.current() == nullptr || run.type != "run" || run.labels.size() != 1) {
    return std::nullopt;
  }
  const Snapshot::Parts& parts = names.parts();
  const std::string& path = names.current()->path;
  const auto planned = parts.Follow(parts.ModuleOf(path), CallOfRun(path, run.labels[0]));
  return planned.empty() ? std::nullopt : std::optional(*planned.begin());
}

}  // namespace

std::string Member::TypeText() const {
  if (is_block) {
    return "block";
  }
  if (type.is_dynamic()) {
    constexpr std::pair<ValueKind, std::string_view> kTexts[] = {
        {ValueKind::kText, "string"},
        {ValueKind::kNumber, "number"},
        {ValueKind::kBool, "bool"},
        {ValueKind::kList, "list"},
        {ValueKind::kMap, "map"},
        {ValueKind::kType, "type"},
        {ValueKind::kReferences, "list of references"},
        {ValueKind::kAddress, "address"},
        {ValueKind::kSource, "string"},
        {ValueKind::kProvider, "provider"},
        {ValueKind::kAttributes, "list of attributes"},
    };
    const auto* found =
        std::ranges::find(kTexts, kind, &std::pair<ValueKind, std::string_view>::first);
    return found == std::end(kTexts) ? "any" : std::string(found->second);
  }
  return type_text.empty() ? lang::TypeString(type) : type_text;
}

Member MemberOfAttribute(const schema::Attribute& attribute) {
  return {.name = attribute.name,
          .required = attribute.required,
          .optional = attribute.optional,
          .computed = attribute.computed,
          .sensitive = attribute.sensitive,
          .deprecated = attribute.deprecated,
          .in_schema = true,
          .type = attribute.type,
          .doc = attribute.description,
          .nested = attribute.nested.get()};
}

std::vector<Member> VariablesAsMembers(ModuleNames& names) {
  std::vector<Member> out;
  names.ForEach([&](const Key& key, SymbolKind kind) {
    if (kind == SymbolKind::kVariable) {
      out.push_back({.name = key.substr(std::string_view("var.").size()), .in_schema = true});
    }
  });
  KnownTypes types(names);
  for (Member& member : out) {
    const auto found = names.Find("var." + member.name);
    const lang::TypeConstraint constraint = types.ConstraintOf(member.name);
    member.type = constraint.type.WithoutOptionalAttributes();
    member.defaults = constraint.defaults;
    member.type_text = TypeText(constraint.type, constraint.defaults.get());
    if (!found) {
      continue;
    }
    const Declaration& declaration = *found.declaration;
    member.required = ModuleNames::ArgumentOf(declaration, "default") == nullptr;
    member.optional = !member.required;
    member.sensitive = IsTrue(ModuleNames::ArgumentOf(declaration, "sensitive"));
    member.deprecated = ModuleNames::ArgumentOf(declaration, "deprecated") != nullptr;
    member.doc = ModuleNames::TextOf(declaration, "description").value_or("");
  }
  return out;
}

BodyPlace PlaceOfBody(ModuleNames& names, FileKind file, const std::vector<OpenBlock>& blocks) {
  if (file == FileKind::kVariables) {
    return {.variables = blocks.empty(), .known = blocks.empty()};
  }
  BodyPlace at{.language = file == FileKind::kTest ? &TestFile() : &ConfigurationFile(),
               .known = true};
  for (size_t i = 0; i < blocks.size(); ++i) {
    const OpenBlock& block = blocks[i];
    if (auto nested = PlaceInSchema(at, block.type)) {
      at = *std::move(nested);
      continue;
    }
    const bool takes_dynamic = at.schema != nullptr || at.nested;
    if (block.type == "dynamic" && takes_dynamic && block.labels.size() == 1) {
      auto made = PlaceInSchema(at, block.labels[0]);
      const bool in_content = i + 1 < blocks.size() && blocks[i + 1].type == "content";
      if (!in_content) {
        at = {.language = &DynamicBlock(), .known = true};
        continue;
      }
      at = made ? *std::move(made) : BodyPlace{.nested = true};
      ++i;
      continue;
    }
    const LanguageBlock* language =
        at.language == nullptr ? nullptr : at.language->FindBlock(block.type);
    if (language == nullptr) {
      at = {.nested = at.nested};
      continue;
    }
    at = PlaceOfBlock(names, *language, block);
    if (at.variables && i == 1) {
      if (auto planned = ModulePlannedBy(names, blocks[0])) {
        at.variables = false;
        at.called = *std::move(planned);
      }
    }
  }
  return at;
}

std::vector<Member> MembersOf(ModuleNames& names, const BodyPlace& place) {
  std::vector<Member> out;
  if (place.variables) {
    return VariablesAsMembers(names);
  }
  if (!place.called.empty()) {
    ModuleNames inside(names.snapshot(), place.called, nullptr);
    out = VariablesAsMembers(inside);
  }
  if (place.schema != nullptr) {
    for (const schema::Attribute& attribute : place.schema->attributes) {
      out.push_back(MemberOfAttributeIn(place, attribute));
    }
    for (const schema::NestedBlock& nested : place.schema->blocks) {
      out.push_back(MemberOfBlock(nested));
    }
  }
  if (place.language != nullptr) {
    AddLanguage(*place.language, place.label, out);
  }
  const bool is_constant = place.language != nullptr && place.language->any_names;
  if (place.nested || (!is_constant && !MadeBlocks(place).empty())) {
    out.push_back({.name = "dynamic",
                   .is_block = true,
                   .optional = true,
                   .repeatable = true,
                   .doc = std::string(DynamicBlock().doc),
                   .labels = {"type"},
                   .language = &DynamicBlock()});
  }
  return out;
}

std::optional<Member> FindMember(ModuleNames& names, const BodyPlace& place,
                                 std::string_view name) {
  if (place.called.empty() && !place.variables) {
    if (place.schema != nullptr) {
      if (const schema::Attribute* attribute = place.schema->FindAttribute(name)) {
        return MemberOfAttributeIn(place, *attribute);
      }
      if (const schema::NestedBlock* nested = place.schema->FindBlock(name)) {
        return MemberOfBlock(*nested);
      }
    }
  }
  for (Member& member : MembersOf(names, place)) {
    if (member.name == name) {
      return std::move(member);
    }
  }
  return std::nullopt;
}

std::vector<std::string> MadeBlocks(const BodyPlace& place) {
  std::vector<std::string> out;
  if (place.schema == nullptr) {
    return out;
  }
  for (const schema::NestedBlock& nested : place.schema->blocks) {
    out.push_back(nested.name);
  }
  for (const schema::Attribute& attribute : place.schema->attributes) {
    if (TakesBlocks(place, attribute) && (attribute.required || attribute.optional)) {
      out.push_back(attribute.name);
    }
  }
  return out;
}

const schema::NestedAttributes* NestedAtCursor(const Member& argument,
                                               std::span<const OpenBracket> brackets) {
  const schema::NestedAttributes* at = argument.nested;
  bool is_element = false;  // behind the bracket of the collection
  for (const OpenBracket& bracket : brackets) {
    if (at == nullptr) {
      return nullptr;
    }
    const bool is_single = at->nesting == schema::Nesting::kSingle;
    const bool is_map = at->nesting == schema::Nesting::kMap;
    switch (bracket.kind) {
      case OpenBracket::Kind::kParentheses:
        continue;
      case OpenBracket::Kind::kTuple:
        if (is_single || is_map || is_element) {
          return nullptr;
        }
        is_element = true;
        continue;
      case OpenBracket::Kind::kObject:
        break;
      default:
        return nullptr;
    }
    const bool is_last = &bracket == &brackets.back();
    if (!is_single && !is_element) {
      if (!is_map || is_last) {
        return nullptr;
      }
      is_element = true;
      continue;
    }
    if (is_last) {
      return at;
    }
    const schema::Attribute* member = at->Find(bracket.key);
    at = member == nullptr ? nullptr : member->nested.get();
    is_element = false;
  }
  return nullptr;
}

ValueShape ShapeOf(const Member& member) {
  const Type& type = member.type;
  if (type == Type::Bool()) {
    return ValueShape::kBool;
  }
  if (type == Type::Number()) {
    return ValueShape::kNumber;
  }
  if (type == Type::String()) {
    return ValueShape::kText;
  }
  if (type.is_list() || type.is_set() || type.is_tuple()) {
    return ValueShape::kList;
  }
  if (type.is_map() || type.is_object()) {
    return ValueShape::kMap;
  }
  switch (member.kind) {
    case ValueKind::kBool:
      return ValueShape::kBool;
    case ValueKind::kText:
    case ValueKind::kSource:
      return ValueShape::kText;
    case ValueKind::kList:
    case ValueKind::kReferences:
    case ValueKind::kAttributes:
      return ValueShape::kList;
    case ValueKind::kMap:
    case ValueKind::kProviders:
      return ValueShape::kMap;
    default:
      return ValueShape::kUnknown;
  }
}

std::vector<Member> MembersOfSchema(const schema::Block& block) {
  std::vector<Member> members;
  for (const schema::Attribute& attribute : block.attributes) {
    members.push_back(MemberOfAttribute(attribute));
  }
  for (const schema::NestedBlock& nested : block.blocks) {
    members.push_back({.name = nested.name,
                       .is_block = true,
                       .required = nested.min_items > 0,
                       .block = &nested.block});
  }
  return members;
}

}  // namespace kinu::ide
