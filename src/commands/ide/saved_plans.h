// SavedPlans: the plan files in the directories of root modules, and which actions they have for
// what a module declares. Only the actions are read, no values.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ide/parsed_file.h"
#include "plan/plan.h"

namespace kinu::ide {

/// How often a plan has each action.
using ActionCounts = std::array<size_t, size_t(plan::Action::kForgetThenCreate) + 1>;

/// What is kept of a plan file.
struct SavedPlan {
  /// The actions for the objects of a resource, by the calls that lead to its module ("a.b") and
  /// its key; also for all that a call leads to, and for the outputs of the root.
  std::map<std::string, std::map<Key, ActionCounts>> actions;
  /// The texts that were planned, by module directory and file name: their hashes.
  std::map<std::string, std::map<std::string, size_t>> sources;
  std::string lineage;  ///< of the state that the plan starts from; empty: it was new
  uint64_t serial = 0;
};

/// Thread-safe. A file is read again when it has changed.
class SavedPlans {
 public:
  /// The newest plan in a directory; null: there is none that can be read. Encrypted ones and those
  /// of other releases cannot. `path` is set to its file.
  std::shared_ptr<const SavedPlan> Find(const std::string& directory, std::string& path);

 private:
  struct Known {
    std::string version;  ///< of the file: changes when it is written
    std::shared_ptr<const SavedPlan> plan;
  };
  std::mutex mutex_;
  std::map<std::string, std::map<std::string, Known>> directories_;  ///< files by path
};

/// What plans that are about the present texts and states will do with what a file declares, by
/// key: "update", or "2 create, 1 replace".
std::map<Key, std::string> PlannedActions(const Snapshot& snapshot, const ParsedFile& file);

}  // namespace kinu::ide
