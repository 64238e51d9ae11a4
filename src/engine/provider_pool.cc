#include "engine/provider_pool.h"

namespace kinu::engine {

std::unique_ptr<provider::Provider> ProviderPool::Take(const ProviderConfig& address, size_t row) {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < idle_.size(); ++i) {
    if (idle_[i].address == address && idle_[i].row == row) {
      auto provider = std::move(idle_[i].provider);
      idle_.erase(idle_.begin() + static_cast<ptrdiff_t>(i));
      in_use_.push_back(provider.get());
      return provider;
    }
  }
  return nullptr;
}

void ProviderPool::Use(provider::Provider& started) {
  std::lock_guard lock(mutex_);
  in_use_.push_back(&started);
}

void ProviderPool::Put(const ProviderConfig& address, size_t row,
                       std::unique_ptr<provider::Provider> provider) {
  std::lock_guard lock(mutex_);
  std::erase(in_use_, provider.get());
  idle_.push_back({address, row, std::move(provider)});
}

void ProviderPool::StopAll() {
  std::lock_guard lock(mutex_);
  for (provider::Provider* provider : in_use_) {
    provider->Stop();
  }
}

void ProviderPool::CloseAll() {
  std::lock_guard lock(mutex_);
  for (Entry& entry : idle_) {
    entry.provider->Close();
  }
  idle_.clear();
}

}  // namespace kinu::engine
