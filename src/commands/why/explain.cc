#include "why/explain.h"

#include <algorithm>
#include <array>

#include "base/files.h"
#include "lang/eval.h"
#include "plan_json/value.h"
#include "why/explainer.h"

namespace kinu::why {

using config::ReferenceKind;

namespace {

constexpr std::array<std::string_view, 32> kKindNames = {
    "object",      "attribute",   "local",     "output",     "argument",
    "repetition",  "replacement", "trigger",   "dependency", "edited_argument",
    "variable",    "file",        "workspace", "impure",     "drift",
    "gone",        "data",        "provider",  "requested",  "tainted",
    "moved",       "imported",    "new_block", "no_block",   "removed_block",
    "no_module",   "new_key",     "no_key",    "destroy",    "deposed",
    "sensitivity", "not_known"};

/// Functions whose results depend on files, with their first argument.
constexpr std::string_view kFileFunctions[] = {
    "file",    "filebase64", "filebase64sha256", "filebase64sha512", "fileexists",  "filemd5",
    "fileset", "filesha1",   "filesha256",       "filesha512",       "templatefile"};
constexpr std::string_view kImpureFunctions[] = {"bcrypt", "plantimestamp", "timestamp", "uuid"};

/// The name of a function without its namespace.
std::string_view PlainName(std::string_view name) {
  const size_t at = name.rfind(':');
  return at == std::string_view::npos ? name : name.substr(at + 1);
}

}  // namespace

std::string_view KindName(CauseKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}

bool IsRoot(CauseKind kind) {
  return kind >= CauseKind::kEdited;
}

Explanation Explain(const Request& request, const Wanted& wanted) {
  return Explainer(request).Run(wanted);
}

Explainer::Explainer(const Request& request)
    : request_(request),
      program_(*request.config.program),
      objects_(request.plan, request.schemas),
      now_(request.plan, request.config, objects_, false),
      then_(request.plan, request.config, objects_, true) {
}

Explainer::Made Explainer::Make(const std::string& key, Cause cause) {
  if (const auto found = made_.find(key); found != made_.end()) {
    return {found->second, false};
  }
  const auto at = static_cast<uint32_t>(out_.causes.size());
  made_[key] = at;
  out_.causes.push_back(std::move(cause));
  return {at, true};
}

uint32_t Explainer::Leaf(const std::string& key, Cause cause, Causes& causes) {
  const uint32_t at = Make(key, std::move(cause)).at;
  if (std::ranges::find(causes, at) == causes.end()) {
    causes.push_back(at);
  }
  return at;
}

void Explainer::SetCauses(uint32_t at, Causes causes) {
  out_.causes[at].causes = std::move(causes);
}

template <typename FollowCauses>
void Explainer::Named(const std::string& key, Cause cause, Search search, Causes& causes,
                      FollowCauses&& follow) {
  const std::string full = key + (search == Search::kKnown ? "|k" : "|p");
  if (pruned_.contains(full)) {
    return;
  }
  const Made made = Make(full, std::move(cause));
  if (made.is_new) {
    Causes below;
    follow(below);
    if (below.empty()) {
      pruned_.insert(full);
    }
    out_.causes[made.at].certain =
        search == Search::kKnown || (compares() && std::ranges::any_of(below, [&](uint32_t at) {
                                       return out_.causes[at].certain;
                                     }));
    SetCauses(made.at, std::move(below));
  }
  if (!pruned_.contains(full) && std::ranges::find(causes, made.at) == causes.end()) {
    causes.push_back(made.at);
  }
}

bool Explainer::IsSensitive(const Value& value) {
  return value.ContainsMarked() && (value.MarksDeep().sensitive() || value.MarksDeep().ephemeral());
}

bool Explainer::Differ(const Value& a, const Value& b) {
  return !a.IsWhollyKnown() || !b.IsWhollyKnown() ||
         !Value::RawEquals(a.UnmarkDeep(), b.UnmarkDeep());
}

void Explainer::SetValues(Cause& cause, const Value& before, const Value& after, bool hidden) {
  const bool secret = hidden || IsSensitive(before) || IsSensitive(after);
  const auto text = [&](const Value& value) -> std::string {
    if (!value.IsWhollyKnown()) {
      return "(known after apply)";
    }
    return secret ? "(sensitive value)" : view::ValueText(value.UnmarkDeep());
  };
  cause.before = text(before);
  cause.after = text(after);
}

void Explainer::Describe(Cause& cause, const Argument& argument, bool hidden) const {
  cause.range = argument.range;
  const bool secret = hidden || std::ranges::any_of(argument.calls, [](const hcl::CallExpr* call) {
                        return PlainName(call->name) == "sensitive";
                      });
  if (!secret) {
    cause.text = argument.text.substr(0, argument.text.find('\n'));
  }
}

std::string Explainer::NameIn(ModuleInstId module, std::string_view name) const {
  const std::string prefix = program_.ToText(module);
  return prefix.empty() ? std::string(name) : prefix + "." + std::string(name);
}

const config::ConfigNode* Explainer::EarlierNode(ModuleInstId module) const {
  return compares() ? request_.earlier.config->Find(program_.ModuleOf(module)) : nullptr;
}

void Explainer::AddEdited(const Subject& subject, Causes& causes) {
  if (compares() && subject.earlier == subject.argument.text) {
    return;
  }
  Cause cause{.kind = CauseKind::kEdited,
              .certain = compares(),
              .address = subject.address,
              .path = subject.path};
  Describe(cause, subject.argument, subject.hidden);
  if (compares() && !subject.earlier) {
    cause.note = "added";
  }
  Leaf("e|" + subject.address + "|" + subject.path, std::move(cause), causes);
}

void Explainer::Follow(const Subject& subject, Search search, Causes& causes) {
  if (search == Search::kPossible) {
    AddEdited(subject, causes);
    FollowCalls(subject, causes);
  }
  for (const hcl::TraversalExpr* traversal : subject.argument.traversals) {
    ++out_.steps;
    FollowReference(subject, *traversal, search, causes);
  }
}

void Explainer::FollowCalls(const Subject& subject, Causes& causes) {
  for (const hcl::CallExpr* call : subject.argument.calls) {
    const std::string_view name = PlainName(call->name);
    const bool reads = std::ranges::find(kFileFunctions, name) != std::end(kFileFunctions);
    if (!reads && std::ranges::find(kImpureFunctions, name) == std::end(kImpureFunctions)) {
      continue;
    }
    Cause cause{.kind = reads ? CauseKind::kFile : CauseKind::kImpure, .certain = false};
    cause.range = call->range();
    cause.note = std::string(name);
    if (reads && !call->arguments.empty()) {
      const Value path = now_.Of(*call->arguments[0], subject.place);
      const bool shown = !subject.hidden && !IsSensitive(path) && path.IsKnown() &&
                         !path.IsNull() && path.kind() == TypeKind::kString;
      cause.address = shown ? std::string(path.AsString()) : "";
    }
    if (reads && IsSameFile(cause)) {
      continue;
    }
    const std::string place = cause.address.empty() ? ToText(cause.range) : cause.address;
    Leaf("f|" + std::string(name) + "|" + place, std::move(cause), causes);
  }
}

/// Whether the file of a cause is the same in the earlier directory. Where that is known and it is
/// not, the cause becomes certain.
bool Explainer::IsSameFile(Cause& cause) const {
  const std::string_view directory = request_.earlier.directory;
  if (directory.empty() || cause.address.empty() || cause.address.starts_with('/')) {
    return false;
  }
  const auto now = ReadFile(cause.address);
  const auto before = ReadFile(std::string(directory) + "/" + cause.address);
  const bool same = now && before && *now == *before;
  cause.certain = !same && (now || before);
  return same;
}

void Explainer::FollowReference(const Subject& subject, const hcl::TraversalExpr& traversal,
                                Search search, Causes& causes) {
  const config::ConfigNode* node = now_.NodeOf(subject.place.module);
  if (node == nullptr) {
    return;
  }
  const config::Reference& ref = config::BindReference(program_, *node->module, traversal);
  const auto index = static_cast<size_t>(ref.index);
  switch (ref.kind) {
    case ReferenceKind::kCountIndex:
    case ReferenceKind::kEachKey:
    case ReferenceKind::kEachValue:
      // The index or key of an instance is its own, whatever the others are.
      if (subject.place.repetition != nullptr &&
          ((search == Search::kPossible && ref.kind == ReferenceKind::kEachValue) ||
           Differ(now_.OfTraversal(ref, traversal, subject.place),
                  then_.OfTraversal(ref, traversal, subject.place)))) {
        FollowRepetition(subject.place, subject.address, subject.hidden, search, causes);
      }
      return;
    case ReferenceKind::kWorkspace:
      if (search == Search::kPossible) {
        Leaf("w",
             {.kind = CauseKind::kWorkspace,
              .certain = false,
              .address = "terraform.workspace",
              .range = traversal.range()},
             causes);
      }
      return;
    case ReferenceKind::kVariable:
    case ReferenceKind::kLocal:
    case ReferenceKind::kModule:
    case ReferenceKind::kResource:
      break;
    default:
      return;
  }
  if (ref.index < 0) {
    return;
  }
  const bool differs =
      search == Search::kPossible || Differ(now_.OfTraversal(ref, traversal, subject.place),
                                            then_.OfTraversal(ref, traversal, subject.place));
  if (!differs) {
    return;
  }
  if (ref.kind == ReferenceKind::kVariable) {
    FollowVariable(subject, *node, index, search, causes);
  } else if (ref.kind == ReferenceKind::kLocal) {
    FollowLocal(subject, *node, index, search, causes);
  } else if (ref.kind == ReferenceKind::kModule) {
    FollowModule(subject, *node, ref, search, causes);
  } else if (search == Search::kKnown) {
    FollowObject(subject, ref, traversal, causes);
  }
}

void Explainer::FollowObject(const Subject& subject, const config::Reference& ref,
                             const hcl::TraversalExpr& traversal, Causes& causes) {
  const config::ConfigNode* node = now_.NodeOf(subject.place.module);
  const AbsResource resource{subject.place.module,
                             node->module->resources[static_cast<size_t>(ref.index)].name};
  const auto steps = traversal.steps.subspan(ref.consumed);
  if (ref.has_key) {
    FollowInstance({resource, ref.key}, steps.subspan(1), causes);
    return;
  }
  if (const IndexedAccess* access = subject.argument.IndexAfter(&traversal);
      access != nullptr && steps.empty()) {
    const Value key = now_.Of(*access->key, subject.place).UnmarkDeep();
    if (key.IsKnown() && !key.IsNull()) {
      if (key.kind() == TypeKind::kString) {
        const InstanceKey text = InstanceKey::String(program_.Intern(key.AsString()));
        FollowInstance({resource, text}, access->steps, causes);
        return;
      }
      if (key.kind() == TypeKind::kNumber && key.AsInt64()) {
        FollowInstance({resource, InstanceKey::Int(*key.AsInt64())}, access->steps, causes);
        return;
      }
    }
  }
  for (const PlannedObject& object : objects_.Of(resource)) {
    ++out_.steps;
    const bool single = object.key.none();
    if (Differ(object.now, object.earlier)) {
      FollowInstance({resource, object.key}, single ? steps : steps.first(0), causes);
    }
  }
}

/// One object that an expression reads, or the attribute of it that it reads.
void Explainer::FollowInstance(const ResourceInstance& address,
                               std::span<const hcl::TraversalStep> steps, Causes& causes) {
  std::optional<uint32_t> cause;
  if (!steps.empty() && steps[0].kind == hcl::TraversalStep::Kind::kAttribute) {
    const PlannedObject* object = objects_.Find(address);
    const auto part = [&](const Value& whole) {
      const Value* found = whole.IsNull() || !whole.IsKnown() || !whole.type().is_object()
                               ? nullptr
                               : whole.Find(steps[0].name());
      return found == nullptr ? Value() : *found;
    };
    if (object != nullptr && Differ(part(object->now), part(object->earlier))) {
      cause = OfAttribute(address, steps[0].name());
    }
  } else {
    cause = OfObject(address);
  }
  if (cause && std::ranges::find(causes, *cause) == causes.end()) {
    causes.push_back(*cause);
  }
}

void Explainer::FollowLocal(const Subject& subject, const config::ConfigNode& node, size_t local,
                            Search search, Causes& causes) {
  const config::Local& block = node.module->locals[local];
  const ModuleInstId module = subject.place.module;
  const Value value = now_.OfLocal(module, node, local);
  const bool hidden = subject.hidden || IsSensitive(value);
  const Argument argument = ArgumentOf(*block.expr);
  Cause cause{.kind = CauseKind::kLocal,
              .address = NameIn(module, "local." + std::string(program_.Text(block.name)))};
  Describe(cause, argument, hidden);
  if (search == Search::kKnown) {
    SetValues(cause, then_.OfLocal(module, node, local), value, hidden);
  }
  const std::string address = cause.address;
  Named("l|" + address + (hidden ? "|h" : ""), std::move(cause), search, causes,
        [&](Causes& below) {
          std::optional<std::string> earlier;
          if (const config::ConfigNode* before = EarlierNode(module)) {
            if (const int at = before->module->FindLocal(block.name); at >= 0) {
              earlier = ArgumentOf(*before->module->locals[static_cast<size_t>(at)].expr).text;
            }
          }
          const Place place{.module = module};
          Follow({argument, place, address, "", earlier, hidden}, search, below);
        });
}

void Explainer::FollowOutput(ModuleInstId module, const config::ConfigNode& node, size_t output,
                             bool hidden_before, Search search, Causes& causes) {
  const config::Output& block = node.module->outputs[output];
  if (block.expr == nullptr) {
    return;
  }
  const Value value = now_.OfOutput(module, node, output);
  const bool hidden = hidden_before || IsSensitive(value);
  const Argument argument = ArgumentOf(*block.expr);
  Cause cause{.kind = CauseKind::kOutput,
              .address = NameIn(module, "output." + std::string(program_.Text(block.name)))};
  Describe(cause, argument, hidden);
  if (search == Search::kKnown) {
    SetValues(cause, then_.OfOutput(module, node, output), value, hidden);
  }
  const std::string address = cause.address;
  Named("m|" + address + (hidden ? "|h" : ""), std::move(cause), search, causes,
        [&](Causes& below) {
          std::optional<std::string> earlier;
          if (const config::ConfigNode* before = EarlierNode(module)) {
            const int at = before->module->FindOutput(block.name);
            const hcl::Expr* expr =
                at < 0 ? nullptr : before->module->outputs[static_cast<size_t>(at)].expr;
            earlier = expr == nullptr ? std::nullopt : std::optional(ArgumentOf(*expr).text);
          }
          const Place place{.module = module};
          Follow({argument, place, address, "", earlier, hidden}, search, below);
        });
}

void Explainer::FollowModule(const Subject& subject, const config::ConfigNode& node,
                             const config::Reference& ref, Search search, Causes& causes) {
  const auto call = static_cast<size_t>(ref.index);
  const config::ConfigNode* child = node.children[call];
  if (child == nullptr) {
    return;
  }
  const config::ModuleCall& block = node.module->calls[call];
  const config::ExpansionArguments arguments = config::ArgumentsOf(block);
  const config::Expansion& expansion = now_.ExpansionOf(arguments, subject.place.module);
  std::vector<InstanceKey> keys;
  if (!ref.output.empty() || !ref.key.none()) {
    keys.push_back(ref.key);
  } else {
    for (size_t i = 0; i < expansion.size(); ++i) {
      keys.push_back(expansion.key(i));
    }
    const Place place{subject.place.module, &arguments, {}};
    if (!keys.empty() && !keys[0].none()) {
      FollowRepetition(place,
                       NameIn(place.module, "module." + std::string(program_.Text(block.name))),
                       subject.hidden, search, causes);
    }
  }
  for (const InstanceKey& key : keys) {
    const ModuleInstId module = program_.ModuleInstance(subject.place.module, block.name, key);
    for (size_t i = 0; i < child->module->outputs.size(); ++i) {
      ++out_.steps;
      if ((ref.output.empty() || child->module->outputs[i].name == ref.output) &&
          (search == Search::kPossible ||
           Differ(now_.OfOutput(module, *child, i), then_.OfOutput(module, *child, i)))) {
        FollowOutput(module, *child, i, subject.hidden, search, causes);
      }
    }
  }
}

void Explainer::RootVariable(const config::ConfigNode& node, size_t variable, bool hidden_before,
                             Causes& causes) {
  const config::Variable& block = node.module->variables[variable];
  const std::string name(program_.Text(block.name));
  const Value value = now_.OfVariable({}, node, variable);
  const bool hidden = hidden_before || IsSensitive(value);
  Cause cause{.kind = CauseKind::kVariable, .address = "var." + name, .range = block.range};
  SetValues(cause, value, value, hidden);
  cause.before.clear();
  const why::Earlier& earlier = request_.earlier;
  const bool known_before = compares() && earlier.variables != nullptr &&
                            (earlier.unknown == nullptr || !earlier.unknown->contains(name));
  cause.certain = known_before;
  if (known_before) {
    std::optional<Value> before;
    const auto given = earlier.variables->find(name);
    const int at = earlier.config->root().module->FindVariable(block.name);
    if (given != earlier.variables->end()) {
      before = given->second;
    } else if (at >= 0) {
      before = earlier.config->root().module->variables[static_cast<size_t>(at)].default_value;
    }
    if (before && value.IsWhollyKnown() && !Differ(*before, value)) {
      return;
    }
    if (before) {
      SetValues(cause, *before, value, hidden);
    }
  }
  const bool given = std::ranges::find(request_.plan.variables, name, &plan::PlanVariable::name) !=
                     request_.plan.variables.end();
  cause.note = request_.origin ? request_.origin(name) : std::string(given ? "" : "default");
  Leaf("v|" + name + (hidden ? "|h" : ""), std::move(cause), causes);
}

void Explainer::FollowVariable(const Subject& subject, const config::ConfigNode& node,
                               size_t variable, Search search, Causes& causes) {
  if (node.parent == nullptr) {
    if (search == Search::kPossible) {
      RootVariable(node, variable, subject.hidden, causes);
    }
    return;
  }
  const ModuleInstId module = subject.place.module;
  const config::Variable& block = node.module->variables[variable];
  const std::string_view name = program_.Text(block.name);
  const config::ModuleCall& call = node.parent->module->calls[static_cast<size_t>(node.call)];
  const hcl::Attribute* input = call.FindInput(name);
  const Value value = now_.OfVariable(module, node, variable);
  const bool hidden = subject.hidden || IsSensitive(value);
  Cause cause{.kind = CauseKind::kArgument,
              .address = NameIn(module, "var." + std::string(name)),
              .range = block.range};
  const std::string address = cause.address;
  if (input == nullptr) {
    cause.kind = CauseKind::kVariable;
    cause.note = "default";
    cause.certain = false;
    if (search == Search::kPossible && !compares()) {
      Leaf("v|" + address, std::move(cause), causes);
    }
    return;
  }
  const Argument argument = ArgumentOf(*input->expr);
  Describe(cause, argument, hidden);
  if (search == Search::kKnown) {
    SetValues(cause, then_.OfVariable(module, node, variable), value, hidden);
  }
  Named("a|" + address + (hidden ? "|h" : ""), std::move(cause), search, causes,
        [&](Causes& below) {
          config::ExpansionArguments storage;
          const Place place = now_.PlaceOfCall(module, node, storage);
          std::optional<std::string> earlier;
          if (const config::ConfigNode* before = EarlierNode(module);
              before != nullptr && before->parent != nullptr) {
            const hcl::Attribute* old =
                before->parent->module->calls[static_cast<size_t>(before->call)].FindInput(name);
            earlier = old == nullptr ? std::nullopt : std::optional(ArgumentOf(*old->expr).text);
          }
          Follow({argument, place, program_.ToText(module), std::string(name), earlier, hidden},
                 search, below);
        });
}

/// The address without its instance key, and the earlier text of that repetition.
std::pair<std::string, std::optional<std::string>> Explainer::RepeatedBlock(
    const std::string& address, std::string_view name) {
  const auto text = [&](const config::ExpansionArguments& arguments) -> std::optional<std::string> {
    const hcl::Expr* expr = arguments.enabled;
    if (name == "for_each") {
      expr = arguments.for_each;
    } else if (name == "count") {
      expr = arguments.count;
    }
    return expr == nullptr ? std::nullopt : std::optional(ArgumentOf(*expr).text);
  };
  std::pair<std::string, std::optional<std::string>> out{address, std::nullopt};
  if (ResourceInstance object; program_.ParseResourceInstance(address, &object)) {
    out.first = program_.ToText(object.resource);
    if (const config::ConfigNode* before = EarlierNode(object.resource.module)) {
      const int at = before->module->FindResource(object.resource.resource);
      out.second =
          at < 0 ? std::nullopt
                 : text(config::ArgumentsOf(before->module->resources[static_cast<size_t>(at)]));
    }
  } else if (ModuleInstId module; program_.ParseModuleInstance(address, &module)) {
    const ModuleInstId parent = program_.Parent(module);
    out.first = NameIn(parent, "module." + std::string(program_.Text(program_.CallName(module))));
    if (const config::ConfigNode* before = EarlierNode(module);
        before != nullptr && before->parent != nullptr) {
      const config::ModuleCall& call =
          before->parent->module->calls[static_cast<size_t>(before->call)];
      out.second = text(config::ArgumentsOf(call));
    }
  }
  return out;
}

void Explainer::FollowRepetition(const Place& place, const std::string& address, bool hidden_before,
                                 Search search, Causes& causes) {
  const config::ExpansionArguments& arguments = *place.repetition;
  const auto [name, expr] = RepetitionArgument(arguments);
  if (expr == nullptr) {
    return;
  }
  const Place outer{.module = place.module};
  const bool hidden = hidden_before || IsSensitive(now_.Of(*expr, outer));
  const Argument argument = ArgumentOf(*expr);
  const auto [block, earlier] = RepeatedBlock(address, name);
  Cause cause{.kind = CauseKind::kRepetition, .address = block, .path = name};
  Describe(cause, argument, hidden);
  Named("r|" + block + (hidden ? "|h" : ""), std::move(cause), search, causes,
        [&, &block = block, &earlier = earlier, &name = name](Causes& below) {
          Follow({argument, outer, block, name, earlier, hidden}, search, below);
        });
}

void Explainer::ExplainKey(const Place& place, const std::string& address, Causes& causes) {
  const auto has = [&](PlannedValues& values) {
    return values.RowOf(values.ExpansionOf(*place.repetition, place.module), place.key).has_value();
  };
  if (has(now_) != has(then_)) {
    FollowRepetition(place, address, false, Search::kKnown, causes);
  }
  if (causes.empty()) {
    FollowRepetition(place, address, false, Search::kPossible, causes);
  }
}

/// A cause that is not certain becomes so where everything above it is, and has no other cause.
void Explainer::Settle() {
  std::vector<uint32_t> open(out_.causes.size(), 0);
  std::vector<char> alone(out_.causes.size(), 1);
  for (const Cause& cause : out_.causes) {
    for (const uint32_t below : cause.causes) {
      ++open[below];
    }
  }
  std::vector<uint32_t> ready;
  for (uint32_t at = 0; at < open.size(); ++at) {
    if (open[at] == 0) {
      ready.push_back(at);
      alone[at] = out_.causes[at].certain ? 1 : 0;
    }
  }
  while (!ready.empty()) {
    const uint32_t at = ready.back();
    ready.pop_back();
    Cause& cause = out_.causes[at];
    cause.certain = cause.certain || alone[at] != 0;
    for (const uint32_t below : cause.causes) {
      if (!cause.certain || cause.causes.size() != 1) {
        alone[below] = 0;
      }
      if (--open[below] == 0) {
        ready.push_back(below);
      }
    }
  }
}

}  // namespace kinu::why
