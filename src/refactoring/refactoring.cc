#include "refactoring/refactoring.h"

#include <algorithm>
#include <map>

#include "base/digraph.h"

namespace kinu::refactoring {
namespace {

/// "main.tf:3,1": where a range begins.
std::string StartText(const SourceRange& range) {
  const Position start = range.start_position();
  return range.file->name() + ":" + std::to_string(start.line) + "," + std::to_string(start.column);
}

}  // namespace

Refactoring::Refactoring(const config::Config& config, const state::State* prior)
    : config_(config), program_(*config.program), statements_(ReadMoves(config)) {
  for (const auto& node : config.nodes) {
    for (const config::Removed& removed : node->module->removed) {
      RemovedStatement statement{&removed, node.get(), node->path, removed.from.is_module,
                                 removed.from.resource};
      for (const Step& step : StepsOf(program_, removed.from.module)) {
        statement.module = program_.Module(statement.module, step.call);
      }
      removed_.push_back(statement);
    }
  }
  if (prior == nullptr || prior->resources.empty()) {
    Order();
    return;
  }
  AddImpliedMoves(config, *prior, statements_);
  Order();
  if (cycles_.empty() && !statements_.empty()) {
    state_ = prior->Clone();
    has_state_ = true;
    for (uint32_t index : order_) {
      Execute(statements_[index]);
    }
  }
}

void Refactoring::Order() {
  // People write few statements, so each is compared with each. Implied moves of resources concern
  // different objects and wait only for explicit moves around them.
  Digraph graph;
  for (size_t i = 0; i < statements_.size(); ++i) {
    graph.AddNode();
  }
  for (uint32_t a = 0; a < statements_.size(); ++a) {
    for (uint32_t b = 0; b < statements_.size(); ++b) {
      const bool both_implied = statements_[a].implied && statements_[b].implied &&
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

const RemovedStatement* Refactoring::FindRemoved(const AbsResource& address) const {
  if (removed_.empty()) {
    return nullptr;
  }
  const RemovedStatement* found = nullptr;
  ModuleId module = program_.ModuleOf(address.module);
  for (const RemovedStatement& rule : removed_) {
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
  for (const RemovedStatement& rule : removed_) {
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

/// Compares the moves of all instances of the modules that declare them.
class MoveValidator {
 public:
  MoveValidator(const DeclaredInstances& declared, Diagnostics& diags)
      : config_(declared.config()), program_(*config_.program), declared_(declared), diags_(diags) {
    for (const auto& node : config_.nodes) {
      for (ModuleInstId module : declared.ModuleInstances(*node)) {
        modules_.insert(module.id);
      }
    }
  }

  /// Checks a statement as it stands in one instance of the module that declares it.
  void Check(const MoveStatement& move, ModuleInstId place) {
    auto absolute = [&](const MoveEnd& end) {
      Steps steps = StepsOf(program_, place);
      steps.insert(steps.end(), end.steps.begin() + static_cast<ptrdiff_t>(end.open),
                   end.steps.end());
      return steps;
    };
    const Steps from_steps = absolute(move.from);
    const std::string from = move.from.ToText(program_, from_steps);
    const std::string to = move.to.ToText(program_, absolute(move.to));
    if (from == to) {
      diags_.Error("Redundant move statement",
                   "This statement declares a move from " + from +
                       " to the same address, which is the same as not declaring this move at "
                       "all.",
                   move.range);
      return;
    }
    if (IsDeclared(move.from, from_steps)) {
      diags_.Error("Moved object still exists",
                   "This statement declares a move from " + from + ", but that " +
                       (move.from.is_module ? "module" : "resource") +
                       " is still declared.\n\nDeclare it as " + to + " instead.",
                   move.range);
    }
    const std::string suffix = move.from.whole ? "*" : "";
    if (const Known* other = FindOther(sources_, from + suffix, to, move.range)) {
      ReportAmbiguous(*other, from + " moved to " + other->address, "it moved to " + to, move);
    }
    if (const Known* other = FindOther(targets_, to + suffix, from, move.range)) {
      ReportAmbiguous(*other, other->address + " moved to " + to, from + " moved there", move);
    }
  }

 private:
  /// The first statement with an address at one end: the address at its other end.
  struct Known {
    std::string address;
    SourceRange range;
  };
  using KnownEnds = std::map<std::string, Known>;

  bool IsDeclared(const MoveEnd& end, const Steps& steps) const {
    Steps outer = steps;
    if (end.is_module && end.whole) {
      outer.pop_back();
    }
    const ModuleInstId module = InstanceOf(program_, outer);
    if (!modules_.contains(module.id)) {
      return false;
    }
    const config::Module& block = *config_.Find(program_.ModuleOf(module))->module;
    if (end.is_module) {
      return !end.whole || block.FindCall(steps.back().call) >= 0;
    }
    return block.FindResource(end.resource) >= 0 &&
           (end.whole || declared_.Declares({{module, end.resource}, end.key}));
  }

  /// The earlier statement that gives `address` another other end, or null.
  static const Known* FindOther(KnownEnds& known, const std::string& address,
                                const std::string& other_end, const SourceRange& range) {
    auto [it, added] = known.emplace(address, Known{other_end, range});
    return !added && it->second.address != other_end ? &it->second : nullptr;
  }

  void ReportAmbiguous(const Known& other, const std::string& was_declared,
                       const std::string& is_declared, const MoveStatement& move) {
    diags_.Error("Ambiguous move statements",
                 "A statement at " + StartText(other.range) + " declared that " + was_declared +
                     ", but this statement instead declares that " + is_declared + ".",
                 move.range);
  }

  const config::Config& config_;
  Program& program_;
  const DeclaredInstances& declared_;
  Diagnostics& diags_;
  FlatSet<uint32_t> modules_;
  KnownEnds sources_;
  KnownEnds targets_;
};

}  // namespace

void Refactoring::ValidateMoves(const DeclaredInstances& declared, Diagnostics& diags) const {
  const size_t errors = diags.error_count();
  MoveValidator validator(declared, diags);
  for (const MoveStatement& move : statements_) {
    if (move.implied) {
      continue;
    }
    for (ModuleInstId place : declared.ModuleInstances(*move.node)) {
      validator.Check(move, place);
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
      lines.push_back("\n  - " + statement.from.ToText(program_, statement.from.steps) + " to " +
                      statement.to.ToText(program_, statement.to.steps));
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

}  // namespace kinu::refactoring
