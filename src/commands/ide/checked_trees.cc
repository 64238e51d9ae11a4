#include "ide/checked_trees.h"

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "base/loop_threads.h"
#include "hcl/parse_in_pieces.h"
#include "ide/parsed_file.h"

namespace kinu::ide {
namespace {

/// The file under another name; null if it has problems of syntax, which the loader reports.
CheckedTrees::Shared ParseUnder(const std::string& name, Ref<const SourceFile> original) {
  auto made = std::make_shared<CheckedTrees::Tree>();
  made->source = SourceFile::Make(name, std::string(original->text()));
  made->original = std::move(original);
  Diagnostics found;
  made->body = IsJsonName(name)
                   ? hcl::ParseJson(made->source.get(), made->tree, found)
                   : hcl::ParseNativeInPieces(made->source.get(), made->tree, UsableCores(), found);
  return found.empty() && made->body != nullptr ? made : nullptr;
}

/// The tree of a text under a name, or null.
CheckedTrees::Shared Find(const CheckedTrees::OfRoot& trees, const std::string& name,
                          const SourceFile& original) {
  const auto at = trees.find(name);
  return at != trees.end() && at->second->original.get() == &original ? at->second : nullptr;
}

}  // namespace

CheckedTrees::OfRoot CheckedTrees::Of(const std::string& root) const {
  const std::scoped_lock lock(mutex_);
  const auto at = roots_.find(root);
  return at == roots_.end() ? OfRoot() : at->second.trees;
}

void CheckedTrees::Keep(const std::string& root, OfRoot used, size_t made) {
  const std::scoped_lock lock(mutex_);
  made_ += made;
  roots_[root] = {.trees = std::move(used), .age = ++checks_};
  if (roots_.size() > kMostRoots) {
    roots_.erase(
        std::ranges::min_element(roots_, {}, [](const auto& entry) { return entry.second.age; }));
  }
}

size_t CheckedTrees::made() const {
  const std::scoped_lock lock(mutex_);
  return made_;
}

NamedFiles::~NamedFiles() {
  used_.merge(known_);
  trees_.Keep(root_, std::move(used_), made_);
}

std::optional<config::ParsedSource> NamedFiles::Parsed(const std::string& dir,
                                                       const std::string& name) const {
  auto parsed = below().Parsed(dir, name);
  const std::string path = JoinPath(dir, name);
  if (!parsed || parsed->source->name() == path) {
    return parsed;
  }
  const std::scoped_lock lock(mutex_);
  CheckedTrees::Shared tree = Find(used_, path, *parsed->source);
  if (tree == nullptr) {
    tree = Find(known_, path, *parsed->source);
  }
  if (tree == nullptr) {
    tree = ParseUnder(path, parsed->source);
    ++made_;
  }
  if (tree == nullptr) {
    return std::nullopt;
  }
  used_[path] = tree;
  return config::ParsedSource{.source = tree->source, .body = tree->body};
}

}  // namespace kinu::ide
