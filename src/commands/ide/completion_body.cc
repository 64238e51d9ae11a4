// Completion of names of arguments and blocks, labels and keys of objects.
#include <algorithm>
#include <map>
#include <set>

#include "base/files.h"
#include "ide/completion_parts.h"

namespace kinu::ide {
namespace {

/// More types than these come with more letters alone. No provider has so many.
constexpr size_t kMostTypes = 3000;
/// The blocks of at most so many types are written out.
constexpr size_t kMostWrittenTypes = 60;

/// The value that stands for a type in a snippet, with the number of its stop.
std::string ValueStop(const Member& member, int& stop) {
  const std::string number = std::to_string(stop++);
  switch (ShapeOf(member)) {
    case ValueShape::kBool:
      return "${" + number + "|true,false|}";
    case ValueShape::kText:
      return "\"$" + number + "\"";
    case ValueShape::kList:
      return "[$" + number + "]";
    case ValueShape::kMap:
      return "{\n  $" + number + "\n}";
    case ValueShape::kNumber:
    case ValueShape::kUnknown:
      break;
  }
  return "$" + number;
}

std::string BlockSnippet(const Member& member, int& stop);

/// The required members of a body, indented.
std::string RequiredSnippet(std::span<const Member> members, int& stop) {
  std::string out;
  for (const Member& member : members) {
    if (!member.required) {
      continue;
    }
    std::string lines = member.is_block ? BlockSnippet(member, stop)
                                        : member.name + " = " + ValueStop(member, stop);
    for (size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1)) {
      lines.insert(at + 1, "  ");
    }
    out += "  " + lines + "\n";
  }
  return out;
}

/// The braces of a block with what it must have.
std::string BracesSnippet(std::span<const Member> members, int& stop) {
  const std::string required = RequiredSnippet(members, stop);
  return required.empty() ? "{\n  $0\n}" : "{\n" + required + "}";
}

std::string BlockSnippet(const Member& member, int& stop) {
  std::string out = member.name;
  for (const std::string_view label : member.labels) {
    out.append(" \"${").append(std::to_string(stop++)).append(":");
    out.append(label).append("}\"");
  }
  std::vector<Member> members;
  if (member.block != nullptr) {
    members = MembersOfSchema(*member.block);
  } else if (member.language != nullptr) {
    for (const LanguageArgument& argument : member.language->arguments) {
      members.push_back({.name = std::string(argument.name),
                         .required = argument.required,
                         .kind = argument.kind});
    }
  }
  return out + " " + BracesSnippet(members, stop);
}

CompletionKind KindOfMember(const Member& member) {
  return member.is_block ? CompletionKind::kBlock : CompletionKind::kArgument;
}

void AddMember(CompletionRequest& request, const Member& member, bool with_value, double gain) {
  Completion item{.label = member.name,
                  .kind = KindOfMember(member),
                  .detail = member.TypeText(),
                  .markdown = member.doc,
                  .is_deprecated = member.deprecated};
  if (member.required) {
    item.detail = "required, " + item.detail;
  }
  if (with_value) {
    int stop = 1;
    item.is_snippet = true;
    item.insert = member.is_block ? BlockSnippet(member, stop)
                                  : member.name + " = " + ValueStop(member, stop);
  }
  double rank = member.required ? 0 : 1;
  if (!member.in_schema && !member.required) {
    rank = 2;  // what any block of the type has
  }
  if (member.deprecated) {
    rank = 4;
  }
  request.Add(std::move(item), rank - gain);
}

/// The addresses that providers of a module need, as entries of `required_providers`.
void AddRequiredProviders(CompletionRequest& request, const OpenBlock& block) {
  for (const std::string& name : request.names.Providers()) {
    if (name != "terraform" && std::ranges::find(block.names, name) == block.names.end()) {
      request.Add({.label = name,
                   .kind = CompletionKind::kProvider,
                   .insert = name + " = {\n  source  = \"${1:hashicorp/" + name +
                             "}\"\n  version = \"$2\"\n}",
                   .is_snippet = true},
                  1);
    }
  }
}

void AddWords(CompletionRequest& request, std::span<const std::string_view> words,
              CompletionKind kind) {
  for (const std::string_view word : words) {
    request.Add({.label = std::string(word), .kind = kind}, 1);
  }
}

bool ContainsWord(std::string_view name, std::string_view typed) {
  return typed.empty() || name.contains(typed);
}

struct TypedLabel {
  std::string_view block;
  ResourceMode mode;
  schema::TypeSet set;
};
constexpr TypedLabel kTypedLabels[] = {
    {"resource", ResourceMode::kManaged, schema::TypeSet::kResources},
    {"data", ResourceMode::kData, schema::TypeSet::kData},
    {"ephemeral", ResourceMode::kEphemeral, schema::TypeSet::kEphemeral},
    {"mock_resource", ResourceMode::kManaged, schema::TypeSet::kResources},
    {"mock_data", ResourceMode::kData, schema::TypeSet::kData},
};

/// The types of all providers that the module knows of.
std::vector<std::string> TypesOf(ModuleNames& names, schema::TypeSet set, std::string_view typed,
                                 Completions& out) {
  std::set<std::string> types;
  for (const std::string& provider : names.Providers()) {
    const schema::ProviderSchema* schema = names.SchemaOf(provider);
    if (schema == nullptr) {
      continue;
    }
    for (const std::string& type : *names.parts().schemas->Types(*schema, set)) {
      if (ContainsWord(type, typed)) {
        types.insert(type);
      }
    }
  }
  std::vector<std::string> list(types.begin(), types.end());
  if (list.size() > kMostTypes) {
    std::ranges::stable_partition(list,
                                  [&](const std::string& type) { return type.starts_with(typed); });
    list.resize(kMostTypes);
    out.is_complete = false;
  }
  return list;
}

/// Types of references to objects that are not declared: they may be what is being written. Those
/// with the name that the block has already come first.
std::map<std::string, double> MissingTypes(CompletionRequest& request, ResourceMode mode) {
  std::map<std::string, double> out;
  const auto module = request.names.parts().modules.find(request.names.directory());
  if (module == request.names.parts().modules.end()) {
    return out;
  }
  std::set<std::string_view> declared;
  request.names.ForEach([&](const Key& key, SymbolKind) { declared.insert(key); });
  std::string_view behind = request.text.substr(request.context.word.end);
  behind = behind.substr(0, behind.find('\n'));
  for (const auto& file : module->second.files) {
    for (const Use& use : file->uses) {
      const size_t dots = static_cast<size_t>(std::ranges::count(use.key, '.'));
      const bool is_data = use.key.starts_with("data.");
      if (!use.through.empty() || use.is_move || dots != (is_data ? 2U : 1U) ||
          is_data != (mode == ResourceMode::kData) || declared.contains(use.key)) {
        continue;
      }
      const std::string_view rest = std::string_view(use.key).substr(is_data ? 5 : 0);
      const std::string name = "\"" + std::string(rest.substr(rest.find('.') + 1)) + "\"";
      double& gain = out[std::string(rest.substr(0, rest.find('.')))];
      gain = std::max(gain, behind.contains(name) ? 10.0 : 1.0);
    }
  }
  return out;
}

/// The block behind the label of a type: the label of its name and what it must have.
std::string BehindType(const schema::ResourceSchema* schema) {
  int stop = 2;
  std::vector<Member> members;
  if (schema != nullptr) {
    members = MembersOfSchema(schema->block);
  }
  return "\" \"${1:name}\" " + BracesSnippet(members, stop);
}

void AddTypes(CompletionRequest& request, const TypedLabel& typed_label, std::string_view typed) {
  const std::vector<std::string> types =
      TypesOf(request.names, typed_label.set, typed, request.out);
  Completions& out = request.out;
  // The header is written out if it ends behind the label.
  std::string_view rest = request.text.substr(request.context.word.end);
  rest = rest.substr(0, rest.find('\n'));
  while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\r' || rest.back() == '\t')) {
    rest.remove_suffix(1);
  }
  const bool writes = request.context.in_quotes && (rest.empty() || rest == "\"") &&
                      !typed_label.block.starts_with("mock") && types.size() <= kMostWrittenTypes;
  if (writes) {
    out.replaced.end += static_cast<uint32_t>(rest.size());
  }
  std::set<std::string> used;
  request.names.ForEach(
      [&](const Key& key, SymbolKind) { used.insert(key.substr(0, key.find('.'))); });
  const auto missing = MissingTypes(request, typed_label.mode);
  for (const std::string& type : types) {
    const auto* schema = types.size() <= kMostWrittenTypes
                             ? request.names.ResourceSchemaOf(typed_label.mode, type, "")
                             : nullptr;
    Completion item{.label = type, .kind = CompletionKind::kType};
    if (schema != nullptr) {
      item.markdown = schema->block.description;
      item.is_deprecated = schema->block.deprecated;
    }
    item.insert = type;
    if (!request.context.in_quotes) {
      item.insert = "\"" + type + "\"";
    }
    if (writes) {
      item.insert = SnippetText(type) + BehindType(schema);
      item.is_snippet = true;
    }
    const auto gain = missing.find(type);
    request.Add(std::move(item),
                (used.contains(type) ? 0 : 1) - (gain == missing.end() ? 0 : gain->second));
  }
}

