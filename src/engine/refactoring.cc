#include "engine/refactoring.h"

#include <algorithm>
#include <map>

#include "engine/graph.h"

namespace kinu::engine {
namespace {

struct Step {
  Symbol call;
  InstanceKey key;
};
using Steps = std::vector<Step>;

Steps StepsOf(const Program& program, ModuleInstId module) {
  Steps out;
  for (; !module.is_root(); module = program.Parent(module)) {
    out.push_back({program.CallName(module), program.Key(module)});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

ModuleInstId InstanceOf(Program& program, const Steps& steps) {
  ModuleInstId out;
  for (const Step& step : steps) {
    out = program.ModuleInstance(out, step.call, step.key);
  }
  return out;
}

/// "main.tf:3,1": where a range begins.
std::string StartText(const SourceRange& range) {
  const Position start = range.start_position();
  return range.file->name() + ":" + std::to_string(start.line) + "," + std::to_string(start.column);
}

}  // namespace

/// One end of a move. The first `open` steps lead to the module that declares it: any instance of
/// that module is meant. A `whole` end stands for all instances of its resource or module call.
struct MoveEnd {
  Steps steps;
  size_t open = 0;
  bool is_module = false;
  bool whole = false;
  ResourceName resource;
  InstanceKey key;

  bool AnyKey(size_t step) const {
    return step < open || (is_module && whole && step + 1 == steps.size());
  }
  /// Whether the steps of an address begin with these.
  bool Matches(const Steps& address) const {
    if (address.size() < steps.size()) {
      return false;
    }
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].call != address[i].call || (!AnyKey(i) && !(steps[i].key == address[i].key))) {
        return false;
      }
    }
    return true;
  }
  /// Whether both may mean the same first `count` steps.
  bool Overlaps(const MoveEnd& other, size_t count) const {
    for (size_t i = 0; i < count; ++i) {
      if (steps[i].call != other.steps[i].call ||
          (!AnyKey(i) && !other.AnyKey(i) && !(steps[i].key == other.steps[i].key))) {
        return false;
      }
    }
    return true;
  }
  bool CanBe(const MoveEnd& other) const {
    if (is_module != other.is_module || steps.size() != other.steps.size() ||
        !Overlaps(other, steps.size())) {
      return false;
    }
    return is_module || (resource == other.resource && (whole || other.whole || key == other.key));
  }
  bool InsideOf(const MoveEnd& other) const {
    if (other.is_module) {
      bool deeper = is_module ? steps.size() > other.steps.size() : true;
      return deeper && steps.size() >= other.steps.size() && Overlaps(other, other.steps.size());
    }
    return !is_module && other.whole && !whole && resource == other.resource &&
           steps.size() == other.steps.size() && Overlaps(other, steps.size());
  }
  /// The steps of this end in place of those of `from` at the start of an address.
  Steps Replace(const MoveEnd& from, const Steps& address) const {
    Steps out(address.begin(), address.begin() + static_cast<ptrdiff_t>(from.open));
    out.insert(out.end(), steps.begin() + static_cast<ptrdiff_t>(open), steps.end());
    if (is_module && whole && !out.empty()) {
      out.back().key = address[from.steps.size() - 1].key;
    }
    out.insert(out.end(), address.begin() + static_cast<ptrdiff_t>(from.steps.size()),
               address.end());
    return out;
  }
};

struct MoveStatement {
  MoveEnd from;
  MoveEnd to;
  SourceRange range;
  bool implied = false;
  const config::ConfigNode* node = nullptr;

