// The instances of a walk: module instances with their tables of values and rows. Each value and
// row is a slot (engine/slots.h), so no lock is needed to read them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "addrs/address.h"
#include "base/rare.h"
#include "config/config.h"
#include "config/expansion.h"
#include "cty/value.h"
#include "engine/small_mutex.h"
#include "plan/plan.h"
#include "schema/schema.h"
#include "state/state.h"

namespace kinu::engine {

struct ModuleInstance;

using config::Expansion;
using config::Repetition;

/// The data of a provider that belong to an object, beside its attributes.
struct ProviderNotes {
  std::string private_data;
  Value identity;          ///< null: the object has none
  bool is_stored = false;  ///< the identity is the one in the state, in its stored form
};

/// The instances of a block in a state. `stored`: null if there are none.
Expansion ExpansionOfStored(const config::Resource& resource, const state::Resource* stored);
/// The value of a stored object, with the sensitive marks of the schema; nothing if it does not fit
/// the schema.
std::optional<Value> StoredValue(const schema::ResourceSchema& schema, const state::Object& object);

/// Why a table has a row.
enum class RowOrigin : uint8_t {
  kWanted,    ///< the expansion has it
  kImported,  ///< the expansion has it, and its object is imported: the state has none
  kOrphan,    ///< the state has it, but not the expansion
};

/// The progress of reading the object.
enum class RowReading : uint8_t { kNone, kRead, kFailed, kFailedAfterwards };

/// How expressions and results see a row.
enum class RowView : uint8_t {
  kSeen,       ///< its value, which may be unknown
  kLeftOut,    ///< -target or -exclude leaves it unchanged
  kAbsent,     ///< there is no object and none is planned: expressions skip it
  kDeleted,    ///< planned for deletion: expressions no longer see it
  kForgotten,  ///< a data source that is no longer configured: there is no change
};

/// An object of the state as the provider sees it.
struct ReadValues {
  std::optional<Value> previous;  ///< after schema upgrade, before refresh
  Value previous_identity;
  std::optional<Value> refreshed;  ///< after both; empty: there is no object
  ProviderNotes notes;             ///< of `refreshed`
  /// The stored object has attributes that its type lacks (state::HasOtherAttributes).
  bool has_other_attributes = false;
  bool unread = false;         ///< taken from the state, without asking the provider
  uint64_t configuration = 0;  ///< see state::Object
};
/// What is read of a row that has no object.
extern const ReadValues kNothingRead;

/// One instance of a resource during a walk.
struct Row {
  InstanceKey key;
  uint32_t expansion_row = 0;  ///< row in the table's expansion; meaningless for orphans
  RowOrigin origin = RowOrigin::kWanted;
  RowReading reading = RowReading::kNone;
  RowView view = RowView::kSeen;
  bool keeps_object = false;                         ///< lifecycle.destroy = false
  plan::Reason delete_reason = plan::Reason::kNone;  ///< of orphans
  InstanceKey provider_key;                          ///< of a provider with for_each
  const state::Instance* stored = nullptr;           ///< the row in the prior state, if any
  /// The value that expressions see: planned while planning, otherwise stored or new.
  std::optional<Value> value;
  Rare<ReadValues> object;                       ///< what was read of its object, if it has one
  std::unique_ptr<plan::ResourceChange> change;  ///< until the plan is assembled; null: none

  void SetChange(plan::ResourceChange planned) {
    change = std::make_unique<plan::ResourceChange>(std::move(planned));
  }
  const ReadValues& read() const { return object ? *object : kNothingRead; }
  bool orphan() const { return origin == RowOrigin::kOrphan; }
  bool imported() const { return origin == RowOrigin::kImported; }
  bool left_out() const { return view == RowView::kLeftOut; }
  bool absent() const { return view == RowView::kAbsent || (left_out() && !value); }
  bool pending_delete() const { return view == RowView::kDeleted || view == RowView::kForgotten; }
  bool failed() const {
    return reading == RowReading::kFailed || reading == RowReading::kFailedAfterwards;
  }
  /// Sets `reading` when the row is done. `has_errors`: whether its diagnostics have errors.
  void Conclude(bool has_errors) {
    if (has_errors) {
      reading = reading == RowReading::kRead ? RowReading::kFailedAfterwards : RowReading::kFailed;
    }
  }
};

/// The rows of one resource block in one module instance.
struct ResourceTable {
  Expansion expansion;
  std::vector<Row> rows;  ///< expansion order, then orphans in key order
  bool expanded = false;
  bool has_gaps = false;  ///< some rows are absent, or some orphans stay
  bool stored = false;    ///< applying: the state has an instance, with any key
  /// Row of a key, or null.
  Row* Find(const InstanceKey& key) {
    const std::optional<size_t> row = Position(key);
    return row ? &rows[*row] : nullptr;
  }
  const Row* Find(const InstanceKey& key) const {
    const std::optional<size_t> row = Position(key);
    return row ? &rows[*row] : nullptr;
  }

  // The whole resource as a value, made when an expression first reads it after the block is done.
  // Not of a single row without deprecated parts, which is its own whole.
  mutable SmallMutex whole_mutex;
  mutable std::optional<Value> whole;
  /// for_each key to row; made by the first Find()
  mutable std::unique_ptr<FlatMap<uint32_t, uint32_t>> key_index;

 private:
  std::optional<size_t> Position(const InstanceKey& key) const;
};

/// The instances of one module call inside one module instance.
struct CallTable {
  Expansion expansion;
  bool expanded = false;
  std::vector<std::unique_ptr<ModuleInstance>> instances;  ///< one per expansion row
  mutable std::mutex whole_mutex;
  mutable std::optional<Value> whole;
};

/// An output of one instance of a module. Set once; may be read while it is set.
class OutputSlot {
 public:
  /// Whether the walk came to it, without an error.
  bool evaluated() const { return evaluated_.load(std::memory_order_acquire); }
  /// Unknown until it is evaluated.
  Value value() const { return evaluated() ? value_ : Value::DynamicUnknown(); }

  void Set(Value value) {
    value_ = std::move(value);
    evaluated_.store(true, std::memory_order_release);
  }

 private:
  Value value_;
  std::atomic<bool> evaluated_ = false;
};

/// One instance of a module.
struct ModuleInstance {
  ModuleInstId id;
  const config::ConfigNode* node = nullptr;
  ModuleInstance* parent = nullptr;
  Repetition repetition;  ///< of the call that made it
  std::vector<Value> variables;
  std::vector<Value> locals;
  std::vector<OutputSlot> outputs;
  std::vector<std::unique_ptr<ResourceTable>> resources;
  std::vector<std::unique_ptr<CallTable>> calls;

  /// Makes empty tables for everything that the module declares.
  static std::unique_ptr<ModuleInstance> Make(ModuleInstId id, const config::ConfigNode* node,
                                              ModuleInstance* parent, Repetition repetition);
};

}  // namespace kinu::engine
