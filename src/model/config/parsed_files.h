// ParsedFiles: the files of this machine for one configuration after the other. A file is parsed
// again only when its text has changed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/source_files.h"
#include "hcl/ast.h"

namespace kinu::config {

/// Belongs to one thread.
class ParsedFiles final : public FilesOver {
 public:
  ParsedFiles() : FilesOver(DiskFiles()) {}
  Result<std::vector<std::string>> List(const std::string& dir) const override;
  Result<std::string> Read(const std::string& dir, const std::string& name) const override;
  bool HasDirectory(const std::string& dir) const override;
  std::optional<ParsedSource> Parsed(const std::string& dir,
                                     const std::string& name) const override;

  /// A load begins: no configuration of an earlier one is used any more. Drops the texts that were
  /// replaced, and those that the load before did not read.
  void Begin();
  /// The directories and the files that were looked at since Begin().
  const std::set<std::string>& directories() const { return directories_; }
  const std::set<std::string>& files() const { return files_; }

  /// Whether a text that was read has this word in it.
  bool Mentions(std::string_view word) const;

 private:
  struct Entry {
    Ref<const SourceFile> source;
    std::unique_ptr<hcl::SyntaxTree> tree;
    const hcl::Body* body = nullptr;
  };
  static std::shared_ptr<const Entry> Parse(const std::string& path, std::string text);

  mutable std::map<std::string, std::shared_ptr<const Entry>> entries_;  // by path
  mutable std::vector<std::shared_ptr<const Entry>> replaced_;  // a configuration may use them
  mutable std::set<std::string> directories_;
  mutable std::set<std::string> files_;
};

}  // namespace kinu::config
