#include "refactoring/refactoring.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/digraph.h"
#include "base/program_name.h"

namespace kinu::refactoring {
namespace {

/// "main.tf:3,1": where a range begins.
std::string StartText(const SourceRange& range) {
  const Position start = range.start_position();
  return range.file->name() + ":" + std::to_string(start.line) + "," + std::to_string(start.column);
}

}  // namespace

Refactoring::Refactoring(const config::Config& config, const state::State* prior)
    : config_(config),
      program_(*config.program),
      objects_(program_),
      statements_(ReadMoves(config)) {
  for (const auto& node : config.nodes) {
    for (const config::Removed& removed : node->module->removed) {
      RemovedStatement statement{&removed, node.get(), node->path, removed.from.is_module,
                                 removed.from.resource};
      for (const Step& step : StepsOf(program_, removed.from.module)) {
        statement.module = program_.Module(statement.module, step.call);
      }
      const auto number = static_cast<uint32_t>(removed_.size());
      if (statement.is_module) {
        removed_modules_[statement.module] = number;
      } else {
        removed_resources_[{statement.module, statement.resource}] = number;
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
    for (const auto& resource : prior->resources) {
      objects_.Add(resource->address);
    }
    for (uint32_t index : order_) {
      Execute(statements_[index]);
    }
  }
}

void Refactoring::Order() {
  Digraph graph;
  EndIndex starts;
  EndIndex ends;
  for (uint32_t i = 0; i < statements_.size(); ++i) {
    graph.AddNode();
    starts.Add(statements_[i].from, i);
    ends.Add(statements_[i].to, i);
  }
  const auto connect = [&](uint32_t a, uint32_t b) {
    // Implied moves of resources concern different objects and wait only for moves around them.
    const bool both_implied = statements_[a].implied && statements_[b].implied &&
                              !statements_[a].from.is_module && !statements_[b].from.is_module;
    if (a != b && !both_implied && statements_[a].WaitsFor(statements_[b])) {
      graph.AddEdge(a, b);
    }
  };
  std::vector<uint32_t> around;
  for (uint32_t i = 0; i < statements_.size(); ++i) {
    around.clear();
    ends.FindAround(statements_[i].from, around);
    ends.FindAround(statements_[i].to, around);
    std::ranges::for_each(around, [&](uint32_t other) { connect(i, other); });
    around.clear();
    starts.FindAround(statements_[i].from, around);
    starts.FindAround(statements_[i].to, around);
    std::ranges::for_each(around, [&](uint32_t other) { connect(other, i); });
  }
  graph.Finish();
  order_ = graph.Order();
  cycles_ = graph.Cycles();
}

state::Resource& Refactoring::Ensure(const AbsResource& address, const ProviderConfig& provider) {
  objects_.Add(address);
  return state_.Ensure(address, provider);
}

void Refactoring::Remove(const AbsResource& address) {
  state_.Remove(address);
  objects_.Remove(address);
}

void Refactoring::Remember(const ResourceInstance& from, const ResourceInstance& to, bool implied) {
  ResourceInstance first = from;
  if (auto it = previous_.find(from); it != previous_.end()) {
    first = it->second.address;
    previous_.erase(it);
  }
  previous_.emplace(to, Previous{first, implied});
}

void Refactoring::MoveInstance(const ResourceInstance& from, const ResourceInstance& to,
                               bool implied) {
  state::Resource* source = state_.Find(from.resource);
  state::Instance* instance = source->Find(from.key);
  ProviderConfig provider = source->provider;
  state::Instance moved = std::move(*instance);
  source->instances.erase(source->instances.begin() + (instance - source->instances.data()));
  if (source->instances.empty()) {
    Remove(from.resource);
  }
  state::Instance& target = Ensure(to.resource, provider).Ensure(program_, to.key);
  moved.key = to.key;
  target = std::move(moved);
  Remember(from, to, implied);
}

void Refactoring::MoveResource(const AbsResource& from, const AbsResource& to, bool implied) {
  state::Resource* source = state_.Find(from);
  const ProviderConfig provider = source->provider;
  std::vector<state::Instance> instances = std::move(source->instances);
  Remove(from);
  for (const state::Instance& instance : instances) {
    Remember({from, instance.key}, {to, instance.key}, implied);
  }
  Ensure(to, provider).instances = std::move(instances);
}

void Refactoring::MoveModules(const MoveStatement& statement) {
  std::vector<std::pair<AbsResource, AbsResource>> moves;
  FlatSet<uint32_t> blocked;
  for (const AbsResource& address : objects_.Inside(statement.from)) {
    const Steps steps = StepsOf(program_, address.module);
    const ModuleInstId target = InstanceOf(program_, statement.to.Replace(statement.from, steps));
    if (!objects_.HasObjects(target)) {
      moves.emplace_back(address, AbsResource{target, address.resource});
    } else if (blocked.insert(address.module.id).second) {
      blocked_.emplace_back(program_.ToText(address.module), program_.ToText(target));
    }
  }
  for (const auto& [from, to] : moves) {
    MoveResource(from, to, statement.implied);
  }
}

void Refactoring::Execute(const MoveStatement& statement) {
  if (statement.from.is_module) {
    MoveModules(statement);
    return;
  }
  for (const AbsResource& address : objects_.Inside(statement.from)) {
    const Steps steps = StepsOf(program_, address.module);
    const AbsResource target{InstanceOf(program_, statement.to.Replace(statement.from, steps)),
                             statement.to.resource};
    if (statement.from.whole) {
      if (std::as_const(state_).Find(target) != nullptr) {
        blocked_.emplace_back(program_.ToText(address), program_.ToText(target));
      } else {
        MoveResource(address, target, statement.implied);
      }
      continue;
    }
    if (std::as_const(state_).Find(address)->Find(statement.from.key) == nullptr) {
      continue;
    }
    const ResourceInstance from{address, statement.from.key};
    const ResourceInstance to{target, statement.to.key};
    const state::Resource* there = std::as_const(state_).Find(target);
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
  std::optional<uint32_t> last;
  const auto look = [&](const auto& table, const auto& key) {
    if (auto it = table.find(key); it != table.end() && (!last || it->second > *last)) {
      last = it->second;
    }
  };
  const ModuleId module = program_.ModuleOf(address.module);
  look(removed_resources_, ConfigResource{module, address.resource});
  for (ModuleId at = module; !at.is_root(); at = program_.Parent(at)) {
    look(removed_modules_, at);
  }
  return last ? &removed_[*last] : nullptr;
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
    return block.FindResource(end.resource) >= 0 && declared_.ExpandsResources() &&
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
  std::vector<std::pair<std::string, std::string>> sorted = blocked_;
  std::ranges::sort(sorted);
  std::string list;
  for (const auto& [actual, wanted] : sorted) {
    list += "\n  - " + actual + " could not move to " + wanted;
  }
  diags.Warning(
      "Unresolved resource instance address changes",
      "Some objects could not get their new address, because there is another object:" + list +
          Hint("\n\nThey are planned to be destroyed. If that is not what you want, resolve "
               "the conflict with the \"tofu state\" commands and plan again."));
}

}  // namespace kinu::refactoring