void AddDynamicTypes(CompletionRequest& request) {
  std::vector<OpenBlock> around = request.context.blocks;
  around.pop_back();
  const BodyPlace place = PlaceOfBody(request.names, request.file.kind, around);
  for (const std::string& type : MadeBlocks(place)) {
    request.Add({.label = type, .kind = CompletionKind::kBlock}, 1);
  }
}

}  // namespace

namespace {

/// What stands behind the word on its line, so that only an argument or only a block fits.
enum class Follows : uint8_t { kNothing, kValue, kBody };

Follows FollowsOf(const CompletionRequest& request) {
  std::string_view rest = request.text.substr(request.context.word.end);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (rest.starts_with('=')) {
    return Follows::kValue;
  }
  return rest.starts_with('{') || rest.starts_with('"') ? Follows::kBody : Follows::kNothing;
}

/// What stands around an item that is written.
class Neighbours {
 public:
  Neighbours(CompletionRequest& request, bool has_value) {
    const CursorContext& context = request.context;
    const std::string_view text = request.text;
    for (const std::string_view name :
         context.blocks.empty() ? std::vector<std::string_view>() : context.blocks.back().names) {
      if (static_cast<size_t>(name.data() - text.data()) < context.word.begin) {
        before_ = name;
      }
    }
    if (has_value) {
      value_ = text.substr(context.word.end);
      value_ = value_.substr(0, value_.find('\n'));
    }
    request.names.ForEach([&](const Key& key, SymbolKind kind) {
      if (kind == SymbolKind::kVariable || kind == SymbolKind::kLocal) {
        declared_.insert(std::string_view(key).substr(key.find('.') + 1));
      }
    });
  }

