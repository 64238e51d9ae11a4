// CheckedTrees: files under the names that a check of a root gives them. A file has one name in
// answers, which is its own, and another one in diagnostics of a root that calls its module. The
// name is part of a tree, so the check has trees of its own for them, made once per text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "config/source_files.h"
#include "hcl/ast.h"

namespace kinu::ide {

/// Thread-safe. Remembers what the last checks of some roots used.
class CheckedTrees {
 public:
  /// A file that was parsed under another name, and never changes.
  struct Tree {
    Ref<const SourceFile> original;
    Ref<const SourceFile> source;
    hcl::SyntaxTree tree;
    const hcl::Body* body = nullptr;
  };
  using Shared = std::shared_ptr<const Tree>;
  using OfRoot = std::map<std::string, Shared>;  ///< by name

  /// What the last check of a root used.
  OfRoot Of(const std::string& root) const;
  /// A check of the root used these, of which it made some.
  void Keep(const std::string& root, OfRoot used, size_t made);
  /// The trees that checks have made since the start.
  size_t made() const;

 private:
  static constexpr size_t kMostRoots = 16;
  struct Root {
    OfRoot trees;
    uint64_t age = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Root> roots_;
  uint64_t checks_ = 0;
  size_t made_ = 0;
};

/// Files as one check of a root names them, with the trees of those below it. `trees` and `below`
/// outlive this, and this outlives what is loaded from it.
class NamedFiles final : public config::FilesOver {
 public:
  NamedFiles(const config::SourceFiles& below, CheckedTrees& trees, std::string root)
      : FilesOver(below), trees_(trees), root_(std::move(root)), known_(trees.Of(root_)) {}
  ~NamedFiles() override;
  /// The check has looked at all files: what it did not use is forgotten.
  void Finish() { known_.clear(); }
  std::optional<config::ParsedSource> Parsed(const std::string& dir,
                                             const std::string& name) const override;

 private:
  CheckedTrees& trees_;
  const std::string root_;
  CheckedTrees::OfRoot known_;
  mutable std::mutex mutex_;
  mutable CheckedTrees::OfRoot used_;
  mutable size_t made_ = 0;
};

}  // namespace kinu::ide
