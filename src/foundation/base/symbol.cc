#include "base/symbol.h"

#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

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

/// A hash table of names, read without a lock. A slot holds a hash and an id, so that growing the
/// table does not read the texts again; a slot of zero is free, since the empty name is not in it.
class Slots {
 public:
  explicit Slots(size_t size) : mask_(size - 1), slots_(new std::atomic<uint64_t>[size]()) {}

  size_t size() const { return mask_ + 1; }

  /// The id of a name; 0 if there is none.
  uint32_t Find(const Texts& texts, std::string_view text, uint32_t hash) const {
    for (size_t at = hash;; ++at) {
      const uint64_t slot = slots_[at & mask_].load(std::memory_order_acquire);
      const auto id = static_cast<uint32_t>(slot);
      if (id == 0 || (slot >> 32 == hash && texts[id] == text)) {
        return id;
      }
    }
  }
  /// Adds a name that is not there, and whose text can be read. One caller at a time; there is a
  /// free slot.
  void Add(uint32_t hash, uint32_t id) {
    size_t at = hash;
    while (slots_[at & mask_].load(std::memory_order_relaxed) != 0) {
      ++at;
    }
    slots_[at & mask_].store(uint64_t{hash} << 32 | id, std::memory_order_release);
  }
  void AddAll(const Slots& other) {
    for (size_t at = 0; at < other.size(); ++at) {
      const uint64_t slot = other.slots_[at].load(std::memory_order_relaxed);
      if (slot != 0) {
        Add(static_cast<uint32_t>(slot >> 32), static_cast<uint32_t>(slot));
      }
    }
  }

 private:
  size_t mask_;
  std::unique_ptr<std::atomic<uint64_t>[]> slots_;
};

/// A lock that is held for a moment, or for milliseconds where a large table grows: who waits for
/// it does not sleep, but lets others run.
class ShortLock {
 public:
  void lock() {
    constexpr int kLooks = 64;
    while (taken_.exchange(true, std::memory_order_acquire)) {
      for (int looks = 1; taken_.load(std::memory_order_relaxed); ++looks) {
        if (looks % kLooks == 0) {
          std::this_thread::yield();  // the owner may have lost its core
        }
      }
    }
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace

struct SymbolTable::Impl {
  static constexpr size_t kFirstSize = 64;

  ShortLock lock;  ///< held while a name is added
  Arena arena;
  Texts texts;
  /// The last one is complete. Others may still be read: a name that they lack is looked for again
  /// under the lock.
  std::vector<std::unique_ptr<Slots>> tables;
  std::atomic<Slots*> names;
  uint32_t next = 0;

  Impl() {
    Grow(kFirstSize);
    texts.Set(next++, {});
  }

  uint32_t Find(std::string_view text, uint32_t hash) const {
    return text.empty() ? 0 : names.load(std::memory_order_acquire)->Find(texts, text, hash);
  }
  uint32_t Append(std::string_view text, uint32_t hash) {
    const uint32_t id = next++;
    texts.Set(id, arena.CopyString(text));
    if (2 * size_t{next} > tables.back()->size()) {
      Grow(2 * tables.back()->size());
    }
    tables.back()->Add(hash, id);
    return id;
  }
  void Grow(size_t size) {
    auto larger = std::make_unique<Slots>(size);
    if (!tables.empty()) {
      larger->AddAll(*tables.back());
    }
    tables.push_back(std::move(larger));
    names.store(tables.back().get(), std::memory_order_release);
  }
};

SymbolTable::SymbolTable() : impl_(std::make_unique<Impl>()) {
}
SymbolTable::~SymbolTable() = default;

Symbol SymbolTable::Intern(std::string_view text) {
  const uint32_t hash = HashOf(text);
  uint32_t id = impl_->Find(text, hash);
  if (id == 0 && !text.empty()) {
    const std::lock_guard lock(impl_->lock);
    id = impl_->Find(text, hash);  // another thread may have added it
    if (id == 0) {
      id = impl_->Append(text, hash);
    }
  }
  return Symbol{id};
}

Symbol SymbolTable::Find(std::string_view text) const {
  return Symbol{impl_->Find(text, HashOf(text))};
}

std::string_view SymbolTable::Text(Symbol symbol) const {
  return impl_->texts[symbol.id];
}

}  // namespace kinu