  /// The last item before it; empty if there is none.
  std::string_view before() const { return before_; }
  /// Ranks that an item gains because a value with its name is there: in the value that stands
  /// behind it already, or in the module.
  double GainOf(std::string_view name) const {
    double gain = declared_.contains(name) ? 0.5 : 0;
    for (size_t at = 0; at < value_.size();) {
      const size_t begin = value_.find_first_of(kLetters, at);
      if (begin == std::string_view::npos) {
        break;
      }
      at = std::min(value_.find_first_not_of(kLetters, begin), value_.size());
      gain = std::max(gain, 2 * Affinity(value_.substr(begin, at - begin), name));
    }
    return gain;
  }

 private:
  static constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  std::string_view before_;
  std::string_view value_;
  std::set<std::string_view> declared_;
};

/// What other blocks have in such a place, where no schema is known.
void AddSeenMembers(CompletionRequest& request, const std::set<std::string>& added,
                    const std::set<std::string_view>& present, Follows follows) {
  if (follows == Follows::kBody) {
    return;
  }
  for (const std::string& word : request.likely.in_same_bodies()) {
    if (!added.contains(word) && !present.contains(word)) {
      request.Add({.label = word,
                   .kind = CompletionKind::kArgument,
                   .insert = word + (request.context.at_line_end ? " = " : "")},
                  2);
    }
  }
}

/// Whether the body at the cursor has an argument of that name.
bool HasValue(const CompletionRequest& request, std::string_view name) {
  for (const std::string_view present : request.context.blocks.back().names) {
    if (present == name) {
      const auto end = static_cast<size_t>(present.data() - request.text.data()) + present.size();
      std::string_view rest = request.text.substr(std::min(end, request.text.size()));
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      return !rest.starts_with('{');
    }
  }
  return false;
}

/// The ways in which a member may be written at the cursor.
std::vector<Member> FormsOf(const CompletionRequest& request, const Member& member, bool is_present,
                            Follows follows) {
  std::vector<Member> out;
  if (!member.required && !member.optional) {
    return out;
  }
  const bool fits = follows != (member.is_block ? Follows::kValue : Follows::kBody);
  if (fits && (!is_present || member.repeatable)) {
    out.push_back(member);
  }
  // JSON syntax has one form, which is that of arguments.
  if (member.takes_blocks && follows != Follows::kValue && !IsJsonName(request.file.path) &&
      !HasValue(request, member.name)) {
    out.push_back(member);
    out.back().is_block = true;
  }
  return out;
}

}  // namespace

