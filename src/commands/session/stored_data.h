// StoredData: the data sources that a state has copies of, for runs that read none.
#pragma once

#include <optional>
#include <string_view>

#include "cty/value.h"
#include "schema/schema.h"
#include "state/state.h"

namespace kinu::session {

/// Safe to use from several threads.
class StoredData {
 public:
  /// `state` outlives this.
  explicit StoredData(const state::State& state) : state_(state) {}

  /// What the data source at `address` had when it was read last. Nothing if there is no copy that
  /// its schema fits.
  std::optional<Value> Find(const schema::ResourceSchema& schema, std::string_view address) const;
  /// What the data source at `address` had when it was read last, if that was with this
  /// configuration, which is wholly known. Nothing if there is no such copy.
  std::optional<Value> Find(const schema::ResourceSchema& schema, std::string_view address,
                            const Value& config) const;

 private:
  const state::State& state_;
};

}  // namespace kinu::session
