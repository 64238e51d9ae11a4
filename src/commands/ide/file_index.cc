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
#include "ide/json_dynamic.h"

namespace kinu::ide {
namespace {

using hcl::Expr;
using hcl::ExprKind;
using hcl::TraversalExpr;
using hcl::TraversalStep;

/// The bytes of the name in a step: without the dot.
Span NameOf(const TraversalExpr& traversal, const TraversalStep& step) {
  const Span span = SpanOf(traversal.step_range(step));
  return {std::min(span.begin + 1, span.end), span.end};
}

/// The calls, with one more behind them.
std::string Through(const std::string& calls, std::string_view name) {
  return calls + (calls.empty() ? "" : ".") + std::string(name);
}

Key ResourceKey(ResourceMode mode, std::string_view type, std::string_view name) {
  std::string key;
  switch (mode) {
    case ResourceMode::kManaged:
      break;
    case ResourceMode::kData:
      key = "data.";
      break;
    case ResourceMode::kEphemeral:
      key = "ephemeral.";
      break;
  }
  return key.append(type).append(".").append(name);
}

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

/// Walks one file.
class Indexer {
 public:
  explicit Indexer(ParsedFile& file) : file_(file) {}
  void Run();
  /// Of a test, after Run().
  void ResolveRuns();

 private:
  void Block(const hcl::Block& block, Span whole);
  void Declare(Key key, SymbolKind kind, const hcl::Block& block, Span name, Span whole);
  void DeclareBlock(const hcl::Block& block, Span whole);
  void Locals(const hcl::Body& body);
  void Variables(const hcl::Body& body);
  /// The values that a test gives in all of its runs.
  void GivenInFile(const hcl::Body& body);
  void CallOf(const hcl::Block& block, Span whole);
  /// A run of a test: what its blocks name is in the module that it plans.
  void RunBlock(const hcl::Block& block);
  /// A block for which IsNestedBlock() is true.
  void NestedBlock(const hcl::Block& block, Span whole);
  /// Arguments and blocks of a body that stands in a block of the type.
  void Body(std::string_view type, const hcl::Body& body);
  void NativeItems(std::string_view type, const hcl::NativeBody& body);
  void Argument(std::string_view block, std::string_view name, const Expr& value);
  /// The members of a JSON object that stands for blocks of the type.
  void JsonItems(std::string_view type, const Expr& value);
  /// False: the argument is no `dynamic` block of JSON syntax.
  bool JsonDynamicBlocks(std::string_view name, const Expr& value);

  void Expression(const Expr& expr);
  void Loop(const hcl::ForExpr& loop);
  void Traversal(const TraversalExpr& traversal);
  void RunSteps(const TraversalExpr& traversal);
  void Address(const Expr& expr);
  void AddressSteps(const TraversalExpr& traversal);
  void Provider(const Expr& expr);
  void ProviderWord(const Expr& expr, const std::string& through);
  void Add(Key key, std::string through, Span name, Span whole) {
    if (name.begin == name.end) {
      return;
    }
    file_.uses.push_back({std::move(key), std::move(through), name, whole, is_move_});
  }
  /// A value for a variable of the module behind the calls.
  void AddGiven(std::string_view variable, const std::string& through, Span name, Span whole) {
    if (name.begin != name.end) {
      file_.uses.push_back({.key = "var." + std::string(variable),
                            .through = through,
                            .name = name,
                            .whole = whole,
                            .is_given = true});
    }
  }
  const TraversalExpr* AsTraversalExpr(const Expr& expr) const {
    return expr.kind == ExprKind::kTraversal ? static_cast<const TraversalExpr*>(&expr) : nullptr;
  }
  /// The bytes of a block, to the end of the text if its closing brace is missing.
  Span WholeOf(const hcl::NativeBlock& block) const {
    const uint32_t end = std::max(block.close_brace + 1, block.header_end());
    return {block.type_begin, std::min(end, static_cast<uint32_t>(file_.text().size()))};
  }
  /// The bytes of a block of JSON syntax, from its last name on.
  static Span WholeOf(const hcl::Block& block) {
    const Span name = SpanOf(block.labels.empty() ? block.type_range
                                                  : block.label_range(block.labels.size() - 1));
    const Span end = SpanOf(block.body->MissingItemRange());
    return {name.begin, std::max(end.end, SpanOf(block.def_range).end)};
  }
  bool IsBound(std::string_view name) const {
    return std::ranges::find(bound_, name) != bound_.end();
  }