void CompleteItem(CompletionRequest& request) {
  const CursorContext& context = request.context;
  const BodyPlace place = PlaceOfBody(request.names, request.file.kind, context.blocks);
  if (!context.blocks.empty() && context.blocks.back().type == "required_providers") {
    return AddRequiredProviders(request, context.blocks.back());
  }
  std::set<std::string_view> present;
  if (!context.blocks.empty()) {
    present.insert(context.blocks.back().names.begin(), context.blocks.back().names.end());
  }
  const Follows follows = FollowsOf(request);
  const Neighbours neighbours(request, follows == Follows::kValue);
  std::set<std::string> added;
  const std::vector<Member> members = MembersOf(request.names, place);
  const auto before = std::ranges::find(members, neighbours.before(), &Member::name);
  for (const Member& member : members) {
    const std::vector<Member> forms =
        FormsOf(request, member, present.contains(member.name), follows);
    if (forms.empty() || !added.insert(member.name).second) {
      continue;
    }
    // Many write items in the order in which they are declared, which is that of the alphabet or
    // that of the called module.
    const auto distance = &member - members.data() - (before - members.begin());
    const bool is_next = before != members.end() && distance > 0;
    const double gain =
        (is_next ? 1.0 / static_cast<double>(distance) : 0) + neighbours.GainOf(member.name);
    for (const Member& form : forms) {
      AddMember(request, form, context.at_line_end, gain);
    }
  }
  if (place.nested) {
    AddSeenMembers(request, added, present, follows);
  }
}