  /// Whether it says anything of that resource, or of what stands directly in that module.
  bool Mentions(const Steps& module, const ResourceName* name) const {
    for (const MoveEnd* end : {&from, &to}) {
      if (end->steps.size() == module.size() && end->Matches(module) &&
          (name == nullptr || (!end->is_module && end->resource == *name))) {
        return true;
      }
    }
    return false;
  }
  bool WaitsFor(const MoveStatement& other) const {
    if (from.CanBe(other.to)) {
      return true;
    }
    if (!from.InsideOf(other.to) && !to.InsideOf(other.to) && !other.from.InsideOf(from) &&
        !other.to.InsideOf(from)) {
      return false;
    }
    if (to.open >= other.to.open) {
      return true;
    }
    // A move that only changes the key of a module contains the same names before and after.
    bool changes_key = from.is_module && from.steps.size() == to.steps.size() &&
                       std::equal(from.steps.begin(), from.steps.end(), to.steps.begin(),
                                  [](const Step& a, const Step& b) { return a.call == b.call; });
    return !changes_key;
  }
};

Refactoring::~Refactoring() = default;

Refactoring::Refactoring(const config::Config& config, const state::State* prior)
    : config_(config), program_(*config.program) {
  for (const auto& node : config.nodes) {
    Steps path;
    for (ModuleId id = node->path; !id.is_root(); id = program_.Parent(id)) {
      path.push_back({program_.CallName(id), InstanceKey()});
    }
    std::reverse(path.begin(), path.end());
    auto end_of = [&](const config::Endpoint& endpoint, bool whole) {
      MoveEnd end;
      end.steps = path;
      end.open = path.size();
      Steps inner = StepsOf(program_, endpoint.module);
      end.steps.insert(end.steps.end(), inner.begin(), inner.end());
      end.is_module = endpoint.is_module;
      end.whole = whole;
      end.resource = endpoint.resource;
      end.key = endpoint.key;
      return end;
    };
    for (const config::Moved& moved : node->module->moved) {
      const config::Endpoint& from = moved.from_endpoint;
      const config::Endpoint& to = moved.to_endpoint;
      bool whole = from.is_module
                       ? program_.Key(from.module).none() && program_.Key(to.module).none()
                       : from.key.none() && to.key.none();
      statements_.push_back(
          {end_of(from, whole), end_of(to, whole), moved.range, false, node.get()});
    }
    for (const config::Removed& removed : node->module->removed) {
      RemovedRule rule{&removed, node->path, removed.from.is_module, removed.from.resource};
      for (const Step& step : StepsOf(program_, removed.from.module)) {
        rule.module = program_.Module(rule.module, step.call);
      }
      removed_.push_back(rule);
    }
  }
  if (prior == nullptr || prior->resources.empty()) {
    Order();
    return;
  }
  AddImplied(*prior);
  Order();
  if (cycles_.empty() && !statements_.empty()) {
    state_ = prior->Clone();
    has_state_ = true;
    for (uint32_t index : order_) {
      Execute(statements_[index]);
    }
  }
}

void Refactoring::AddImplied(const state::State& prior) {
  const size_t explicit_count = statements_.size();
  auto mentioned = [&](const Steps& module, const ResourceName* name) {
    return std::any_of(statements_.begin(),
                       statements_.begin() + static_cast<ptrdiff_t>(explicit_count),
                       [&](const MoveStatement& s) { return s.Mentions(module, name); });
  };
  const InstanceKey zero = InstanceKey::Int(0);
  FlatSet<uint32_t> seen;
  std::vector<MoveStatement> implied;
  for (const auto& resource : prior.resources) {
    const AbsResource& address = resource->address;
    // Modules on the way that got or lost their count.
    for (ModuleInstId at = address.module; !at.is_root(); at = program_.Parent(at)) {
      if (!seen.insert(at.id).second) {
        break;
      }
      const config::ConfigNode* node = config_.Find(program_.ModuleOf(at));
      if (node == nullptr || node->parent == nullptr) {
        continue;
      }
      const config::ModuleCall& call = node->parent->module->calls[static_cast<size_t>(node->call)];
      InstanceKey have = program_.Key(at);
      if (call.for_each != nullptr || !(have.none() || have == zero)) {
        continue;
      }
      InstanceKey want = call.count != nullptr ? zero : InstanceKey();
      Steps steps = StepsOf(program_, at);
      if (have == want || mentioned(steps, nullptr)) {
        continue;
      }
      MoveStatement statement{.range = call.range, .implied = true};
      statement.from.is_module = statement.to.is_module = true;
      statement.from.steps = statement.to.steps = std::move(steps);
      statement.to.steps.back().key = want;
      implied.push_back(std::move(statement));
    }
    const config::ConfigNode* node = config_.Find(program_.ModuleOf(address.module));
    int index = node == nullptr ? -1 : node->module->FindResource(address.resource);
    if (index < 0) {
      continue;
    }
    const config::Resource& block = node->module->resources[static_cast<size_t>(index)];
    if (block.for_each != nullptr) {
      continue;
    }
    InstanceKey want = block.count != nullptr ? zero : InstanceKey();
    InstanceKey have = block.count != nullptr ? InstanceKey() : zero;
    if (resource->Find(have) == nullptr) {
      continue;
    }
    Steps steps = StepsOf(program_, address.module);
    if (mentioned(steps, &address.resource)) {
      continue;
    }
    MoveStatement statement{.range = block.range, .implied = true};
    statement.from.steps = statement.to.steps = std::move(steps);
    statement.from.resource = statement.to.resource = address.resource;
    statement.from.key = have;
    statement.to.key = want;
    implied.push_back(std::move(statement));
  }
  statements_.insert(statements_.end(), std::make_move_iterator(implied.begin()),
                     std::make_move_iterator(implied.end()));
}

