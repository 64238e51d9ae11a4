// The last step of a row in an apply: the result in the working state and in the store.
#include <algorithm>
#include <utility>

#include "engine/assemble.h"
#include "engine/configuration_digest.h"
#include "engine/rows/apply_row.h"
#include "schema/marks.h"

namespace kinu::engine {

bool Recorder::Record(const state::ObjectRecord& record, state::Durability durability) {
  std::lock_guard lock(mutex_);
  state::Apply(record, working_, state::Husks::kLeave);
  if (store_ == nullptr) {
    return true;
  }
  Result<void> kept = store_->Record(record);
  if (kept) {
    kept = store_->Flush(durability);
  }
  if (kept) {
    kept = WriteInTime();
  }
  if (!kept && failure_.empty()) {
    failure_ = kept.error().message;
    if (on_failure_) {
      on_failure_();
    }
  }
  return kept.has_value();
}

Result<void> Recorder::WriteInTime() {
  const std::optional<std::chrono::seconds> interval = store_->write_interval();
  if (!interval) {
    return {};
  }
  const auto now = std::chrono::steady_clock::now();
  if (!written_) {
    written_ = now;
  }
  const bool stopping = stop_ != nullptr && *stop_;
  if (!stopping && now - *written_ < *interval) {
    return {};
  }
  state::State copy = working_.Clone();
  state::DropHusks(copy);
  Result<void> written = store_->Write(copy);
  written_ = std::chrono::steady_clock::now();
  return written;
}

std::optional<state::Object> Recorder::Current(const ResourceInstance& address) {
  std::lock_guard lock(mutex_);
  const state::Resource* resource = std::as_const(working_).Find(address.resource);
  const state::Instance* instance = resource == nullptr ? nullptr : resource->Find(address.key);
  if (instance == nullptr || instance->current == nullptr) {
    return std::nullopt;
  }
  return *instance->current;
}

std::optional<state::Object> Recorder::Deposed(const ResourceInstance& address,
                                               const std::string& key) {
  std::lock_guard lock(mutex_);
  const state::Resource* resource = std::as_const(working_).Find(address.resource);
  const state::Instance* instance = resource == nullptr ? nullptr : resource->Find(address.key);
  if (instance != nullptr) {
    for (const state::DeposedObject& deposed : instance->deposed) {
      if (deposed.key == key) {
        return deposed.object;
      }
    }
  }
  return std::nullopt;
}

void Recorder::SetOutput(state::OutputValue output) {
  std::lock_guard lock(mutex_);
  working_.SetOutput(std::move(output));
}

state::Object MakeObject(const RowContext& row, const Value& value, const ProviderNotes& notes,
                         state::ObjectStatus status) {
  state::Object object;
  object.status = status;
  object.schema_version =
      row.address.resource.resource.mode == ResourceMode::kManaged
          ? static_cast<uint64_t>(std::max<int64_t>(row.info.schema->version, 0))
          : 0;
  // A value that the provider returns for a write-only attribute is never stored.
  const schema::Block& block = row.info.schema->block;
  state::EncodeObject(block.has_write_only() ? schema::WithoutWriteOnly(block, value) : value,
                      block.implied_type(), object);
  object.private_data = notes.private_data;
  StoreIdentity(*row.info.schema, notes.identity, object);
  object.dependencies = row.info.dependencies;
  object.create_before_destroy = row.create_before_destroy;
  object.skip_destroy = row.row.keeps_object;
  object.configuration = DigestOfConfiguration(row);
  return object;
}

state::ObjectRecord RecordFor(const RowContext& row, state::ObjectRecord::Step step) {
  state::ObjectRecord record;
  record.step = step;
  record.address = row.address;
  record.provider = row.provider_info().address;
  if (!row.row.provider_key.none()) {
    record.provider_key = row.row.provider_key;
  } else if (row.row.stored != nullptr) {
    record.provider_key = row.row.stored->provider_key;
  }
  return record;
}

state::Durability DurabilityOf(const RowContext& row) {
  // Nobody waits for the provider of a data source that is only forgotten.
  return row.address.resource.resource.mode == ResourceMode::kManaged &&
                 row.provider_slot().blocking
             ? state::Durability::kPowerLoss
             : state::Durability::kKill;
}

}  // namespace kinu::engine
