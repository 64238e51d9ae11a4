#include "refactoring/move_statement.h"

#include <algorithm>
#include <span>

#include "refactoring/move_index.h"

namespace kinu::refactoring {
namespace {

/// The steps to a module whose instance is not specified.
Steps StepsWithoutKeys(const Program& program, ModuleId module) {
  Steps out;
  for (; !module.is_root(); module = program.Parent(module)) {
    out.push_back({program.CallName(module), InstanceKey()});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

MoveEnd EndOf(const Program& program, const Steps& declaring, const config::Endpoint& endpoint,
              bool whole) {
  MoveEnd end{.steps = declaring,
              .open = declaring.size(),
              .is_module = endpoint.is_module,
              .whole = whole,
              .resource = endpoint.resource,
              .key = endpoint.key};
  const Steps inner = StepsOf(program, endpoint.module);
  end.steps.insert(end.steps.end(), inner.begin(), inner.end());
  return end;
}

/// Finds the moves that a change of count implies.
class ImpliedMoves {
 public:
  ImpliedMoves(const config::Config& config, std::span<const MoveStatement> explicit_moves)
      : config_(config), program_(*config.program) {
    for (const MoveStatement& move : explicit_moves) {
      explicit_.Add(move.from, 0);
      explicit_.Add(move.to, 0);
    }
  }

  void Add(const state::Resource& resource) {
    for (ModuleInstId at = resource.address.module; !at.is_root(); at = program_.Parent(at)) {
      if (!seen_.insert(at.id).second) {
        break;
      }
      AddModule(at);
    }
    AddResource(resource);
  }

  std::vector<MoveStatement> moves;

 private:
  /// A call with count has instances 0 and up; one without has an instance without key.
  static InstanceKey KeyWith(const hcl::Expr* count) {
    return count != nullptr ? InstanceKey::Int(0) : InstanceKey();
  }

  void AddModule(ModuleInstId module) {
    const config::ConfigNode* node = config_.Find(program_.ModuleOf(module));
    if (node == nullptr || node->parent == nullptr) {
      return;
    }
    const config::ModuleCall& call = node->parent->module->calls[static_cast<size_t>(node->call)];
    const InstanceKey have = program_.Key(module);
    const InstanceKey want = KeyWith(call.count);
    if (call.for_each != nullptr || have == want || !(have.none() || have == InstanceKey::Int(0))) {
      return;
    }
    Steps steps = StepsOf(program_, module);
    if (explicit_.Mentions(steps, nullptr)) {
      return;
    }
    MoveStatement move{.range = call.range, .implied = true};
    move.from.is_module = move.to.is_module = true;
    move.from.steps = move.to.steps = std::move(steps);
    move.to.steps.back().key = want;
    moves.push_back(std::move(move));
  }

  void AddResource(const state::Resource& resource) {
    const AbsResource& address = resource.address;
    const config::ConfigNode* node = config_.Find(program_.ModuleOf(address.module));
    const int index = node == nullptr ? -1 : node->module->FindResource(address.resource);
    if (index < 0) {
      return;
    }
    const config::Resource& block = node->module->resources[static_cast<size_t>(index)];
    const InstanceKey have = block.count != nullptr ? InstanceKey() : InstanceKey::Int(0);
    if (block.for_each != nullptr || resource.Find(have) == nullptr) {
      return;
    }
    Steps steps = StepsOf(program_, address.module);
    if (explicit_.Mentions(steps, &address.resource)) {
      return;
    }
    MoveStatement move{.range = block.range, .implied = true};
    move.from.steps = move.to.steps = std::move(steps);
    move.from.resource = move.to.resource = address.resource;
    move.from.key = have;
    move.to.key = KeyWith(block.count);
    moves.push_back(std::move(move));
  }

  const config::Config& config_;
  const Program& program_;
  EndIndex explicit_;
  FlatSet<uint32_t> seen_;  ///< module instances
};

}  // namespace

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

std::vector<StepPattern> MoveEnd::Pattern() const {
  std::vector<StepPattern> pattern;
  pattern.reserve(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    pattern.push_back({steps[i].call, IsAnyKey(i) ? std::nullopt : std::optional(steps[i].key)});
  }
  return pattern;
}

/// Whether both ends can have the same first `count` steps.
bool MoveEnd::Overlaps(const MoveEnd& other, size_t count) const {
  for (size_t i = 0; i < count; ++i) {
    if (steps[i].call != other.steps[i].call ||
        (!IsAnyKey(i) && !other.IsAnyKey(i) && !(steps[i].key == other.steps[i].key))) {
      return false;
    }
  }
  return true;
}

bool MoveEnd::CanBe(const MoveEnd& other) const {
  if (is_module != other.is_module || steps.size() != other.steps.size() ||
      !Overlaps(other, steps.size())) {
    return false;
  }
  return is_module || (resource == other.resource && (whole || other.whole || key == other.key));
}

bool MoveEnd::InsideOf(const MoveEnd& other) const {
  if (other.is_module) {
    const bool deeper = !is_module || steps.size() > other.steps.size();
    return deeper && steps.size() >= other.steps.size() && Overlaps(other, other.steps.size());
  }
  return !is_module && other.whole && !whole && resource == other.resource &&
         steps.size() == other.steps.size() && Overlaps(other, steps.size());
}

Steps MoveEnd::Replace(const MoveEnd& from, const Steps& address) const {
  Steps out(address.begin(), address.begin() + static_cast<ptrdiff_t>(from.open));
  out.insert(out.end(), steps.begin() + static_cast<ptrdiff_t>(open), steps.end());
  if (is_module && whole && !out.empty()) {
    out.back().key = address[from.steps.size() - 1].key;
  }
  out.insert(out.end(), address.begin() + static_cast<ptrdiff_t>(from.steps.size()), address.end());
  return out;
}

std::string MoveEnd::ToText(Program& program, const Steps& absolute) const {
  const ModuleInstId module = InstanceOf(program, absolute);
  return is_module ? program.ToText(module)
                   : program.ToText(ResourceInstance{{module, resource}, key});
}

bool MoveStatement::WaitsFor(const MoveStatement& other) const {
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
  const bool changes_key =
      from.is_module && std::ranges::equal(from.steps, to.steps, {}, &Step::call, &Step::call);
  return !changes_key;
}

std::vector<MoveStatement> ReadMoves(const config::Config& config) {
  const Program& program = *config.program;
  std::vector<MoveStatement> out;
  for (const auto& node : config.nodes) {
    const Steps declaring = StepsWithoutKeys(program, node->path);
    for (const config::Moved& moved : node->module->moved) {
      const config::Endpoint& from = moved.from_endpoint;
      const config::Endpoint& to = moved.to_endpoint;
      const bool whole = from.is_module
                             ? program.Key(from.module).none() && program.Key(to.module).none()
                             : from.key.none() && to.key.none();
      out.push_back({EndOf(program, declaring, from, whole), EndOf(program, declaring, to, whole),
                     moved.range, false, node.get()});
    }
  }
  return out;
}

void AddImpliedMoves(const config::Config& config, const state::State& prior,
                     std::vector<MoveStatement>& statements) {
  ImpliedMoves implied(config, statements);
  for (const auto& resource : prior.resources) {
    implied.Add(*resource);
  }
  std::ranges::move(implied.moves, std::back_inserter(statements));
}

}  // namespace kinu::refactoring
