// The names in expressions, addresses and words for providers.
#include <algorithm>
#include <utility>

#include "config/reference_syntax.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "ide/file_index.h"
#include "ide/file_indexer.h"

namespace kinu::ide {
namespace {

/// The bytes of the name in a step: without the dot.
Span NameOf(const TraversalExpr& traversal, const TraversalStep& step) {
  const Span span = SpanOf(traversal.step_range(step));
  return {std::min(span.begin + 1, span.end), span.end};
}

/// The calls, with one more behind them.
std::string Through(const std::string& calls, std::string_view name) {
  return calls + (calls.empty() ? "" : ".") + std::string(name);
}

}  // namespace

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
  if (in_encryption_ && IsNamedInEncryption(root) && steps.size() > 1) {
    std::string key(root);
    key.append(".").append(steps[0].name()).append(".").append(steps[1].name());
    return Add(std::move(key), "", NameOf(traversal, steps[1]), SpanOf(traversal.range()));
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

/// A word such as `aws.west`: its key, and where its last name stands.
std::pair<Key, Span> Indexer::ProviderNamed(const hcl::StaticTraversal& word) {
  Key key = "provider." + std::string(word.root);
  Span name = SpanOf(word.root_range);
  if (!word.steps.empty() && word.steps[0].kind == TraversalStep::Kind::kAttribute) {
    key.append(".").append(word.steps[0].name());
    const Span step = SpanOf({word.range.file, word.steps[0].begin, word.steps[0].end});
    name = {step.begin + 1, step.end};
  }
  return {std::move(key), name};
}

/// Configurations that a module gets from its callers, in an entry of `required_providers`.
void Indexer::DeclareAliases(const Expr& entry) {
  const auto items = hcl::AsMap(entry);
  if (!items) {
    return;
  }
  for (const hcl::ObjectItem& item : *items) {
    const bool is_native = !hcl::IsJsonExpr(*item.key);
    const std::string_view key =
        is_native ? hcl::KeyWord(*item.key) : hcl::AsLiteralString(*item.key).value_or("");
    const auto words = hcl::AsList(*item.value);
    if (key != "configuration_aliases" || !words) {
      continue;
    }
    for (const Expr* word : *words) {
      if (const auto found = hcl::AsTraversal(*word, *file_.tree)) {
        auto [name_key, name] = ProviderNamed(*found);
        file_.declarations.push_back({.key = std::move(name_key),
                                      .kind = SymbolKind::kProvider,
                                      .name = name,
                                      .header = name,
                                      .whole = SpanOf(found->range)});
      }
    }
  }
}

/// A provider with `for_each` whose key is an expression.
void Indexer::ProviderWithKey(const Expr& expr, const std::string& through) {
  if (expr.kind == ExprKind::kIndex) {
    const auto& index = static_cast<const hcl::IndexExpr&>(expr);
    ProviderWord(*index.collection, through);
    return Expression(*index.key);
  }
  const auto text = hcl::IsJsonExpr(expr) ? hcl::AsLiteralString(expr) : std::nullopt;
  if (text && text->contains('[')) {
    const SourceFile* inner =
        file_.tree->KeepSource(SourceFile::MakeTemplate(file_.source.get(), expr.begin, *text));
    Diagnostics ignored;
    const Expr* parsed = hcl::ParseExpression(inner, *file_.tree, ignored);
    if (parsed->kind == ExprKind::kIndex) {
      ProviderWithKey(*parsed, through);
    }
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
    return ProviderWithKey(*word, through);
  }
  auto [key, name] = ProviderNamed(*found);
  Add(std::move(key), through, name, SpanOf(found->range));
}

}  // namespace kinu::ide