void CompleteLabel(CompletionRequest& request, uint32_t offset) {
  const CursorContext& context = request.context;
  if (context.blocks.empty() || context.label > 0) {
    return;
  }
  const std::string_view block = context.blocks.back().type;
  for (const TypedLabel& typed : kTypedLabels) {
    if (typed.block == block) {
      return AddTypes(request, typed, request.typed(offset));
    }
  }
  if (block == "provider" || block == "mock_provider" || block == "provider_meta") {
    for (const std::string& name : request.names.Providers()) {
      if (name != "terraform") {
        request.Add({.label = name, .kind = CompletionKind::kProvider}, 1);
      }
    }
  } else if (block == "backend") {
    AddWords(request, BackendTypes(), CompletionKind::kType);
  } else if (block == "provisioner") {
    constexpr std::string_view kWords[] = {"file", "local-exec", "remote-exec"};
    AddWords(request, kWords, CompletionKind::kType);
  } else if (block == "key_provider") {
    constexpr std::string_view kWords[] = {"pbkdf2",  "aws_kms",  "gcp_kms",
                                           "openbao", "external", "azure_vault"};
    AddWords(request, kWords, CompletionKind::kType);
  } else if (block == "method") {
    constexpr std::string_view kWords[] = {"aes_gcm", "unencrypted", "external"};
    AddWords(request, kWords, CompletionKind::kType);
  } else if (block == "dynamic") {
    AddDynamicTypes(request);
  }
  if (!context.in_quotes) {
    for (Completion& item : request.out.items) {
      if (!item.insert.starts_with('"')) {
        item.insert = "\"" + item.insert + "\"";
      }
    }
  }
}

/// The members of an object that a schema describes one by one.
static void AddNested(CompletionRequest& request, const schema::NestedAttributes& nested) {
  const auto& keys = request.context.brackets.back().keys;
  for (const schema::Attribute& attribute : nested.attributes) {
    if ((attribute.required || attribute.optional) &&
        std::ranges::find(keys, attribute.name) == keys.end()) {
      AddMember(request, MemberOfAttribute(attribute), request.context.at_line_end, 0);
    }
  }
}

void CompleteKey(CompletionRequest& request) {
  const CursorContext& context = request.context;
  if (context.brackets.empty()) {
    return;
  }
  const auto& keys = context.brackets.back().keys;
  const auto add = [&](std::string_view name, const std::string& detail) {
    if (std::ranges::find(keys, name) == keys.end()) {
      request.Add({.label = std::string(name),
                   .kind = CompletionKind::kAttribute,
                   .detail = detail,
                   .insert = std::string(name) + (context.at_line_end ? " = " : "")},
                  1);
    }
  };
  if (!context.blocks.empty() && context.blocks.back().type == "required_providers") {
    for (const std::string_view name : {"source", "version", "configuration_aliases"}) {
      add(name, "");
    }
    return;
  }
  const auto argument = ArgumentAtCursor(request);
  if (argument && argument->kind == ValueKind::kProviders) {
    const BodyPlace place = PlaceOfBody(request.names, request.file.kind, context.blocks);
    if (!place.called.empty()) {
      ModuleNames inside(request.names.snapshot(), place.called, nullptr);
      for (const std::string& name : inside.Providers()) {
        if (name != "terraform") {
          add(name, "provider");
        }
      }
    }
    return;
  }
  const auto* nested = argument ? NestedAtCursor(*argument, context.brackets) : nullptr;
  if (nested != nullptr) {
    return AddNested(request, *nested);
  }
  const Type type = WantedType(context, argument, request.names);
  if (type.is_object()) {
    for (const ObjectAttribute& attribute : type.attributes()) {
      add(attribute.name, attribute.type.FriendlyName());
    }
  }
}

/// The other modules of the workspace, as sources.
void CompleteText(CompletionRequest& request) {
  const CursorContext& context = request.context;
  if (context.argument != "source" || context.blocks.empty() ||
      context.blocks.back().type != "module") {
    return;
  }
  const std::string& from = request.names.directory();
  for (const auto& [directory, module] : request.names.parts().modules) {
    if (directory == from) {
      continue;
    }
    // Up to the directory that both are in, then down.
    std::string common = from;
    std::string path;
    while (common != "/" && !directory.starts_with(common + "/") && directory != common) {
      common = DirName(common);
      path += "../";
    }
    if (common == "/") {
      continue;
    }
    path = path.empty() ? "./" : path;
    path += directory == common ? "" : directory.substr(common.size() + 1);
    if (path.size() > 3 && path.ends_with('/')) {
      path.pop_back();
    }
    request.Add({.label = path, .kind = CompletionKind::kPath}, path.starts_with("./") ? 0 : 1);
  }
}

}  // namespace kinu::ide