  ParsedFile& file_;
  std::vector<std::string_view> bound_;  // names of loops and iterators around
  std::string call_;                     // the call whose block is walked
  std::string planned_;                  // by the run that is walked: a call of its module
  bool is_move_ = false;                 // in a `moved` or `removed` block
  std::vector<size_t> given_in_file_;    // uses: values of a test for all of its runs
  std::vector<size_t> outputs_of_runs_;  // uses: outputs behind `run.NAME.`
};

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
    const size_t names = bound_.size();
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
  }
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
      return;
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
    return JsonItems(name, value);
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

void Indexer::Expression(const Expr& expr) {
  if (const TraversalExpr* traversal = AsTraversalExpr(expr)) {
    return Traversal(*traversal);
  }
  if (expr.kind == ExprKind::kFor) {
    return Loop(static_cast<const hcl::ForExpr&>(expr));
  }
  hcl::ForEachChild(expr, [&](const Expr& child) { Expression(child); });
}

void Indexer::Loop(const hcl::ForExpr& loop) {
  Expression(*loop.collection);
  const size_t names = bound_.size();
  if (!loop.key_name.empty()) {
    bound_.push_back(loop.key_name);
  }
  bound_.push_back(loop.value_name);
  for (const Expr* part : {loop.key_result, loop.value_result, loop.condition}) {
    if (part != nullptr) {
      Expression(*part);
    }
  }
  bound_.resize(names);
}

void Indexer::Traversal(const TraversalExpr& traversal) {
  if (IsBound(traversal.root.view())) {
    return;
  }
  const std::string_view root = traversal.root;
  const auto& steps = traversal.steps;
  if (file_.kind == FileKind::kTest && root == "run" && !steps.empty()) {
    return RunSteps(traversal);
  }
  const config::ParsedReference ref = config::ParseReference(traversal, nullptr);
  const Span whole = SpanOf(ref.range.valid() ? ref.range : traversal.range());
  switch (ref.kind) {
    case config::ReferenceKind::kVariable:
      return Add("var." + std::string(ref.name), planned_, NameOf(traversal, steps[0]), whole);
    case config::ReferenceKind::kLocal:
      return Add("local." + std::string(ref.name), planned_, NameOf(traversal, steps[0]), whole);
    case config::ReferenceKind::kResource: {
      const size_t at = ref.mode == ResourceMode::kManaged && root != "resource" ? 0 : 1;
      return Add(ResourceKey(ref.mode, ref.type, ref.name), planned_, NameOf(traversal, steps[at]),
                 whole);
    }
    case config::ReferenceKind::kModule:
      Add("module." + std::string(ref.name), planned_, NameOf(traversal, steps[0]), whole);
      for (const TraversalStep& step : steps.subspan(1)) {
        if (step.kind == TraversalStep::Kind::kAttribute) {
          return Add("output." + std::string(step.name()), Through(planned_, ref.name),
                     NameOf(traversal, step), whole);
        }
      }
      return;
    default:
      return;
  }
}

/// `run.NAME.OUTPUT`: the output is one of the module that the run plans.
void Indexer::RunSteps(const TraversalExpr& traversal) {
  const auto& steps = traversal.steps;
  const std::string run(steps[0].name());
  Add("run." + run, "", NameOf(traversal, steps[0]), SpanOf(traversal.range()));
  if (steps.size() > 1 && steps[1].kind == TraversalStep::Kind::kAttribute &&
      !steps[1].name().empty()) {
    outputs_of_runs_.push_back(file_.uses.size());
    Add("output." + std::string(steps[1].name()), CallOfRun(file_.path, run),
        NameOf(traversal, steps[1]), SpanOf(traversal.range()));
  }
}

/// Which runs plan other modules is known at the end.
void Indexer::ResolveRuns() {
  for (const size_t at : given_in_file_) {
    file_.uses[at].through = file_.calls.empty() ? "" : CallsOfTest(file_.path);
  }
  for (const size_t at : outputs_of_runs_) {
    Use& use = file_.uses[at];
    const auto planned = std::ranges::find(file_.calls, use.through, &ModuleCallSite::run);
    if (planned == file_.calls.end()) {
      use.through.clear();
    }
  }
}

void Indexer::Address(const Expr& expr) {
  if (expr.kind == ExprKind::kTuple) {
    for (const Expr* element : static_cast<const hcl::TupleExpr&>(expr).elements) {
      Address(*element);
    }
    return;
  }
  if (const TraversalExpr* traversal = AsTraversalExpr(expr)) {
    return AddressSteps(*traversal);
  }
  if (!hcl::IsJsonExpr(expr)) {
    return Expression(expr);  // keys that are no constants
  }
  if (const auto found = hcl::AsTraversal(expr, *file_.tree)) {
    // A traversal in a JSON string, whose offsets are those of the string.
    const auto& steps = found->steps;
    auto* copy =
        file_.tree->New<TraversalExpr>(ExprKind::kTraversal, found->range, PackedText(found->root),
                                       file_.tree->arena.CopySpan(steps), found->root_range.end);
    AddressSteps(*copy);
  }
}

/// The type and name in an address behind its modules.
void Indexer::AddressSteps(const TraversalExpr& traversal) {
  std::string through = planned_;
  const auto& steps = traversal.steps;
  const Span whole = SpanOf(traversal.range());
  std::string_view word = traversal.root;
  size_t next = 0;  // the step behind `word`
  const auto skip_keys = [&] {
    while (next < steps.size() && steps[next].kind != TraversalStep::Kind::kAttribute) {
      ++next;
    }
  };
  while (word == "module" && next < steps.size()) {
    const std::string name(steps[next].name());
    Add("module." + name, through, NameOf(traversal, steps[next]), whole);
    through = Through(through, name);
    ++next;
    skip_keys();
    if (next == steps.size()) {
      return;
    }
    word = steps[next++].name();
  }
  if ((word == "var" || word == "local" || word == "check" || word == "output") &&
      next < steps.size()) {
    return Add(std::string(word) + "." + std::string(steps[next].name()), through,
               NameOf(traversal, steps[next]), whole);
  }
  ResourceMode mode = ResourceMode::kManaged;
  if (word == "data" || word == "ephemeral" || word == "resource") {
    if (word == "data") {
      mode = ResourceMode::kData;
    } else if (word == "ephemeral") {
      mode = ResourceMode::kEphemeral;
    }
    if (next == steps.size()) {
      return;
    }
    word = steps[next++].name();
  }
  if (next < steps.size() && steps[next].kind == TraversalStep::Kind::kAttribute) {
    Add(ResourceKey(mode, word, steps[next].name()), through, NameOf(traversal, steps[next]),
        whole);
  }
}

void Indexer::Provider(const Expr& expr) {
  const auto items = hcl::AsMap(expr);
  if (!items) {
    return ProviderWord(expr, "");
  }
  for (const hcl::ObjectItem& item : *items) {
    ProviderWord(*item.key, call_.empty() ? planned_ : call_);
    ProviderWord(*item.value, "");
  }
}

void Indexer::ProviderWord(const Expr& expr, const std::string& through) {
  const Expr* word = &expr;
  if (expr.kind == ExprKind::kObjectKey) {
    word = static_cast<const hcl::ObjectKeyExpr&>(expr).wrapped;
  }
  if (word->kind == ExprKind::kObjectWord) {
    const auto& name = static_cast<const hcl::ObjectWordExpr&>(*word);
    return Add("provider." + std::string(name.name()), through, SpanOf(word->range()),
               SpanOf(word->range()));
  }
  const auto found = hcl::AsTraversal(*word, *file_.tree);
  if (!found) {
    return;
  }
  Key key = "provider." + std::string(found->root);
  Span name = SpanOf(found->root_range);
  if (!found->steps.empty() && found->steps[0].kind == TraversalStep::Kind::kAttribute) {
    key.append(".").append(found->steps[0].name());
    const Span step = SpanOf({found->range.file, found->steps[0].begin, found->steps[0].end});
    name = {step.begin + 1, step.end};
  }
  Add(std::move(key), through, name, SpanOf(found->range));
}

}  // namespace

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