void Refactoring::Order() {
  // Statements are few, and written by people: each is compared with each. Implied ones concern
  // different objects and only wait for explicit ones around them.
  Graph graph;
  for (size_t i = 0; i < statements_.size(); ++i) {
    graph.Add({});
  }
  for (uint32_t a = 0; a < statements_.size(); ++a) {
    for (uint32_t b = 0; b < statements_.size(); ++b) {
      bool both_implied = statements_[a].implied && statements_[b].implied &&
                          !statements_[a].from.is_module && !statements_[b].from.is_module;
      if (a != b && !both_implied && statements_[a].WaitsFor(statements_[b])) {
        graph.AddEdge(a, b);
      }
    }
  }
  graph.Finish();
  order_ = graph.Order();
  cycles_ = graph.Cycles();
}

void Refactoring::MoveInstance(const ResourceInstance& from, const ResourceInstance& to,
                               bool implied) {
  state::Resource* source = state_.Find(from.resource);
  state::Instance* instance = source->Find(from.key);
  ProviderConfig provider = source->provider;
  state::Instance moved = std::move(*instance);
  std::erase_if(source->instances, [&](const state::Instance& i) { return i.key == from.key; });
  if (source->instances.empty()) {
    state_.Remove(from.resource);
  }
  state::Instance& target = state_.Ensure(to.resource, provider).Ensure(program_, to.key);
  moved.key = to.key;
  target = std::move(moved);
  ResourceInstance first = from;
  if (auto it = previous_.find(from); it != previous_.end()) {
    first = it->second.address;
    previous_.erase(it);
  }
  previous_.emplace(to, Previous{first, implied});
}

void Refactoring::MoveResource(const AbsResource& from, const AbsResource& to, bool implied) {
  std::vector<InstanceKey> keys;
  for (const state::Instance& instance : state_.Find(from)->instances) {
    keys.push_back(instance.key);
  }
  for (const InstanceKey& key : keys) {
    MoveInstance({from, key}, {to, key}, implied);
  }
}

