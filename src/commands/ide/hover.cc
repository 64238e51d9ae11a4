#include <algorithm>

#include "ide/answers.h"
#include "ide/completion_parts.h"
#include "ide/described_values.h"
#include "ide/function_signature.h"
#include "ide/json_context.h"
#include "ide/local_states.h"
#include "ide/names.h"
#include "ide/type_text.h"

namespace kinu::ide {
namespace {

/// A place that a hover is asked for.
struct HoverRequest {
  const ParsedFile& file;
  std::string_view text;  ///< that the spans of the context belong to
  CursorContext context;
  std::string_view word;
  ModuleNames& names;
  KnownTypes& types;
};

std::string CodeBlock(std::string_view code) {
  return "```hcl\n" + std::string(code) + "\n```\n";
}

void AddParagraph(std::string& out, std::string_view text) {
  if (!text.empty()) {
    out.append("\n").append(text).append("\n");
  }
}

std::string TypeLine(const Type& type, const lang::Defaults* defaults = nullptr) {
  return type.is_dynamic() ? std::string() : "Type: `" + TypeText(type, defaults) + "`";
}

/// An attribute of an object, and what it is in values that leave it out.
std::string DescribeTyped(std::string_view name, const Type& type,
                          const std::optional<std::string>& by_default) {
  std::string out = CodeBlock(std::string(name) + ": " + lang::TypeString(type));
  AddParagraph(out, by_default ? "Default: `" + *by_default + "`" : std::string());
  return out;
}

std::string DescribeMember(const Member& member) {
  std::string head = member.name;
  if (member.is_block) {
    for (const std::string_view label : member.labels) {
      head.append(" \"").append(label).append("\"");
    }
    head += " { }";
  } else {
    head += ": " + member.TypeText();
  }
  std::string out = CodeBlock(head);
  std::string_view presence = "Set by the provider.";
  if (member.required) {
    presence = "Required.";
  } else if (member.optional) {
    presence = member.computed ? "Optional; the provider sets it otherwise." : "Optional.";
  }
  std::string line(presence);
  line += member.sensitive ? " Sensitive." : "";
  line += member.deprecated ? " **Deprecated.**" : "";
  AddParagraph(out, line);
  AddParagraph(out, member.doc);
  return out;
}

std::string DescribeFunction(const FunctionSignature& function) {
  std::string out = CodeBlock(function.Label());
  AddParagraph(out, function.doc);
  for (const FunctionSignature::Parameter& parameter : function.parameters) {
    out += "\n- `" + parameter.name + "`: `" + lang::TypeString(parameter.type) + "`";
    out += parameter.doc.empty() ? "" : " " + parameter.doc;
  }
  AddParagraph(out, function.result.empty() ? "" : "Result: `" + function.result + "`");
  AddParagraph(out, function.example.empty() ? "" : "Example: `" + function.example + "`");
  return out;
}

/// The header of a declaration as it is written.
std::string HeaderOf(const ModuleNames::Found& found, const Key& key) {
  const Span header = found.declaration->header;
  const std::string_view text = found.file->text();
  if (found.declaration->kind == SymbolKind::kLocal || header.end > text.size() ||
      IsJsonName(found.file->path)) {
    return key;
  }
  return std::string(text.substr(header.begin, header.end - header.begin));
}

/// Values of objects, or of outputs, as states have them.
void AddStateValues(std::string& out, std::span<const StateValue> values) {
  constexpr size_t kMostShown = 5;
  const auto text_of = [](const StateValue& value) {
    return value.text.empty() ? std::string("sensitive, not shown") : "`" + value.text + "`";
  };
  if (values.size() == 1) {
    AddParagraph(out, "In the state: " + text_of(values[0]));
    return;
  }
  std::string list;
  for (const StateValue& value : values.first(std::min(values.size(), kMostShown))) {
    list += "\n- `" + value.address + "`: " + text_of(value);
  }
  if (values.size() > kMostShown) {
    list += "\n- and " + std::to_string(values.size() - kMostShown) + " more";
  }
  AddParagraph(out, list.empty() ? list : "In the state:\n" + list);
}

std::string DescribeCall(ModuleNames& names, const ModuleNames::Found& found, const Key& key) {
  std::string out;
  const Declaration& declaration = *found.declaration;
  AddParagraph(out, "Source: `" + ModuleNames::TextOf(declaration, "source").value_or("?") + "`");
  if (const auto version = ModuleNames::TextOf(declaration, "version")) {
    AddParagraph(out, "Version: `" + *version + "`");
  }
  const auto directory = names.Called(key.substr(key.find('.') + 1));
  if (!directory) {
    return out;
  }
  ModuleNames inside(names.snapshot(), *directory, nullptr);
  for (const Member& member : VariablesAsMembers(inside)) {
    out += "\n- `" + member.name + "`: `" + member.TypeText() + "`";
    out += member.required ? ", required" : "";
  }
  return out + "\n";
}

/// What a name of a module is.
std::string DescribeKey(ModuleNames& names, KnownTypes& types, const Key& key) {
  const ModuleNames::Found found = names.Find(key);
  if (!found) {
    return {};
  }
  const Declaration& declaration = *found.declaration;
  std::string out = CodeBlock(HeaderOf(found, key));
  switch (declaration.kind) {
    case SymbolKind::kVariable: {
      const lang::TypeConstraint constraint = types.ConstraintOf(key.substr(key.find('.') + 1));
      AddParagraph(out, TypeLine(constraint.type, constraint.defaults.get()));
      break;
    }
    case SymbolKind::kOutput:
      AddParagraph(out, TypeLine(types.OfDeclared(key)));
      AddStateValues(out, OutputsInStates(names, key.substr(key.find('.') + 1)));
      break;
    case SymbolKind::kLocal:
      AddParagraph(out, TypeLine(types.OfDeclared(key)));
      break;
    case SymbolKind::kModule:
      out += DescribeCall(names, found, key);
      break;
    default:
      break;
  }
  AddParagraph(out, ModuleNames::TextOf(declaration, "description").value_or(""));
  if (IsSensitive(declaration)) {
    AddParagraph(out, "Sensitive: its value is not shown.");
  } else if (const auto value = ValueOf(names, key)) {
    std::string origin = value->origin;
    origin[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(origin[0])));
    AddParagraph(out, (origin.contains('.') ? "In `" + value->origin + "`" : origin) + ": `" +
                          value->text + "`");
  }
  if (ModuleNames::ArgumentOf(declaration, "deprecated") != nullptr) {
    AddParagraph(out,
                 "**Deprecated.** " + ModuleNames::TextOf(declaration, "deprecated").value_or(""));
  }
  return out;
}

std::string DescribeType(const schema::ResourceSchema* schema, std::string_view type) {
  if (schema == nullptr) {
    return {};
  }
  std::string out = CodeBlock(type);
  AddParagraph(out, schema->block.description);
  AddParagraph(out, schema->block.deprecated
                        ? "**Deprecated.** " + schema->block.deprecation_message
                        : std::string());
  return out;
}

std::string DescribeAttribute(HoverRequest& request, std::span<const PathStep> path) {
  const auto before = path.first(path.size() - 1);
  if (const schema::Block* block = request.types.BlockOfPath(before)) {
    if (const schema::Attribute* attribute = block->FindAttribute(path.back().name)) {
      return DescribeMember(MemberOfAttribute(*attribute));
    }
  }
  const Type type = request.types.OfPath(path, &request.context, request.text);
  if (type.is_dynamic()) {
    return {};
  }
  return DescribeTyped(path.back().name, type,
                       request.types.DefaultOfPath(path, request.context, request.text));
}

/// An output of a called module, for `module.m.o` and `module.m[0].o`.
std::string DescribeOutput(HoverRequest& request, std::span<const PathStep> path) {
  const size_t last = path.size() - 1;
  const bool is_output = path.size() >= 3 && path[0].name == "module" &&
                         std::ranges::all_of(path.subspan(2, last - 2), &PathStep::is_index);
  const auto directory = is_output ? request.names.Called(std::string(path[1].name)) : std::nullopt;
  if (!directory) {
    return {};
  }
  ModuleNames inside(request.names.snapshot(), *directory, nullptr);
  KnownTypes types(inside);
  return DescribeKey(inside, types, "output." + std::string(path[last].name));
}

std::string DescribeReference(HoverRequest& request) {
  std::vector<PathStep> path = request.context.path;
  path.push_back({.name = request.word});
  const bool is_bound = std::ranges::any_of(
      request.context.bound, [&](const BoundName& name) { return name.name == path[0].name; });
  if (!is_bound) {
    if (path.size() == 1) {
      return DescribeType(request.names.ResourceSchemaOf(ResourceMode::kManaged, request.word, ""),
                          request.word);
    }
    if (path.size() == 2 && path[0].name == "data") {
      return DescribeType(request.names.ResourceSchemaOf(ResourceMode::kData, request.word, ""),
                          request.word);
    }
    if (const Key key = KeyOfPath(path); !key.empty()) {
      std::string out = DescribeKey(request.names, request.types, key);
      if (!out.empty()) {
        return out;
      }
    }
    if (std::string output = DescribeOutput(request, path); !output.empty()) {
      return output;
    }
  }
  std::string out = DescribeAttribute(request, path);
  if (!out.empty() && !is_bound) {
    AddStateValues(out, ValuesInStates(request.names, path));
  }
  return out;
}

/// How references name an argument of a block.
std::vector<PathStep> PathInto(const OpenBlock& block, std::string_view argument) {
  std::vector<PathStep> path;
  if (block.type == "data") {
    path.push_back({.name = block.type});
  } else if (block.type != "resource") {
    return path;
  }
  path.push_back({.name = block.labels[0]});
  path.push_back({.name = block.labels[1]});
  path.push_back({.name = argument});
  return path;
}

std::string DescribeItem(HoverRequest& request) {
  const auto& blocks = request.context.blocks;
  if (!blocks.empty() && blocks.back().type == "locals") {
    return DescribeKey(request.names, request.types, "local." + std::string(request.word));
  }
  const BodyPlace place = PlaceOfBody(request.names, request.file.kind, blocks);
  const auto member = FindMember(request.names, place, request.word);
  if (!member) {
    return {};
  }
  std::string out = DescribeMember(*member);
  if (blocks.size() == 1 && blocks[0].labels.size() == 2) {
    AddStateValues(out, ValuesInStates(request.names, PathInto(blocks[0], request.word)));
  }
  return out;
}

std::string DescribeLabel(HoverRequest& request) {
  const OpenBlock& block = request.context.blocks.back();
  const std::string_view type = block.type;
  if (request.context.label == 0 && (type == "resource" || type == "data" || type == "ephemeral")) {
    ResourceMode mode = ResourceMode::kManaged;
    if (type != "resource") {
      mode = type == "data" ? ResourceMode::kData : ResourceMode::kEphemeral;
    }
    return DescribeType(request.names.ResourceSchemaOf(mode, request.word, ""), request.word);
  }
  std::vector<std::string_view> labels = block.labels;
  labels.resize(std::min(labels.size(), request.context.label));
  labels.push_back(request.word);
  return DescribeKey(request.names, request.types, KeyOfBlock(type, labels));
}

std::string DescribeObjectKey(HoverRequest& request, CompletionRequest& completion) {
  const auto argument = ArgumentAtCursor(completion);
  if (const auto* nested =
          argument ? NestedAtCursor(*argument, request.context.brackets) : nullptr) {
    const schema::Attribute* attribute = nested->Find(request.word);
    return attribute == nullptr ? "" : DescribeMember(MemberOfAttribute(*attribute));
  }
  const Type type =
      StepInto(WantedType(request.context, argument, request.names), {.name = request.word});
  if (type.is_dynamic()) {
    return {};
  }
  std::vector<PathStep> steps;
  for (const OpenBracket& bracket : request.context.brackets) {
    if (bracket.kind == OpenBracket::Kind::kCall) {
      return DescribeTyped(request.word, type, std::nullopt);
    }
    if (bracket.kind != OpenBracket::Kind::kParentheses &&
        &bracket != &request.context.brackets.back()) {
      steps.push_back({.name = bracket.key, .is_index = bracket.kind == OpenBracket::Kind::kTuple});
    }
  }
  steps.push_back({.name = request.word});
  const lang::Defaults* defaults = argument ? argument->defaults.get() : nullptr;
  return DescribeTyped(request.word, type, DefaultText(defaults, steps));
}

std::string Describe(HoverRequest& request) {
  switch (request.context.place) {
    case CursorContext::Place::kItem:
      return DescribeItem(request);
    case CursorContext::Place::kLabel:
      return request.context.blocks.empty() ? std::string() : DescribeLabel(request);
    case CursorContext::Place::kExpression: {
      const std::string_view rest = request.text.substr(request.context.word.end);
      if (rest.starts_with("(")) {
        const auto function =
            FindFunction(request.names, request.context.namespaces + std::string(request.word));
        return function ? DescribeFunction(*function) : std::string();
      }
      return DescribeReference(request);
    }
    case CursorContext::Place::kKey: {
      Completions unused;
      const LikelyWords unlikely;
      CompletionRequest completion{.file = request.file,
                                   .text = request.text,
                                   .context = request.context,
                                   .names = request.names,
                                   .types = request.types,
                                   .likely = unlikely,
                                   .out = unused};
      return DescribeObjectKey(request, completion);
    }
    case CursorContext::Place::kText:
    case CursorContext::Place::kNothing:
      return {};
  }
  return {};
}

/// Of a file in JSON syntax: the name of a member.
std::optional<Hover> HoverOfMember(const Snapshot& snapshot, const ParsedFile& file,
                                   const Cursor& cursor) {
  ModuleNames names(snapshot, snapshot.parts().ModuleOf(cursor.path), &file);
  KnownTypes types(names);
  JsonContext place = JsonContextAt(names, file.kind, file.text(), cursor.offset);
  const Span word = place.context.word;
  if (place.context.place == CursorContext::Place::kText || word.begin == word.end) {
    return std::nullopt;
  }
  HoverRequest request{.file = file,
                       .text = file.text(),
                       .context = std::move(place.context),
                       .word = file.text().substr(word.begin, word.end - word.begin),
                       .names = names,
                       .types = types};
  std::string markdown = Describe(request);
  return markdown.empty() ? std::nullopt : std::optional(Hover{word, std::move(markdown)});
}

/// Of a file in JSON syntax: the references that its index has.
std::optional<Hover> HoverInIndex(const Snapshot& snapshot, const ParsedFile& file,
                                  const Cursor& cursor) {
  const Snapshot::Parts& parts = snapshot.parts();
  for (const Use& use : file.uses) {
    if (!use.name.Touches(cursor.offset)) {
      continue;
    }
    for (const std::string& directory : parts.Follow(parts.ModuleOf(file.path), use.through)) {
      ModuleNames names(snapshot, directory, &file);
      KnownTypes types(names);
      std::string markdown = DescribeKey(names, types, use.key);
      if (!markdown.empty()) {
        return Hover{use.name, std::move(markdown)};
      }
    }
  }
  return std::nullopt;
}

/// Of a file in JSON syntax: names in a sequence of a string.
std::optional<Hover> HoverInSequence(const Snapshot& snapshot, const ParsedFile& file,
                                     const Cursor& cursor) {
  const Span span = NameAround(file.text(), cursor.offset);
  if (span.begin == span.end || !SequenceAt(file.text(), span.end)) {
    return std::nullopt;
  }
  ModuleNames names(snapshot, snapshot.parts().ModuleOf(cursor.path), &file);
  KnownTypes types(names);
  auto sequence = SequenceAt(names, file.kind, file.text(), span.end);
  HoverRequest request{.file = file,
                       .text = sequence->embedded->text,
                       .context = std::move(sequence->context),
                       .word = file.text().substr(span.begin, span.end - span.begin),
                       .names = names,
                       .types = types};
  std::string markdown = Describe(request);
  return markdown.empty() ? std::nullopt : std::optional(Hover{span, std::move(markdown)});
}

}  // namespace

