// Interned names: 32-bit ids, stable for the life of the table, usable from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace kinu {

/// An interned name of one table. Equal names have equal ids; the order of ids has no meaning.
struct Symbol {
  uint32_t id = 0;  ///< 0 is the empty name
  bool empty() const { return id == 0; }
  friend bool operator==(Symbol, Symbol) = default;
  uint64_t Hash() const { return (uint64_t{id} + 1) * 0x9E3779B97F4A7C15ULL; }
};

/// Assigns ids to names. Text() takes no lock, and texts never move.
class SymbolTable {
 public:
  SymbolTable();
  ~SymbolTable();
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  /// The symbol of a name; adds the name if it is new.
  Symbol Intern(std::string_view text);
  /// The symbol of a name, or an empty one if the name is not interned.
  Symbol Find(std::string_view text) const;
  /// The name of a symbol of this table; valid as long as the table.
  std::string_view Text(Symbol symbol) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinu
