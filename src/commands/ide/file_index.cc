#include "ide/file_index.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/files.h"
#include "config/config.h"
#include "config/reference_syntax.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "ide/argument_meaning.h"
#include "ide/file_indexer.h"
#include "ide/json_dynamic.h"

namespace kinu::ide {
namespace {

/// The blocks that may stand in a file, for the JSON syntax.
constexpr std::string_view kOneLabel[] = {"name"};
constexpr std::string_view kTwoLabels[] = {"type", "name"};
constexpr hcl::BlockSchema kConfigurationBlocks[] = {
    {"terraform", {}},
    {"provider", kOneLabel},
    {"variable", kOneLabel},
    {"locals", {}},
    {"output", kOneLabel},
    {"module", kOneLabel},
    {"resource", kTwoLabels},
    {"data", kTwoLabels},
    {"ephemeral", kTwoLabels},
    {"moved", {}},
    {"import", {}},
    {"check", kOneLabel},
    {"removed", {}},
    {"language", {}},
};
constexpr hcl::BlockSchema kTestBlocks[] = {
    {"run", kOneLabel},           {"variables", {}},         {"provider", kOneLabel},
    {"mock_provider", kOneLabel}, {"override_resource", {}}, {"override_data", {}},
    {"override_module", {}},
};

/// Blocks inside others that declare something or name variables.
constexpr hcl::BlockSchema kNestedBlocks[] = {
    {"variables", {}},
    {"module", {}},
    {"data", kTwoLabels},
};

bool IsNestedBlock(std::string_view around, std::string_view type) {
  return (around == "run" && (type == "variables" || type == "module")) ||
         (around == "check" && type == "data");
}

}  // namespace

void Indexer::Run() {
  if (file_.body == nullptr) {
    return;
  }
  if (file_.kind == FileKind::kVariables) {
    return Variables(*file_.body);
  }
  if (const hcl::NativeBody* native = file_.native()) {
    for (const hcl::NativeBlock& block : native->blocks) {
      const SourceFile* source = native->file;
      Block({.type = block.type,
             .labels = block.labels,
             .body = block.body.get(),
             .def_range = {source, block.type_begin, block.header_end()},
             .type_range = {source, block.type_begin, block.type_end()}},
            WholeOf(block));
    }
    return;
  }
  Diagnostics ignored;
  const bool is_test = file_.kind == FileKind::kTest;
  const hcl::BodyContent content = file_.body->Content(
      {.blocks = is_test ? std::span<const hcl::BlockSchema>(kTestBlocks) : kConfigurationBlocks},
      hcl::Strictness::kPartial, ignored);
  for (const hcl::Block& block : content.blocks) {
    Block(block, WholeOf(block));
  }
}

void Indexer::Variables(const hcl::Body& body) {
  Diagnostics ignored;
  for (const hcl::Attribute& attribute : body.JustAttributes({}, ignored)) {
    AddGiven(attribute.name, planned_, InsideQuotes(file_.text(), SpanOf(attribute.name_range)),
             SpanOf(attribute.range));
    if (attribute.expr != nullptr) {
      Expression(*attribute.expr);
    }
  }
}

void Indexer::GivenInFile(const hcl::Body& body) {
  const size_t first = file_.uses.size();
  Variables(body);
  for (size_t at = first; at < file_.uses.size(); ++at) {
    if (file_.uses[at].is_given) {
      given_in_file_.push_back(at);
    }
  }
}

void Indexer::Declare(Key key, SymbolKind kind, const hcl::Block& block, Span name, Span whole) {
  file_.declarations.push_back({.key = std::move(key),
                                .kind = kind,
                                .name = InsideQuotes(file_.text(), name),
                                .header = SpanOf(block.def_range),
                                .whole = whole,
                                .body = block.body});
}

namespace {

/// A block type whose name is its only label.
struct NamedBlock {
  std::string_view type;
  std::string_view prefix;
  SymbolKind kind;
};
constexpr NamedBlock kNamedBlocks[] = {
    {"variable", "var.", SymbolKind::kVariable}, {"output", "output.", SymbolKind::kOutput},
    {"module", "module.", SymbolKind::kModule},  {"check", "check.", SymbolKind::kCheck},
    {"run", "run.", SymbolKind::kRun},
};
struct TypedBlock {
  std::string_view type;
  ResourceMode mode;
  SymbolKind kind;
};
constexpr TypedBlock kTypedBlocks[] = {
    {"resource", ResourceMode::kManaged, SymbolKind::kResource},
    {"data", ResourceMode::kData, SymbolKind::kData},
    {"ephemeral", ResourceMode::kEphemeral, SymbolKind::kEphemeral},
};

/// The value of an argument that is a constant text, with its place.
std::optional<std::pair<std::string, Span>> ConstantArgument(const hcl::Body& body,
                                                             std::string_view name) {
  Diagnostics ignored;
  const hcl::AttributeSchema wanted[] = {{.name = name}};
  const hcl::BodyContent content =
      body.Content({.attributes = wanted}, hcl::Strictness::kPartial, ignored);
  const hcl::Attribute* found = content.Find(name);
  if (found == nullptr || found->expr == nullptr) {
    return std::nullopt;
  }
  const auto text = hcl::AsLiteralString(*found->expr);
  if (!text) {
    return std::nullopt;
  }
  return std::pair(std::string(*text), SpanOf(found->expr->range()));
}

}  // namespace

void Indexer::DeclareBlock(const hcl::Block& block, Span whole) {
  for (const NamedBlock& named : kNamedBlocks) {
    if (block.type == named.type && block.labels.size() == 1) {
      Declare(std::string(named.prefix) + std::string(block.labels[0]), named.kind, block,
              SpanOf(block.label_range(0)), whole);
    }
  }
  for (const TypedBlock& typed : kTypedBlocks) {
    if (block.type == typed.type && block.labels.size() == 2) {
      Declare(ResourceKey(typed.mode, block.labels[0], block.labels[1]), typed.kind, block,
              SpanOf(block.label_range(1)), whole);
    }
  }
  if ((block.type == "provider" || block.type == "mock_provider") && block.labels.size() == 1) {
    std::string key = "provider." + std::string(block.labels[0]);
    Span name = SpanOf(block.label_range(0));
    if (const auto alias = ConstantArgument(*block.body, "alias")) {
      key += "." + alias->first;
      name = alias->second;
    }
    Declare(std::move(key), SymbolKind::kProvider, block, name, whole);
  }
}

void Indexer::CallOf(const hcl::Block& block, Span whole) {
  ModuleCallSite call{.whole = whole};
  if (!block.labels.empty()) {
    call.name = std::string(block.labels[0]);
    call.name_span = InsideQuotes(file_.text(), SpanOf(block.label_range(0)));
  }
  if (auto source = ConstantArgument(*block.body, "source")) {
    call.source = std::move(source->first);
    call.source_span = InsideQuotes(file_.text(), source->second);
  }
  file_.calls.push_back(std::move(call));
}

void Indexer::Block(const hcl::Block& block, Span whole) {
  if (block.body == nullptr) {
    return;
  }
  DeclareBlock(block, whole);
  if (block.type == "locals") {
    return Locals(*block.body);
  }
  if (block.type == "variables" && file_.kind == FileKind::kTest) {
    return GivenInFile(*block.body);
  }
  if (block.type == "module") {
    CallOf(block, whole);
    call_ = block.labels.empty() ? "" : std::string(block.labels[0]);
  }
  if (block.type == "run" && file_.kind == FileKind::kTest) {
    return RunBlock(block);
  }
  is_move_ = block.type == "moved" || block.type == "removed";
  Body(block.type, *block.body);
  is_move_ = false;
  call_.clear();
}

void Indexer::RunBlock(const hcl::Block& block) {
  constexpr hcl::BlockSchema kModule[] = {{"module", {}}};
  Diagnostics ignored;
  const auto modules = block.body->Content({.blocks = kModule}, hcl::Strictness::kPartial, ignored);
  if (!modules.blocks.empty() && !block.labels.empty()) {
    planned_ = CallOfRun(file_.path, block.labels[0]);
  }
  Body(block.type, *block.body);
  planned_.clear();
}

void Indexer::NestedBlock(const hcl::Block& block, Span whole) {
  if (block.type == "data") {
    Block(block, whole);
  } else if (block.type == "variables") {
    Variables(*block.body);
  } else {
    CallOf({.type = block.type, .labels = {}, .body = block.body}, whole);
    file_.calls.back().run = planned_;
  }
}

void Indexer::Locals(const hcl::Body& body) {
  Diagnostics ignored;
  for (const hcl::Attribute& attribute : body.JustAttributes({}, ignored)) {
    const Span name = InsideQuotes(file_.text(), SpanOf(attribute.name_range));
    file_.declarations.push_back({.key = "local." + std::string(attribute.name),
                                  .kind = SymbolKind::kLocal,
                                  .name = name,
                                  .header = name,
                                  .whole = SpanOf(attribute.range),
                                  .value = attribute.expr});
    if (attribute.expr != nullptr) {
      Expression(*attribute.expr);
    }
  }
}

void Indexer::Body(std::string_view type, const hcl::Body& body) {
  if (!body.is_json()) {
    return NativeItems(type, static_cast<const hcl::NativeBody&>(body));
  }
  Diagnostics ignored;
  const auto nested = body.Content({.blocks = kNestedBlocks}, hcl::Strictness::kPartial, ignored);
  for (const hcl::Block& block : nested.blocks) {
    if (IsNestedBlock(type, block.type)) {
      NestedBlock(block, WholeOf(block));
    }
  }
  for (const hcl::Attribute& attribute : body.JustAttributes({}, ignored)) {
    if (attribute.expr == nullptr || IsNestedBlock(type, attribute.name)) {
      continue;
    }
    const bool is_input = !call_.empty() && type == "module" &&
                          std::ranges::find(config::kModuleMetaNames, attribute.name) ==
                              config::kModuleMetaNames.end();
    if (is_input) {
      AddGiven(attribute.name, call_, InsideQuotes(file_.text(), SpanOf(attribute.name_range)),
               SpanOf(attribute.range));
    }
    Argument(type, attribute.name, *attribute.expr);
  }
}

void Indexer::NativeItems(std::string_view type, const hcl::NativeBody& body) {
  for (const hcl::NativeAttribute& attribute : body.attributes) {
    if (!call_.empty() && type == "module" &&
        std::ranges::find(config::kModuleMetaNames, attribute.name.view()) ==
            config::kModuleMetaNames.end()) {
      AddGiven(attribute.name.view(), call_, {attribute.begin, attribute.name_end()},
               {attribute.begin, attribute.end});
    }
    if (attribute.expr.get() != nullptr) {
      Argument(type, attribute.name, *attribute.expr.get());
    }
  }
  for (const hcl::NativeBlock& block : body.blocks) {
    const std::string_view nested = block.type;
    if (IsNestedBlock(type, nested)) {
      NestedBlock({.type = nested,
                   .labels = block.labels,
                   .body = block.body.get(),
                   .def_range = {body.file, block.type_begin, block.header_end()},
                   .type_range = {body.file, block.type_begin, block.type_end()}},
                  WholeOf(block));
      continue;
    }
    if (type == "encryption" && in_encryption_ && IsNamedInEncryption(nested) &&
        block.labels.size() == 2) {
      const auto& labels = block.labels;
      DeclareInEncryption(nested, labels[0].text, labels[1].text, {labels[1].begin, labels[1].end},
                          WholeOf(block));
    }
    const size_t names = bound_.size();
    const bool was_in_encryption = in_encryption_;
    in_encryption_ = in_encryption_ || (type == "terraform" && nested == "encryption");
    if (nested == "dynamic" && !block.labels.empty()) {
      std::string_view iterator = block.labels[0].text.view();
      for (const hcl::NativeAttribute& attribute : block.body->attributes) {
        if (attribute.name.view() == "iterator" && attribute.expr.get() != nullptr) {
          if (const TraversalExpr* word = AsTraversalExpr(*attribute.expr.get())) {
            iterator = word->root.view();
          }
        }
      }
      bound_.push_back(iterator);
    }
    NativeItems(nested, *block.body);
    bound_.resize(names);
    in_encryption_ = was_in_encryption;
  }
}

void Indexer::DeclareInEncryption(std::string_view type, std::string_view label,
                                  std::string_view name, Span at, Span whole) {
  file_.declarations.push_back(
      {.key = std::string(type).append(".").append(label).append(".").append(name),
       .kind = SymbolKind::kOtherBlock,
       .name = InsideQuotes(file_.text(), at),
       .header = at,
       .whole = whole});
}

/// The names that `encryption` declares in the JSON syntax: below their types.
void Indexer::DeclareInEncryption(std::string_view type, const Expr& value) {
  const auto for_each = [](const Expr& object, const auto& visit) {
    if (object.kind == ExprKind::kJsonObject) {
      for (const hcl::ObjectItem& item : static_cast<const hcl::ObjectExpr&>(object).items) {
        visit(item, hcl::AsLiteralString(*item.key).value_or(""));
      }
    }
  };
  for_each(value, [&](const hcl::ObjectItem& label, std::string_view label_text) {
    for_each(*label.value, [&](const hcl::ObjectItem& name, std::string_view name_text) {
      const Span at = SpanOf(name.key->range());
      DeclareInEncryption(type, label_text, name_text, at,
                          {at.begin, SpanOf(name.value->range()).end});
    });
  });
}

void Indexer::Argument(std::string_view block, std::string_view name, const Expr& value) {
  switch (MeaningOf(block, name)) {
    case Meaning::kExpression:
      break;
    case Meaning::kAddress:
      return Address(value);
    case Meaning::kProvider:
      return Provider(value);
    case Meaning::kNothing:
      return block == "required_providers" ? DeclareAliases(value) : void();
  }
  if ((block == "dynamic" && name == "iterator") || JsonDynamicBlocks(name, value)) {
    return;
  }
  if (hcl::IsJsonExpr(value) &&
      (name == "depends_on" || name == "replace_triggered_by" || name == "expect_failures")) {
    return Address(value);
  }
  if (hcl::IsJsonExpr(value) &&
      (value.kind == ExprKind::kJsonObject || value.kind == ExprKind::kTuple)) {
    const bool was_in_encryption = in_encryption_;
    in_encryption_ = in_encryption_ || (block == "terraform" && name == "encryption");
    if (block == "encryption" && in_encryption_ && IsNamedInEncryption(name)) {
      DeclareInEncryption(name, value);
    }
    JsonItems(name, value);
    in_encryption_ = was_in_encryption;
    return;
  }
  Expression(value);
}

bool Indexer::JsonDynamicBlocks(std::string_view name, const Expr& value) {
  const std::vector<JsonDynamic> blocks = JsonDynamicsOf(name, value);
  for (const JsonDynamic& block : blocks) {
    if (block.for_each != nullptr) {
      Argument("dynamic", "for_each", *block.for_each);
    }
    bound_.push_back(block.iterator);
    for (const Expr* inside : block.inside) {
      JsonItems(block.label, *inside);
    }
    bound_.pop_back();
  }
  return !blocks.empty();
}

void Indexer::JsonItems(std::string_view type, const Expr& value) {
  if (value.kind == ExprKind::kTuple) {
    for (const Expr* element : static_cast<const hcl::TupleExpr&>(value).elements) {
      JsonItems(type, *element);
    }
    return;
  }
  if (value.kind != ExprKind::kJsonObject) {
    return Expression(value);
  }
  for (const hcl::ObjectItem& item : static_cast<const hcl::ObjectExpr&>(value).items) {
    const auto key = hcl::AsLiteralString(*item.key);
    Argument(type, key ? *key : std::string_view(), *item.value);
  }
}

std::string CallOfRun(std::string_view path, std::string_view run) {
  std::string out = "run " + std::string(run) + " of " + BaseName(std::string(path));
  std::ranges::replace(out, '.', ' ');  // which stands between calls
  return out;
}

std::string CallsOfTest(std::string_view path) {
  std::string out = "runs of " + BaseName(std::string(path));
  std::ranges::replace(out, '.', ' ');
  return out;
}

void IndexFile(ParsedFile& file) {
  Indexer indexer(file);
  indexer.Run();
  if (file.kind == FileKind::kTest) {
    indexer.ResolveRuns();
  }
  file.declarations.shrink_to_fit();  // most files stay as they are
  file.uses.shrink_to_fit();
}

}  // namespace kinu::ide
