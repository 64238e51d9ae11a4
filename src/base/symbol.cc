#include "base/symbol.h"

#include <array>
#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "base/arena.h"
#include "base/check.h"
#include "base/flat_map.h"

namespace kinu {
namespace {

// Texts live in chunks of doubling size that never move, so readers need no lock.
constexpr uint32_t kFirstChunkBits = 10;
constexpr size_t kChunks = 32 - kFirstChunkBits;

size_t ChunkOf(uint32_t id, uint32_t* offset) {
  uint32_t shifted = (id >> kFirstChunkBits) + 1;
  size_t chunk = 31 - static_cast<size_t>(__builtin_clz(shifted));
  *offset = id - (((uint32_t{1} << chunk) - 1) << kFirstChunkBits);
  return chunk;
}

}  // namespace

struct SymbolTable::Impl {
  mutable std::shared_mutex mutex;
  Arena arena;
  FlatMap<std::string_view, uint32_t> ids;
  std::array<std::atomic<std::string_view*>, kChunks> chunks{};
  uint32_t next = 0;

  ~Impl() {
    for (auto& chunk : chunks) {
      delete[] chunk.load();
    }
  }

  uint32_t Append(std::string_view text) {
    uint32_t id = next++;
    uint32_t offset = 0;
    size_t chunk = ChunkOf(id, &offset);
    if (chunks[chunk].load() == nullptr) {
      chunks[chunk].store(new std::string_view[size_t{1} << (chunk + kFirstChunkBits)]);
    }
    std::string_view kept = arena.CopyString(text);
    chunks[chunk].load()[offset] = kept;
    ids.emplace(kept, id);
    return id;
  }
};

SymbolTable::SymbolTable() : impl_(std::make_unique<Impl>()) {
  impl_->Append("");
}
SymbolTable::~SymbolTable() = default;

Symbol SymbolTable::Intern(std::string_view text) {
  {
    std::shared_lock lock(impl_->mutex);
    auto it = impl_->ids.find(text);
    if (it != impl_->ids.end()) {
      return Symbol{it->second};
    }
  }
  std::unique_lock lock(impl_->mutex);
  auto it = impl_->ids.find(text);
  return Symbol{it != impl_->ids.end() ? it->second : impl_->Append(text)};
}

Symbol SymbolTable::Find(std::string_view text) const {
  std::shared_lock lock(impl_->mutex);
  auto it = impl_->ids.find(text);
  return it != impl_->ids.end() ? Symbol{it->second} : Symbol{};
}

std::string_view SymbolTable::Text(Symbol symbol) const {
  uint32_t offset = 0;
  size_t chunk = ChunkOf(symbol.id, &offset);
  std::string_view* texts = impl_->chunks[chunk].load(std::memory_order_acquire);
  KINU_CHECK(texts != nullptr, "symbol of another table");
  return texts[offset];
}

}  // namespace kinu
