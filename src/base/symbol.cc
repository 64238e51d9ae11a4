#include "base/symbol.h"

#include <array>
#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "base/arena.h"
#include "base/flat_map.h"
#include "base/invariant.h"

namespace kinu {
namespace {

// Chunks double in size and never move, so Text() needs no lock.
constexpr uint32_t kFirstChunkBits = 10;
constexpr size_t kChunks = 32 - kFirstChunkBits;

size_t ChunkOf(uint32_t id, uint32_t* offset) {
  uint32_t shifted = (id >> kFirstChunkBits) + 1;
  size_t chunk = 31 - static_cast<size_t>(__builtin_clz(shifted));
  *offset = id - (((uint32_t{1} << chunk) - 1) << kFirstChunkBits);
  return chunk;
}

uint32_t HashOf(std::string_view text) {
  return static_cast<uint32_t>(HashBytes(text));
}

/// Texts by id.
struct Texts {
  std::array<std::atomic<std::string_view*>, kChunks> chunks{};

  ~Texts() {
    for (auto& chunk : chunks) {
      delete[] chunk.load();
    }
  }

  void Set(uint32_t id, std::string_view text) {
    uint32_t offset = 0;
    auto& chunk = chunks[ChunkOf(id, &offset)];
    if (chunk.load() == nullptr) {
      chunk.store(new std::string_view[size_t{1} << (ChunkOf(id, &offset) + kFirstChunkBits)]);
    }
    chunk.load()[offset] = text;
  }

  std::string_view operator[](uint32_t id) const {
    uint32_t offset = 0;
    std::string_view* texts = chunks[ChunkOf(id, &offset)].load(std::memory_order_acquire);
    KINU_INVARIANT(texts != nullptr, "symbol of another table");
    return texts[offset];
  }
};

/// An entry of the hash table. Small, because lookups touch the table at random; holds the hash, so
/// that growing the table does not read the texts again.
struct Entry {
  uint32_t hash = 0;
  uint32_t id = 0;
};

struct LookupKey {
  std::string_view text;
  uint32_t hash = 0;
};

struct HashOfEntry {
  using is_transparent = void;
  size_t operator()(const Entry& entry) const { return entry.hash; }
  size_t operator()(const LookupKey& key) const { return key.hash; }
};

struct SameEntry {
  using is_transparent = void;
  const Texts* texts = nullptr;
  bool operator()(const Entry& a, const Entry& b) const { return a.id == b.id; }
  bool operator()(const LookupKey& key, const Entry& entry) const {
    return key.hash == entry.hash && key.text == (*texts)[entry.id];
  }
  bool operator()(const Entry& entry, const LookupKey& key) const { return (*this)(key, entry); }
};

}  // namespace

struct SymbolTable::Impl {
  mutable std::shared_mutex mutex;
  Arena arena;
  Texts texts;
  tsl::robin_set<Entry, HashOfEntry, SameEntry> names{0, HashOfEntry(), SameEntry{&texts}};
  uint32_t next = 0;

  uint32_t Append(const LookupKey& name) {
    const uint32_t id = next++;
    texts.Set(id, arena.CopyString(name.text));
    names.insert(Entry{name.hash, id});
    return id;
  }
};

SymbolTable::SymbolTable() : impl_(std::make_unique<Impl>()) {
  impl_->Append({"", HashOf("")});
}
SymbolTable::~SymbolTable() = default;

Symbol SymbolTable::Intern(std::string_view text) {
  const LookupKey name{text, HashOf(text)};
  uint32_t seen = 0;
  {
    std::shared_lock lock(impl_->mutex);
    auto it = impl_->names.find(name);
    if (it != impl_->names.end()) {
      return Symbol{it->id};
    }
    seen = impl_->next;
  }
  std::unique_lock lock(impl_->mutex);
  if (impl_->next != seen) {  // another thread added names between the two locks
    auto it = impl_->names.find(name);
    if (it != impl_->names.end()) {
      return Symbol{it->id};
    }
  }
  return Symbol{impl_->Append(name)};
}

Symbol SymbolTable::Find(std::string_view text) const {
  std::shared_lock lock(impl_->mutex);
  auto it = impl_->names.find(LookupKey{text, HashOf(text)});
  return it != impl_->names.end() ? Symbol{it->id} : Symbol{};
}

std::string_view SymbolTable::Text(Symbol symbol) const {
  return impl_->texts[symbol.id];
}

}  // namespace kinu
