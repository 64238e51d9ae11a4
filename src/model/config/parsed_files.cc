#include "config/parsed_files.h"

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "base/loop_threads.h"
#include "hcl/parse.h"
#include "hcl/parse_in_pieces.h"

namespace kinu::config {

Result<std::vector<std::string>> ParsedFiles::List(const std::string& dir) const {
  directories_.insert(dir);
  return below().List(dir);
}

Result<std::string> ParsedFiles::Read(const std::string& dir, const std::string& name) const {
  files_.insert(JoinPath(dir, name));
  return below().Read(dir, name);
}

bool ParsedFiles::HasDirectory(const std::string& dir) const {
  directories_.insert(dir);
  return below().HasDirectory(dir);
}

std::shared_ptr<const ParsedFiles::Entry> ParsedFiles::Parse(const std::string& path,
                                                             std::string text) {
  auto entry = std::make_shared<Entry>();
  entry->source = SourceFile::Make(path, std::move(text));
  entry->tree = std::make_unique<hcl::SyntaxTree>();
  Diagnostics found;
  if (path.ends_with(".json")) {
    entry->body = hcl::ParseJson(entry->source.get(), *entry->tree, found);
  } else {
    entry->body = hcl::ParseNativeInPieces(entry->source.get(), *entry->tree, UsableCores(), found);
  }
  if (!found.empty()) {
    entry->body = nullptr;
  }
  return entry;
}

std::optional<ParsedSource> ParsedFiles::Parsed(const std::string& dir,
                                                const std::string& name) const {
  Result<std::string> text = Read(dir, name);
  if (!text) {
    return std::nullopt;  // the loader reports it
  }
  const std::string path = JoinPath(dir, name);
  std::shared_ptr<const Entry>& entry = entries_[path];
  if (entry == nullptr || entry->source->text() != *text) {
    if (entry != nullptr) {
      replaced_.push_back(std::move(entry));
    }
    entry = Parse(path, *std::move(text));
  }
  if (entry->body == nullptr) {
    return std::nullopt;  // so that the loader reports its problems
  }
  return ParsedSource{.source = entry->source, .body = entry->body};
}

bool ParsedFiles::Mentions(std::string_view word) const {
  return std::ranges::any_of(entries_, [&](const auto& entry) {
    return entry.second->source->text().find(word) != std::string_view::npos;
  });
}

void ParsedFiles::Begin() {
  replaced_.clear();
  std::erase_if(entries_, [this](const auto& entry) { return !files_.contains(entry.first); });
  directories_.clear();
  files_.clear();
}

}  // namespace kinu::config