std::optional<Hover> HoverAt(const Snapshot& snapshot, const Cursor& cursor) {
  const ParsedFile* file = snapshot.parts().Find(cursor.path);
  if (file == nullptr || file->kind == FileKind::kOther || cursor.offset > file->text().size()) {
    return std::nullopt;
  }
  if (IsJsonName(cursor.path)) {
    auto hover = HoverInIndex(snapshot, *file, cursor);
    if (!hover) {
      hover = HoverInSequence(snapshot, *file, cursor);
    }
    return hover ? std::move(hover) : HoverOfMember(snapshot, *file, cursor);
  }
  const Span span = NameAround(file->text(), cursor.offset);
  if (span.begin == span.end) {
    return std::nullopt;
  }
  CursorContext context = ContextAt(file->text(), span.end);
  ModuleNames names(snapshot, DirectoryOfNames(snapshot.parts(), *file, context), file);
  KnownTypes types(names);
  HoverRequest request{.file = *file,
                       .text = file->text(),
                       .context = std::move(context),
                       .word = file->text().substr(span.begin, span.end - span.begin),
                       .names = names,
                       .types = types};
  std::string markdown = Describe(request);
  if (markdown.empty()) {
    return std::nullopt;
  }
  return Hover{span, std::move(markdown)};
}

}  // namespace kinu::ide