void Refactoring::Execute(const MoveStatement& statement) {
  std::vector<AbsResource> addresses;
  FlatSet<uint32_t> modules;
  for (const auto& resource : state_.resources) {
    addresses.push_back(resource->address);
    modules.insert(resource->address.module.id);
  }
  FlatSet<uint32_t> blocked;
  for (const AbsResource& address : addresses) {
    Steps steps = StepsOf(program_, address.module);
    if (!statement.from.Matches(steps)) {
      continue;
    }
    if (statement.from.is_module) {
      ModuleInstId target = InstanceOf(program_, statement.to.Replace(statement.from, steps));
      if (modules.contains(target.id)) {
        if (blocked.insert(address.module.id).second) {
          blocked_.emplace_back(program_.ToText(address.module), program_.ToText(target));
        }
        continue;
      }
      MoveResource(address, {target, address.resource}, statement.implied);
      continue;
    }
    if (steps.size() != statement.from.steps.size() ||
        !(address.resource == statement.from.resource)) {
      continue;
    }
    AbsResource target{InstanceOf(program_, statement.to.Replace(statement.from, steps)),
                       statement.to.resource};
    if (statement.from.whole) {
      if (state_.Find(target) != nullptr) {
        blocked_.emplace_back(program_.ToText(address), program_.ToText(target));
      } else {
        MoveResource(address, target, statement.implied);
      }
      continue;
    }
    if (state_.Find(address)->Find(statement.from.key) == nullptr) {
      continue;
    }
    ResourceInstance from{address, statement.from.key};
    ResourceInstance to{target, statement.to.key};
    const state::Resource* there = state_.Find(target);
    if (there != nullptr && there->Find(to.key) != nullptr) {
      blocked_.emplace_back(program_.ToText(from), program_.ToText(to));
    } else {
      MoveInstance(from, to, statement.implied);
    }
  }
}

std::vector<std::pair<ResourceInstance, ResourceInstance>> Refactoring::Moves() const {
  std::vector<std::pair<ResourceInstance, ResourceInstance>> moves;
  for (const auto& [to, from] : previous_) {
    moves.emplace_back(from.address, to);
  }
  return moves;
}

ResourceInstance Refactoring::PreviousAddress(const ResourceInstance& address) const {
  auto it = previous_.find(address);
  return it == previous_.end() ? address : it->second.address;
}

bool Refactoring::MovedByBlock(const ResourceInstance& address) const {
  auto it = previous_.find(address);
  return it != previous_.end() && !it->second.implied;
}

const RemovedRule* Refactoring::FindRemoved(const AbsResource& address) const {
  if (removed_.empty()) {
    return nullptr;
  }
  const RemovedRule* found = nullptr;
  ModuleId module = program_.ModuleOf(address.module);
  for (const RemovedRule& rule : removed_) {
    if (!rule.is_module) {
      found = rule.module == module && rule.resource == address.resource ? &rule : found;
      continue;
    }
    for (ModuleId at = module; !at.is_root(); at = program_.Parent(at)) {
      found = at == rule.module ? &rule : found;
    }
  }
  return found;
}

void Refactoring::ValidateRemoved(Diagnostics& diags) const {
  for (const RemovedRule& rule : removed_) {
    const config::ConfigNode* node = config_.Find(rule.module);
    if (node == nullptr) {
      continue;
    }
    if (rule.is_module) {
      diags.Error("Removed module block still exists",
                  "This statement declares a removal of the module " +
                      program_.ToText(rule.module) +
                      ", but this module block still exists in the configuration. Please remove "
                      "the module block.",
                  rule.block->range);
    } else if (node->module->FindResource(rule.resource) >= 0) {
      diags.Error("Removed resource block still exists",
                  "This statement declares a removal of the resource " +
                      program_.ToText(ConfigResource{rule.module, rule.resource}) +
                      ", but this resource block still exists in the configuration. Please remove "
                      "the resource block.",
                  rule.block->range);
    }
  }
}

namespace {

std::string EndText(Program& program, const MoveEnd& end, const Steps& steps) {
  const ModuleInstId module = InstanceOf(program, steps);
  return end.is_module ? program.ToText(module)
                       : program.ToText(ResourceInstance{{module, end.resource}, end.key});
}

}  // namespace

