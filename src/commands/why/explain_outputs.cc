// Causes of the changes of the root module's outputs.
#include <algorithm>

#include "plan_json/documents.h"
#include "why/explainer.h"

namespace kinu::why {

using plan::Action;
using plan::OutputChange;

namespace {

/// The root module's block of an output, or null.
const config::Output* BlockIn(const config::Config& config, Symbol name) {
  const config::Module& root = *config.root().module;
  const int at = root.FindOutput(name);
  return at < 0 ? nullptr : &root.outputs[static_cast<size_t>(at)];
}

}  // namespace

void Explainer::AddOutputs(const Wanted& wanted) {
  FlatSet<std::string> seen;
  for (const OutputChange& change : request_.plan.outputs) {
    const std::string address = "output." + change.name;
    if (wanted ? wanted(address) : change.action != Action::kNoOp) {
      seen.insert(address);
      out_.outputs.push_back({.cause = OfOutput(change)});
    }
  }
  if (!wanted) {
    return;
  }
  // A plan that was interrupted, or that destroys, has not all of them.
  for (const config::Output& block : request_.config.root().module->outputs) {
    const std::string name(program_.Text(block.name));
    if (wanted("output." + name) && seen.insert("output." + name).second) {
      out_.outputs.push_back({.cause = OfOutput({.name = name})});
    }
  }
}

uint32_t Explainer::OfOutput(const OutputChange& change) {
  const config::Output* block = BlockIn(request_.config, program_.Find(change.name));
  Cause cause{.kind = CauseKind::kOutput,
              .address = "output." + change.name,
              .note = std::string(view::ActionWord(change.action))};
  if (block != nullptr) {
    cause.range = block->range;
  }
  if (change.action != Action::kNoOp) {
    SetValues(cause, change.before, change.after, change.sensitive);
  }
  if (change.action == Action::kCreate) {
    cause.before.clear();
  } else if (change.action == Action::kDelete) {
    cause.after.clear();
  }
  const std::string key = "O|" + change.name;
  const Made made = Make(key, std::move(cause));
  if (made.is_new && change.action != Action::kNoOp) {
    Causes causes;
    ExplainOutput(change, block, causes);
    SetCauses(made.at, std::move(causes));
  }
  return made.at;
}

void Explainer::ExplainOutput(const OutputChange& change, const config::Output* block,
                              Causes& causes) {
  const std::string address = "output." + change.name;
  const auto leaf = [&](CauseKind kind) {
    Leaf("O|" + std::to_string(static_cast<int>(kind)) + "|" + change.name,
         {.kind = kind, .address = address}, causes);
  };
  if (change.action == Action::kDelete) {
    const bool asked = request_.plan.mode == plan::Mode::kDestroy;
    leaf(asked ? CauseKind::kDestroy : CauseKind::kNoBlock);
    return;
  }
  if (block == nullptr || block->expr == nullptr) {
    leaf(CauseKind::kNotKnown);
    return;
  }
  ExplainOutputArguments(change, *block, causes);
  if (change.action == Action::kCreate ? !IsNewOutput(change, *block, causes)
                                       : Differ(change.before, change.after)) {
    ExplainOutputValue(change, *block, causes);
  }
  if (causes.empty()) {
    leaf(CauseKind::kNotKnown);
  }
}

/// Arguments beside the value that the state has as well.
void Explainer::ExplainOutputArguments(const OutputChange& change, const config::Output& block,
                                       Causes& causes) {
  const state::OutputValue* stored = request_.plan.previous_state.FindOutput(change.name);
  if (stored == nullptr || change.action != Action::kUpdate) {
    return;
  }
  const auto edited = [&](bool differs, const char* argument) {
    if (differs) {
      Leaf("O|" + std::string(argument) + "|" + change.name,
           {.kind = CauseKind::kEdited,
            .address = "output." + change.name,
            .path = argument,
            .range = block.range},
           causes);
    }
  };
  edited(stored->sensitive != block.sensitive, "sensitive");
  edited(stored->deprecated != block.deprecated, "deprecated");
}

/// Whether nothing but the block itself brings an output: the state has none, as of one that was
/// null. Adds the cause.
bool Explainer::IsNewOutput(const OutputChange& change, const config::Output& block,
                            Causes& causes) {
  if (compares() && BlockIn(*request_.earlier.config, block.name) != nullptr) {
    return false;
  }
  const config::ConfigNode& root = request_.config.root();
  const auto at = static_cast<size_t>(&block - root.module->outputs.data());
  const Value then = then_.OfOutput({}, root, at);
  if (!compares() && then.IsWhollyKnown() && then.UnmarkDeep().IsNull()) {
    return false;  // objects alone say why it is not null any more
  }
  const std::string address = "output." + change.name;
  Leaf("n|" + address, {.kind = CauseKind::kNewBlock, .address = address, .range = block.range},
       causes);
  return true;
}

void Explainer::ExplainOutputValue(const OutputChange& change, const config::Output& block,
                                   Causes& causes) {
  const config::ConfigNode& root = request_.config.root();
  const auto at = static_cast<size_t>(&block - root.module->outputs.data());
  const Value now = now_.OfOutput({}, root, at);
  const Value then = then_.OfOutput({}, root, at);
  const std::string address = "output." + change.name;
  std::optional<std::string> earlier;
  if (compares()) {
    const config::Output* before = BlockIn(*request_.earlier.config, block.name);
    earlier = before == nullptr || before->expr == nullptr
                  ? std::nullopt
                  : std::optional(ArgumentOf(*before->expr).text);
  }
  const Argument argument = ArgumentOf(*block.expr);
  const bool hidden = change.sensitive || IsSensitive(now) || IsSensitive(change.before);
  const Place place;
  const Subject subject{argument, place, address, "", earlier, hidden};
  Follow(subject, Search::kKnown, causes);
  const bool explained = then.IsWhollyKnown() && !Differ(then, change.before) && Differ(now, then);
  if (!explained) {
    Follow(subject, Search::kPossible, causes);
  }
}

}  // namespace kinu::why
