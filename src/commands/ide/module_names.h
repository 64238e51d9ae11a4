// ModuleNames: what one module declares, as one answer sees it: also what stands in a file that
// does not parse at the moment.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "ide/cursor_context.h"
#include "ide/parsed_file.h"
#include "ide/regions.h"
#include "ide/snapshot_parts.h"
#include "schema/schema.h"

namespace kinu::ide {

class ModuleNames {
 public:
  /// `current` is the file that the answer is about, or null.
  ModuleNames(const Snapshot& snapshot, std::string directory, const ParsedFile* current);

  ModuleNames(const ModuleNames&) = delete;
  ModuleNames& operator=(const ModuleNames&) = delete;

  const std::string& directory() const { return directory_; }
  /// The file that the answer is about, or null.
  const ParsedFile* current() const { return current_; }
  const Snapshot& snapshot() const { return snapshot_; }
  const Snapshot::Parts& parts() const { return snapshot_.parts(); }
  /// The root modules whose calls lead here.
  const std::vector<std::string>& roots() const { return roots_; }

  /// Calls visit with each name once; kinds are those of their declarations.
  void ForEach(const std::function<void(const Key&, SymbolKind)>& visit) const;
  /// A declaration with the file that it was parsed from; null if there is none.
  struct Found {
    const ParsedFile* file = nullptr;
    const Declaration* declaration = nullptr;
    explicit operator bool() const { return declaration != nullptr; }
  };
  Found Find(const Key& key);
  /// The argument of a declaration's body, or null.
  static const hcl::Expr* ArgumentOf(const Declaration& declaration, std::string_view name);
  /// The same if it is a constant text.
  static std::optional<std::string> TextOf(const Declaration& declaration, std::string_view name);

  /// The schema of a provider by its name in this module; null if it is not known.
  const schema::ProviderSchema* SchemaOf(std::string_view local_name);
  /// The local names of providers that this module requires, has blocks of, or has resources of.
  std::vector<std::string> Providers() const;
  /// Whether `required_providers` has the name: without, nothing can call functions of the
  /// provider.
  bool IsRequired(std::string_view local_name) const { return required_.contains(local_name); }
  /// The schema of a resource type; `name` finds the argument `provider` of its block, and may be
  /// empty.
  const schema::ResourceSchema* ResourceSchemaOf(ResourceMode mode, std::string_view type,
                                                 std::string_view name);
  /// The directory that a call leads to, or nothing.
  std::optional<std::string> Called(const std::string& call) const;

 private:
  struct Mended {
    Region region;
    Key key;  ///< empty: the region declares local values, or nothing
    SymbolKind kind = SymbolKind::kOtherBlock;
    std::shared_ptr<const ParsedFile> parsed;  ///< null: not parsed yet
  };

  bool Counts(const ParsedFile& file) const;
  void Mend();
  void Collect();
  Found FindMended(const Key& key);
  void CollectInside();
  const ParsedFile& Parsed(Mended& mended);
  std::string AddressOf(std::string_view local_name) const;

  const Snapshot& snapshot_;
  std::string directory_;
  const ParsedFile* current_;
  std::vector<const ParsedFile*> files_;
  std::vector<Mended> mended_;
  std::vector<Key> mended_locals_;
  std::vector<std::pair<const Key*, SymbolKind>> all_;             // each name once
  FlatMap<std::string_view, Found> declared_;                      // the first of each name
  FlatMap<std::string_view, size_t> mended_at_;                    // the first region of each key
  std::optional<FlatMap<std::string_view, Found>> mended_inside_;  // once asked for
  std::map<std::string, std::string, std::less<>> required_;       // local name to address
  std::vector<std::string> roots_;
};

/// The key of a block by its type and labels; empty if it declares nothing.
Key KeyOfBlock(std::string_view type, std::span<const std::string_view> labels);

}  // namespace kinu::ide