void Refactoring::ValidateMoves(const Walk& walk, Diagnostics& diags) const {
  FlatMap<uint32_t, const ModuleInstance*> declared;
  for (const auto& list : walk.slots.instances) {
    for (const ModuleInstance* instance : list) {
      declared.emplace(instance->id.id, instance);
    }
  }
  auto exists = [&](const MoveEnd& end, const Steps& steps) {
    Steps outer = steps;
    if (end.is_module && end.whole) {
      outer.pop_back();
    }
    auto it = declared.find(InstanceOf(program_, outer).id);
    if (it == declared.end()) {
      return false;
    }
    const ModuleInstance& instance = *it->second;
    if (end.is_module) {
      return !end.whole || instance.node->module->FindCall(steps.back().call) >= 0;
    }
    int index = instance.node->module->FindResource(end.resource);
    if (index < 0 || end.whole) {
      return index >= 0;
    }
    const Row* row = instance.resources[static_cast<size_t>(index)]->Find(end.key);
    return row != nullptr && !row->orphan();
  };
  auto text = [&](const MoveEnd& end, const Steps& steps) { return EndText(program_, end, steps); };
  struct Other {
    std::string address;
    SourceRange range;
  };
  std::map<std::string, Other> sources;
  std::map<std::string, Other> targets;
  size_t errors = diags.error_count();
  for (const MoveStatement& statement : statements_) {
    if (statement.implied) {
      continue;
    }
    for (const ModuleInstance* instance : walk.slots.instances[statement.node->index]) {
      auto absolute = [&](const MoveEnd& end) {
        Steps steps = StepsOf(program_, instance->id);
        steps.insert(steps.end(), end.steps.begin() + static_cast<ptrdiff_t>(end.open),
                     end.steps.end());
        return steps;
      };
      Steps from_steps = absolute(statement.from);
      std::string from = text(statement.from, from_steps);
      std::string to = text(statement.to, absolute(statement.to));
      if (from == to) {
        diags.Error("Redundant move statement",
                    "This statement declares a move from " + from +
                        " to the same address, which is the same as not declaring this move at "
                        "all.",
                    statement.range);
        continue;
      }
      if (exists(statement.from, from_steps)) {
        diags.Error("Moved object still exists",
                    "This statement declares a move from " + from + ", but that " +
                        (statement.from.is_module ? "module" : "resource") +
                        " is still declared.\n\nDeclare it as " + to + " instead.",
                    statement.range);
      }
      std::string suffix = statement.from.whole ? "*" : "";
      auto ambiguous = [&](std::map<std::string, Other>& known, const std::string& address,
                           const std::string& other, bool is_source) {
        auto [it, added] = known.emplace(address + suffix, Other{other, statement.range});
        if (!added && it->second.address != other) {
          diags.Error("Ambiguous move statements",
                      "A statement at " + StartText(it->second.range) + " declared that " +
                          (is_source ? address + " moved to " + it->second.address
                                     : it->second.address + " moved to " + address) +
                          ", but this statement instead declares that " +
                          (is_source ? "it moved to " + other : other + " moved there") + ".",
                      statement.range);
        }
      };
      ambiguous(sources, from, to, true);
      ambiguous(targets, to, from, false);
    }
  }
  if (diags.error_count() == errors) {
    ReportCycles(diags);
  }
}

void Refactoring::ReportCycles(Diagnostics& diags) const {
  for (const std::vector<uint32_t>& cycle : cycles_) {
    std::vector<std::string> lines;
    for (uint32_t index : cycle) {
      const MoveStatement& statement = statements_[index];
      lines.push_back("\n  - " + EndText(program_, statement.from, statement.from.steps) + " to " +
                      EndText(program_, statement.to, statement.to.steps));
    }
    std::sort(lines.begin(), lines.end());
    std::string list;
    for (const std::string& line : lines) {
      list += line;
    }
    diags.Error("Cyclic dependency in move statements",
                "The following chained move statements form a cycle, and so there is no final "
                "location to move objects to:" +
                    list);
  }
}

void Refactoring::WarnBlocked(Diagnostics& diags) const {
  if (blocked_.empty()) {
    return;
  }
  std::string list;
  for (const auto& [actual, wanted] : blocked_) {
    list += "\n  - " + actual + " could not move to " + wanted;
  }
  diags.Warning(
      "Unresolved resource instance address changes",
      "Some objects could not get their new address, because there is another object:" + list +
          "\n\nThey are planned to be destroyed. If that is not what you want, resolve "
          "the conflict with the \"tofu state\" commands and plan again.");
}

}  // namespace kinu::engine
