// Causes of the changes of objects and of their attributes.
#include <algorithm>

#include "plan_json/documents.h"
#include "schema/decode.h"
#include "schema/marks.h"
#include "why/explainer.h"

namespace kinu::why {

using plan::Action;
using plan::Reason;
using plan::ResourceChange;

namespace {

/// What happens to the object, also if the plan has no action for it.
std::string_view ActionName(const ResourceChange& change) {
  if (change.action != Action::kNoOp) {
    return view::ActionWord(change.action);
  }
  if (change.importing) {
    return "import";
  }
  return change.previous_address != change.address ? "move" : "no-op";
}

/// The attribute of an object, or null of dynamic type.
Value Part(const Value& object, std::string_view name) {
  if (object.IsNull()) {
    return Value();
  }
  if (!object.IsKnown()) {
    return Value::DynamicUnknown();
  }
  const Value* found = object.type().is_object() ? object.Find(name) : nullptr;
  return found == nullptr ? Value() : found->WithMarks(object.marks());
}

/// The attribute that a path begins with.
std::string FirstName(const Path& path) {
  return path.empty() ? "" : path.steps()[0].name;
}

}  // namespace

Explanation Explainer::Run(const Wanted& wanted) {
  out_.errored = request_.plan.errored;
  FlatSet<ResourceInstance> seen;
  const auto add = [&](uint32_t cause, const ResourceInstance& address) {
    out_.objects.push_back({cause, CallsOf(address.resource.module)});
  };
  for (const ResourceChange& change : request_.plan.changes) {
    if (change.address.resource.resource.mode == ResourceMode::kEphemeral) {
      continue;
    }
    const bool changes = ActionName(change) != "no-op";
    if (wanted ? wanted(program_.ToText(change.address)) : changes) {
      seen.insert(change.address);
      add(OfChange(change), change.address);
    }
  }
  if (wanted) {
    for (const auto& resource : request_.plan.prior_state.resources) {
      for (const state::Instance& instance : resource->instances) {
        const ResourceInstance address{resource->address, instance.key};
        if (wanted(program_.ToText(address)) && seen.insert(address).second) {
          add(OfUnchanged(address), address);
        }
      }
    }
  }
  AddOutputs(wanted);
  Settle();
  return std::move(out_);
}

std::vector<Call> Explainer::CallsOf(ModuleInstId module) const {
  std::vector<Call> calls;
  for (; !module.is_root(); module = program_.Parent(module)) {
    Call call{.address = program_.ToText(module)};
    const config::ConfigNode* node = now_.NodeOf(module);
    if (node != nullptr && node->parent != nullptr) {
      call.range = node->parent->module->calls[static_cast<size_t>(node->call)].range;
    }
    calls.push_back(std::move(call));
  }
  std::ranges::reverse(calls);
  return calls;
}

const config::Resource* Explainer::BlockOf(const AbsResource& resource) const {
  const config::ConfigNode* node = now_.NodeOf(resource.module);
  const int at = node == nullptr ? -1 : node->module->FindResource(resource.resource);
  return at < 0 ? nullptr : &node->module->resources[static_cast<size_t>(at)];
}

namespace {

/// Whether an address in a block of a module means an object, whatever the keys of modules are.
bool Means(Program& program, const config::ConfigNode& node, const config::Endpoint& endpoint,
           const ResourceInstance& address) {
  const std::string outer = program.ToText(node.path);
  const std::string inner = program.ToText(program.ModuleOf(endpoint.module));
  const std::string module = outer.empty() || inner.empty() ? outer + inner : outer + "." + inner;
  const std::string of_object = program.ToText(program.ModuleOf(address.resource.module));
  if (endpoint.is_module) {
    return of_object == module || of_object.starts_with(module + ".");
  }
  return of_object == module && endpoint.resource == address.resource.resource &&
         (endpoint.key.none() || endpoint.key == address.key);
}

}  // namespace

SourceRange Explainer::MovedBlock(const ResourceInstance& address, bool leaves) const {
  for (const auto& node : request_.config.nodes) {
    for (const config::Moved& moved : node->module->moved) {
      if (Means(program_, *node, leaves ? moved.from_endpoint : moved.to_endpoint, address)) {
        return moved.range;
      }
    }
  }
  return {};
}

SourceRange Explainer::RemovedBlock(const ResourceInstance& address) const {
  for (const auto& node : request_.config.nodes) {
    for (const config::Removed& removed : node->module->removed) {
      if (Means(program_, *node, removed.from, address)) {
        return removed.range;
      }
    }
  }
  return {};
}

SourceRange Explainer::ImportBlock(const ResourceInstance& address) const {
  const ConfigResource block{program_.ModuleOf(address.resource.module), address.resource.resource};
  for (const config::Import& import : request_.config.root().module->imports) {
    if (import.target == block) {
      return import.range;
    }
  }
  return {};
}

uint32_t Explainer::OfUnchanged(const ResourceInstance& address) {
  Cause cause{.kind = CauseKind::kObject, .address = program_.ToText(address), .note = "no-op"};
  if (const config::Resource* block = BlockOf(address.resource)) {
    cause.range = block->range;
  }
  const std::string key = "o|" + cause.address + "|";
  return Make(key, std::move(cause)).at;
}

std::optional<uint32_t> Explainer::OfObject(const ResourceInstance& address) {
  const PlannedObject* object = objects_.Find(address);
  if (object == nullptr) {
    return std::nullopt;
  }
  if (object->change != nullptr) {
    return OfChange(*object->change);
  }
  Cause cause{.kind = CauseKind::kData, .address = program_.ToText(address)};
  if (const config::Resource* block = BlockOf(address.resource)) {
    cause.range = block->range;
  }
  const std::string key = "d|" + cause.address;
  const Made made = Make(key, std::move(cause));
  if (made.is_new) {
    Causes causes;
    ExplainData(*object, address, causes);
    SetCauses(made.at, std::move(causes));
  }
  return made.at;
}

/// The arguments of data that were read while planning and that differ: without any, the data have
/// changed by themselves.
void Explainer::ExplainData(const PlannedObject& object, const ResourceInstance& address,
                            Causes& causes) {
  const config::Resource* block = BlockOf(address.resource);
  const schema::ResourceSchema* schema = SchemaFor(object, address);
  if (block == nullptr || schema == nullptr || object.now.IsNull() || object.earlier.IsNull()) {
    return;
  }
  for (size_t i = 0; i < object.now.size(); ++i) {
    const std::string_view name = object.now.key(i);
    ++out_.steps;
    if (Differ(Part(object.now, name), Part(object.earlier, name)) &&
        FindArgument(*block, schema->block, name).range.valid()) {
      causes.push_back(OfAttribute(address, name));
    }
  }
}

const schema::ResourceSchema* Explainer::SchemaFor(const PlannedObject& object,
                                                   const ResourceInstance& address) const {
  if (object.change != nullptr) {
    return objects_.SchemaOf(object.change->provider, address.resource.resource);
  }
  const state::Resource* stored = request_.plan.prior_state.Find(address.resource);
  return stored == nullptr ? nullptr
                           : objects_.SchemaOf(stored->provider, address.resource.resource);
}

uint32_t Explainer::OfChange(const ResourceChange& change) {
  Cause cause{.kind = CauseKind::kObject,
              .address = program_.ToText(change.address),
              .note = std::string(ActionName(change)),
              .reason = std::string(plan::ReasonName(change.reason)),
              .deposed = change.deposed.text()};
  if (const config::Resource* block = BlockOf(change.address.resource)) {
    cause.range = block->range;
  }
  const std::string key = "o|" + cause.address + "|" + cause.deposed;
  const Made made = Make(key, std::move(cause));
  if (made.is_new) {
    Causes causes;
    ExplainChange(change, causes);
    SetCauses(made.at, std::move(causes));
  }
  return made.at;
}

void Explainer::ExplainChange(const ResourceChange& change, Causes& causes) {
  const std::string address = program_.ToText(change.address);
  const auto leaf = [&](CauseKind kind, SourceRange range = {}) {
    Leaf("x|" + std::to_string(static_cast<int>(kind)) + "|" + address,
         {.kind = kind, .address = address, .range = range}, causes);
  };
  if (!change.deposed.empty()) {
    leaf(CauseKind::kDeposed);
    return;
  }
  if (change.previous_address != change.address) {
    leaf(CauseKind::kMoved, MovedBlock(change.address, false));
    out_.causes[causes.back()].before = program_.ToText(change.previous_address);
  }
  if (change.importing) {
    leaf(CauseKind::kImported, ImportBlock(change.address));
  }
  if (change.action == Action::kNoOp) {
    return;
  }
  if (change.action == Action::kDelete && request_.plan.mode == plan::Mode::kDestroy) {
    leaf(CauseKind::kDestroy);
    return;
  }
  if (!ExplainReason(change, causes)) {
    switch (change.action) {
      case Action::kCreate:
        ExplainCreation(change, causes);
        break;
      case Action::kRead:
        ExplainRead(change, causes);
        break;
      default:
        break;
    }
  }
  if (!change.before.IsNull() && !change.after.IsNull()) {
    ExplainUpdate(change, causes);
  }
  if (causes.empty()) {
    leaf(CauseKind::kNotKnown);
  }
}

/// Explains what the plan has a reason for. Returns whether it has.
bool Explainer::ExplainReason(const ResourceChange& change, Causes& causes) {
  const std::string address = program_.ToText(change.address);
  const auto leaf = [&](CauseKind kind, SourceRange range = {}) {
    Leaf("x|" + std::to_string(static_cast<int>(kind)) + "|" + address,
         {.kind = kind, .address = address, .range = range}, causes);
    return true;
  };
  switch (change.reason) {
    case Reason::kReplaceTainted:
      return leaf(CauseKind::kTainted);
    case Reason::kReplaceByRequest:
      return leaf(CauseKind::kRequested);
    case Reason::kReplaceCannotUpdate:
      ExplainReplacement(change, causes);
      return true;
    case Reason::kReplaceByTriggers:
      ExplainTriggers(change, causes);
      return true;
    case Reason::kDeleteNoModule:
      ExplainMissingModule(change.address.resource.module, false, causes);
      return true;
    case Reason::kDeleteWrongRepetition:
    case Reason::kDeleteCountIndex:
    case Reason::kDeleteEachKey:
    case Reason::kDeleteEnabledFalse:
      ExplainAbsence(change, causes);
      return true;
    case Reason::kForgetState:
    case Reason::kForgetConfig:
      return leaf(CauseKind::kRemovedBlock, RemovedBlock(change.address));
    case Reason::kDeleteNoResourceConfig: {
      const SourceRange removed = RemovedBlock(change.address);
      return leaf(removed.valid() ? CauseKind::kRemovedBlock : CauseKind::kNoBlock, removed);
    }
    case Reason::kDeleteNoMoveTarget:
      return leaf(CauseKind::kMoved, MovedBlock(change.address, true));
    case Reason::kReadConfigUnknown:
    case Reason::kReadDependencyPending:
    case Reason::kReadCheckNested:
      ExplainRead(change, causes);
      return true;
    case Reason::kNone:
      break;
  }
  return false;
}

void Explainer::ExplainReplacement(const ResourceChange& change, Causes& causes) {
  const std::string address = program_.ToText(change.address);
  for (const Path& path : change.required_replace) {
    const std::string name = FirstName(path);
    Cause cause{.kind = CauseKind::kReplacement, .address = address, .path = path.ToText()};
    cause.path = cause.path.substr(cause.path.starts_with('.') ? 1 : 0);
    const std::string key = "p|" + address + "|" + cause.path;
    const uint32_t at = Leaf(key, std::move(cause), causes);
    SetCauses(at, {OfAttribute(change.address, name)});
  }
}

void Explainer::ExplainTriggers(const ResourceChange& change, Causes& causes) {
  const config::Resource* block = BlockOf(change.address.resource);
  const std::string address = program_.ToText(change.address);
  if (block == nullptr) {
    return;
  }
  const config::ExpansionArguments repetition = config::ArgumentsOf(*block);
  const Place place{change.address.resource.module, &repetition, change.address.key};
  for (const hcl::Expr* trigger : block->replace_triggered_by) {
    const Argument argument = ArgumentOf(*trigger);
    Causes below;
    Follow({argument, place, address, "replace_triggered_by", std::nullopt, false}, Search::kKnown,
           below);
    if (!below.empty()) {
      Cause cause{.kind = CauseKind::kTriggered, .address = address, .path = argument.text};
      Describe(cause, argument, false);
      SetCauses(Leaf("t|" + address + "|" + argument.text, std::move(cause), causes),
                std::move(below));
    }
  }
}

/// The outermost module instance that comes or goes with an object.
void Explainer::ExplainMissingModule(ModuleInstId module, bool created, Causes& causes) {
  ModuleInstId outermost = module;
  for (ModuleInstId at = module; !at.is_root(); at = program_.Parent(at)) {
    const config::ConfigNode* node = now_.NodeOf(at);
    bool missing = node == nullptr || node->parent == nullptr;
    if (created) {
      missing = !objects_.StateHas(at);
    } else if (!missing) {
      config::ExpansionArguments arguments;
      const Place place = now_.PlaceOfCall(at, *node, arguments);
      missing = !now_.RowOf(now_.ExpansionOf(arguments, place.module), place.key);
    }
    outermost = missing ? at : outermost;
  }
  const std::string address = program_.ToText(outermost);
  const config::ConfigNode* node = now_.NodeOf(outermost);
  const bool called = node != nullptr && node->parent != nullptr;
  Cause cause{.kind = created ? CauseKind::kNewBlock : CauseKind::kNoModule, .address = address};
  config::ExpansionArguments arguments;
  Place place;
  if (called) {
    cause.range = node->parent->module->calls[static_cast<size_t>(node->call)].range;
    place = now_.PlaceOfCall(outermost, *node, arguments);
    if (!place.key.none() || arguments.enabled != nullptr) {
      cause.kind = created ? CauseKind::kNewKey : CauseKind::kNoKey;
    }
  }
  const bool keyed = cause.kind == CauseKind::kNewKey || cause.kind == CauseKind::kNoKey;
  const Made made = Make("k|" + address, std::move(cause));
  causes.push_back(made.at);
  if (made.is_new && called && keyed) {
    Causes below;
    ExplainKey(place, address, below);
    SetCauses(made.at, std::move(below));
  }
}

void Explainer::ExplainCreation(const ResourceChange& change, Causes& causes) {
  const std::string address = program_.ToText(change.address);
  const AbsResource& resource = change.address.resource;
  const config::Resource* block = BlockOf(resource);
  const PlannedObject* object = objects_.Find(change.address);
  if (object != nullptr && !object->earlier.IsNull()) {
    Leaf("x|gone|" + address, {.kind = CauseKind::kGone, .address = address}, causes);
    return;
  }
  if (change.importing || block == nullptr) {
    return;
  }
  const config::ExpansionArguments repetition = config::ArgumentsOf(*block);
  const bool repeated = repetition.count != nullptr || repetition.for_each != nullptr ||
                        repetition.enabled != nullptr;
  const bool state_has_block = std::ranges::any_of(
      objects_.Of(resource), [](const PlannedObject& other) { return !other.earlier.IsNull(); });
  if (!state_has_block && !objects_.StateHas(resource.module)) {
    ExplainMissingModule(resource.module, true, causes);
    return;
  }
  Cause cause{
      .kind = CauseKind::kNewBlock, .address = program_.ToText(resource), .range = block->range};
  bool keyed = repeated && state_has_block;
  if (repeated && compares()) {
    const config::ConfigNode* before = EarlierNode(resource.module);
    keyed = before != nullptr && before->module->FindResource(resource.resource) >= 0;
  }
  if (keyed) {
    cause.kind = CauseKind::kNewKey;
    cause.address = address;
  }
  const std::string key = "n|" + cause.address;
  const Made made = Make(key, std::move(cause));
  causes.push_back(made.at);
  if (made.is_new && repeated && (keyed || !compares())) {
    Causes below;
    ExplainKey({resource.module, &repetition, change.address.key}, address, below);
    SetCauses(made.at, std::move(below));
  }
}

void Explainer::ExplainAbsence(const ResourceChange& change, Causes& causes) {
  const std::string address = program_.ToText(change.address);
  const config::Resource* block = BlockOf(change.address.resource);
  Cause cause{.kind = CauseKind::kNoKey, .address = address};
  if (block != nullptr) {
    cause.range = block->range;
  }
  const uint32_t at = Leaf("k|" + address, std::move(cause), causes);
  if (block != nullptr) {
    const config::ExpansionArguments repetition = config::ArgumentsOf(*block);
    Causes below;
    ExplainKey({change.address.resource.module, &repetition, change.address.key}, address, below);
    SetCauses(at, std::move(below));
  }
}

/// Why data are read during the apply: the configuration is not known before, or what the block
/// depends on changes.
void Explainer::ExplainRead(const ResourceChange& change, Causes& causes) {
  const config::Resource* block = BlockOf(change.address.resource);
  const schema::ResourceSchema* schema =
      objects_.SchemaOf(change.provider, change.address.resource.resource);
  if (block == nullptr || schema == nullptr) {
    return;
  }
  const std::string address = program_.ToText(change.address);
  const config::ExpansionArguments repetition = config::ArgumentsOf(*block);
  const Place place{change.address.resource.module, &repetition, change.address.key};
  Argument body{.range = block->range};
  schema::CollectBodyTraversals(schema->block, *block->body, config::MetaNames(block->name.mode),
                                body.traversals, body.calls);
  Follow({body, place, address, "", std::nullopt, true}, Search::kKnown, causes);
  Argument names;
  names.traversals.assign(block->depends_on.begin(), block->depends_on.end());
  Causes below;
  Follow({names, place, address, "depends_on", std::nullopt, false}, Search::kKnown, below);
  if (!below.empty()) {
    Cause cause{.kind = CauseKind::kDependency, .address = address, .range = block->range};
    SetCauses(Leaf("x|depends|" + address, std::move(cause), causes), std::move(below));
  }
}

/// The attributes that differ: those that are configured, or else those that the provider decides.
void Explainer::ExplainUpdate(const ResourceChange& change, Causes& causes) {
  const PlannedObject* object = objects_.Find(change.address);
  const config::Resource* block = BlockOf(change.address.resource);
  const schema::ResourceSchema* schema =
      objects_.SchemaOf(change.provider, change.address.resource.resource);
  if (object == nullptr || object->change != &change || schema == nullptr ||
      !object->now.IsKnown() || change.before.IsNull()) {
    return;
  }
  const std::string address = program_.ToText(change.address);
  std::vector<std::string_view> decided;
  for (size_t i = 0; i < object->now.size(); ++i) {
    const std::string_view name = object->now.key(i);
    ++out_.steps;
    if (!Differ(Part(object->now, name), Part(change.before, name))) {
      continue;
    }
    const schema::Attribute* attribute = schema->block.FindAttribute(name);
    const bool configured =
        block != nullptr && FindArgument(*block, schema->block, name).range.valid();
    if (attribute != nullptr && attribute->computed && !configured) {
      decided.push_back(name);
    } else {
      const uint32_t at = OfAttribute(change.address, name);
      const bool replaces = std::ranges::any_of(causes, [&](uint32_t cause) {
        return std::ranges::find(out_.causes[cause].causes, at) != out_.causes[cause].causes.end();
      });
      if (!replaces) {
        causes.push_back(at);
      }
    }
  }
  if (!causes.empty()) {
    return;
  }
  for (const std::string_view name : decided) {
    Cause cause{.kind = CauseKind::kProvider, .address = address, .path = std::string(name)};
    SetValues(cause, Part(change.before, name), Part(object->now, name), false);
    Leaf("q|" + address + "|" + std::string(name), std::move(cause), causes);
  }
  if (causes.empty()) {
    Leaf("x|sensitivity|" + address, {.kind = CauseKind::kSensitivity, .address = address}, causes);
  }
}

uint32_t Explainer::OfAttribute(const ResourceInstance& address, std::string_view name) {
  const PlannedObject* object = objects_.Find(address);
  Cause cause{.kind = CauseKind::kAttribute,
              .address = program_.ToText(address),
              .path = std::string(name)};
  const std::string key = "a|" + cause.address + "|" + cause.path;
  if (object == nullptr) {
    return Make(key, std::move(cause)).at;
  }
  const Value before =
      Part(object->change != nullptr ? object->change->before : object->earlier, name);
  const Value earlier = Part(object->earlier, name);
  const Value after = Part(object->now, name);
  const bool hidden = IsSensitive(after) || IsSensitive(earlier) || IsSensitive(before);
  // Beside the object that was read, unless that is what has changed.
  SetValues(cause, Differ(before, after) ? before : earlier, after, hidden);
  const Made made = Make(key, std::move(cause));
  if (made.is_new) {
    Causes causes;
    ExplainAttribute(*object, address, name, hidden, causes);
    SetCauses(made.at, std::move(causes));
  }
  return made.at;
}

void Explainer::ExplainAttribute(const PlannedObject& object, const ResourceInstance& address,
                                 std::string_view name, bool hidden, Causes& causes) {
  const std::string text = program_.ToText(address);
  const config::Resource* block = BlockOf(address.resource);
  const auto of_object = [&] {
    if (const auto cause = OfObject(address)) {
      causes.push_back(*cause);
    }
  };
  const bool read = object.change == nullptr;
  const Value& refreshed = read ? object.earlier : object.change->before;
  if (block == nullptr || object.now.IsNull() || refreshed.IsNull() ||
      (!read && object.change->action == Action::kRead)) {
    of_object();
    return;
  }
  const Value earlier = Part(object.earlier, name);
  const Value before = Part(refreshed, name);
  const Value after = Part(object.now, name);
  if (object.drift != nullptr && Differ(earlier, before)) {
    Cause cause{.kind = CauseKind::kDrift, .address = text, .path = std::string(name)};
    SetValues(cause, earlier, before, hidden);
    Leaf("x|drift|" + text + "|" + std::string(name), std::move(cause), causes);
    if (!Differ(before, after) || !Differ(earlier, after)) {
      return;
    }
  }
  const schema::ResourceSchema* schema = SchemaFor(object, address);
  if (schema == nullptr) {
    Leaf("x|unknown|" + text, {.kind = CauseKind::kNotKnown, .address = text}, causes);
    return;
  }
  const Argument argument = FindArgument(*block, schema->block, name);
  if (argument.range.valid()) {
    ExplainArgument(object, address, name, argument, hidden, causes);
    return;
  }
  if (read) {
    of_object();
    return;
  }
  const schema::Attribute* attribute = schema->block.FindAttribute(name);
  if (attribute != nullptr && attribute->computed) {
    Cause cause{.kind = CauseKind::kProvider, .address = text, .path = std::string(name)};
    SetValues(cause, before, after, hidden);
    const uint32_t at = Leaf("c|" + text + "|" + std::string(name), std::move(cause), causes);
    SetCauses(at, {*OfObject(address)});
    return;
  }
  Leaf("e|" + text + "|" + std::string(name),
       {.kind = CauseKind::kEdited,
        .address = text,
        .path = std::string(name),
        .note = "removed",
        .range = block->range},
       causes);
}

const std::pair<Value, Value>& Explainer::Bodies(const ResourceInstance& address,
                                                 const config::Resource& resource,
                                                 const schema::Block& block) {
  const std::string key = program_.ToText(address);
  if (const auto found = bodies_.find(key); found != bodies_.end()) {
    return found->second;
  }
  const config::ExpansionArguments repetition = config::ArgumentsOf(resource);
  const Place place{address.resource.module, &repetition, address.key};
  const auto hidden = config::MetaNames(resource.name.mode);
  std::pair<Value, Value> bodies{now_.OfBody(block, *resource.body, hidden, place),
                                 then_.OfBody(block, *resource.body, hidden, place)};
  return bodies_[key] = std::move(bodies);
}

void Explainer::ExplainArgument(const PlannedObject& object, const ResourceInstance& address,
                                std::string_view name, const Argument& argument, bool hidden,
                                Causes& causes) {
  const std::string text = program_.ToText(address);
  const config::Resource& block = *BlockOf(address.resource);
  const schema::ResourceSchema& schema = *SchemaFor(object, address);
  const auto& [bodies_now, bodies_then] = Bodies(address, block, schema.block);
  const Value now = Part(bodies_now, name);
  const Value then = Part(bodies_then, name);
  const Value before =
      Part(object.change == nullptr ? object.earlier : object.change->before, name);
  const Value after = Part(object.now, name);
  const schema::Attribute* attribute = schema.block.FindAttribute(name);
  const bool decides = attribute == nullptr || attribute->computed;
  const bool as_planned = now.IsWhollyKnown() && !Differ(now, after);
  if (decides && now.IsWhollyKnown() && !as_planned && !now.UnmarkDeep().IsNull() &&
      !Differ(now, then) && !Differ(now, before)) {
    // The configuration says what is there, and still the provider plans something else.
    Cause cause{.kind = CauseKind::kProvider, .address = text, .path = std::string(name)};
    SetValues(cause, before, after, hidden);
    Leaf("q|" + text + "|" + std::string(name), std::move(cause), causes);
    return;
  }
  const config::ExpansionArguments repetition = config::ArgumentsOf(block);
  const Place place{address.resource.module, &repetition, address.key};
  std::optional<std::string> earlier;
  const ResourceInstance& old =
      object.change == nullptr ? address : object.change->previous_address;
  if (const config::ConfigNode* node = EarlierNode(old.resource.module)) {
    const int at = node->module->FindResource(old.resource.resource);
    const Argument found =
        at < 0 ? Argument()
               : FindArgument(node->module->resources[static_cast<size_t>(at)], schema.block, name);
    earlier = found.range.valid() ? std::optional(found.text) : std::nullopt;
  }
  const Subject subject{argument, place, text, std::string(name), earlier, hidden};
  Follow(subject, Search::kKnown, causes);
  const bool explained =
      then.IsWhollyKnown() && !Differ(then, Part(object.earlier, name)) && Differ(now, then);
  if (!explained) {
    Follow(subject, Search::kPossible, causes);
    // Nothing says that the configuration changed at all.
    const bool changed = as_planned && then.IsWhollyKnown();
    if (causes.empty() || (!changed && decides)) {
      Leaf("x|unknown|" + text,
           {.kind = CauseKind::kNotKnown, .certain = causes.empty(), .address = text}, causes);
    }
  }
}

}  // namespace kinu::why
