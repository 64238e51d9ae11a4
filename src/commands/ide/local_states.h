// LocalStates: the states that lie in the directories of root modules, and the values in them.
// Nothing is locked, written or fetched: states that are elsewhere or encrypted have no values.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ide/cursor_context.h"
#include "ide/module_names.h"
#include "install/cli_config.h"
#include "state/state.h"
#include "table/source.h"

namespace kinu::ide {

/// A state, and what in it must not be shown: also copies of sensitive texts.
struct LocalState {
  state::State state;
  std::unique_ptr<table::Source> source;
};

/// Thread-safe. A state is read again when its file has changed.
class LocalStates {
 public:
  /// The state of a root module's selected workspace; null: there is none that can be read.
  std::shared_ptr<const LocalState> Find(const std::string& root,
                                         const install::CliConfig& cli_config);

 private:
  struct Known {
    std::string path;
    std::string version;  ///< of the file: changes when it is written
    std::shared_ptr<const LocalState> state;
  };
  std::mutex mutex_;
  std::map<std::string, Known> roots_;
};

/// What changes when a file is written; empty: there is no file that could be read at once.
std::string FileVersion(const std::string& path);
/// The calls that lead to a module, as "a.b".
std::string CallsTo(const Program& program, ModuleId module);

/// A value that an object in a state has.
struct StateValue {
  std::string address;  ///< of the object
  std::string text;     ///< on one line; empty: it is sensitive
};

/// What the objects of a resource have at a path: `aws_vpc.main`, the attribute's steps behind it.
/// An index behind the name chooses an object. Values that are long or null are left out, and those
/// of types whose schema is not known, because nobody can say what in them is sensitive.
std::vector<StateValue> ValuesInStates(ModuleNames& names, std::span<const PathStep> path);
/// What the states of root modules have as an output of this module, which must be the root.
std::vector<StateValue> OutputsInStates(ModuleNames& names, std::string_view output);

}  // namespace kinu::ide
