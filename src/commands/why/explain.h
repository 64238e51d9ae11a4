// Why a plan changes an object: the causes of each change, down to what somebody did.
//
// A state has objects, but no earlier variables, local values and literals. What a plan knows of
// both sides (objects) is compared. An expression is also evaluated with all objects as they were:
// if its result is the old value, the objects alone explain the change. If it is not, all else that
// the expression depends on is listed as possible, or compared with an earlier configuration.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "config/config.h"
#include "plan/plan.h"
#include "plan_json/schema_lookup.h"

namespace kinu::why {

/// What a cause is. Those from kEdited on are roots: nothing is known behind them.
enum class CauseKind : uint8_t {
  kObject,       ///< the change of an object
  kAttribute,    ///< an attribute of an object that differs
  kLocal,        ///< a local value
  kOutput,       ///< an output of a module
  kArgument,     ///< an argument of a module call
  kRepetition,   ///< count, for_each or enabled of a block or a call
  kReplacement,  ///< a changed attribute that the provider cannot update
  kTriggered,    ///< replace_triggered_by
  kDependency,   ///< depends_on: the data are read after what it names has changed
  kEdited,       ///< the text of an argument
  kVariable,     ///< the value of a root variable
  kFile,         ///< the content of a file that an expression reads
  kWorkspace,    ///< the name of the workspace
  kImpure,       ///< a function whose results differ from call to call
  kDrift,        ///< the real object is not as the state said
  kGone,         ///< the real object does not exist any more
  kData,         ///< a data source returned something else
  kProvider,     ///< the provider decides the value
  kRequested,    ///< -replace
  kTainted,
  kMoved,
  kImported,
  kNewBlock,      ///< the state has no object of the block
  kNoBlock,       ///< no block declares the object any more
  kRemovedBlock,  ///< a `removed` block, or `destroy = false`
  kNoModule,      ///< no call makes the module of the object any more
  kNewKey,        ///< the block has an instance that the state does not have
  kNoKey,         ///< the block has no such instance any more
  kDestroy,       ///< -destroy
  kDeposed,       ///< the old object of an interrupted replacement
  kSensitivity,   ///< only what is sensitive differs
  kNotKnown,      ///< nothing that is known explains it
};
/// The name in documents: "edited_argument", ….
std::string_view KindName(CauseKind kind);
bool IsRoot(CauseKind kind);

/// One node of the graph of causes.
struct Cause {
  CauseKind kind = CauseKind::kNotKnown;
  /// Somewhere among the causes of a change is one that is not certain: one of them, or several.
  bool certain = true;
  std::string address;  ///< of an object or a named value; of a file: its path
  std::string path;     ///< the attribute: "tags"
  std::string before;   ///< JSON, or "(sensitive value)"; empty: not known or absent
  std::string after;    ///< likewise; "(known after apply)"
  /// Of an object or a root output: its action; of a variable: where its value is given.
  std::string note;
  std::string reason;            ///< of an object: the reason, as documents name it
  std::string deposed;           ///< key of a deposed object
  SourceRange range;             ///< the block or the expression
  std::string text;              ///< first line of the expression; empty if it may be sensitive
  std::vector<uint32_t> causes;  ///< positions in Explanation::causes
};

/// A module call on the way to a block.
struct Call {
  std::string address;  ///< "module.a"
  SourceRange range;
};

/// What is explained of an object, or of an output of the root module.
struct ExplainedObject {
  uint32_t cause = 0;            ///< its node, a kObject or a kOutput
  std::vector<Call> calls = {};  ///< of an output: none
};

struct Explanation {
  std::vector<Cause> causes;
  std::vector<ExplainedObject> objects;  ///< in the order of the plan
  std::vector<ExplainedObject> outputs;  ///< of the root module, likewise
  bool errored = false;                  ///< the plan is incomplete
  size_t steps = 0;                      ///< references that were looked at; tests count them

  bool empty() const { return objects.empty() && outputs.empty(); }
};

/// An earlier plan or configuration of the same Program, to compare with.
struct Earlier {
  const config::Config* config = nullptr;
  /// The values of root variables, without those that have their defaults; null: not known.
  const std::map<std::string, Value>* variables = nullptr;
  /// Variables whose values are not known; null: none.
  const FlatSet<std::string>* unknown = nullptr;
  std::string_view directory = {};  ///< with the earlier files; empty: they are not known
};

struct Request {
  const plan::Plan& plan;
  const config::Config& config;
  const view::SchemaLookup& schemas;
  Earlier earlier = {};
  /// Where the value of a root variable was given ("-var"), for Cause::note; null: not known.
  std::function<std::string(std::string_view variable)> origin = nullptr;
};

/// Accepts the addresses of objects, and of outputs of the root module ("output.name").
using Wanted = std::function<bool(const std::string& address)>;

/// Explains the changes of some objects and outputs: those that `wanted` accepts; null: all that
/// change. What is wanted and does not change is explained by its block alone.
Explanation Explain(const Request& request, const Wanted& wanted = nullptr);

}  // namespace kinu::why
