// Interning: names as 32-bit ids, stable for the life of the table, usable from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace kinu {

/// An interned name. Equality is id equality; order of ids means nothing.
struct Symbol {
  uint32_t id = 0;  ///< 0 is the empty name
  bool empty() const { return id == 0; }
  friend bool operator==(Symbol, Symbol) = default;
  uint64_t Hash() const { return (uint64_t{id} + 1) * 0x9E3779B97F4A7C15ULL; }
};

/// Names by id. Reading Text() takes no lock; texts never move.
class SymbolTable {
 public:
  SymbolTable();
  ~SymbolTable();
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  Symbol Intern(std::string_view text);
  /// The symbol of a name that is interned already, or an empty one.
  Symbol Find(std::string_view text) const;
  std::string_view Text(Symbol symbol) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinu
