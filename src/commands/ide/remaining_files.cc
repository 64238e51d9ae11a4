#include "ide/remaining_files.h"

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "config/load.h"
#include "hcl/parse.h"
#include "ide/parsed_file.h"
#include "ide/remaining_text.h"

namespace kinu::ide {
namespace {

/// A text of which nothing is left.
std::string NothingOf(const std::string& name) {
  return IsJsonName(name) ? "{}" : "";
}

/// Whether a text may choose the level of compatibility, at which it means something else.
bool NamesVersions(std::string_view text) {
  return text.contains("required_version") || text.contains("compatible_with");
}

bool IsOverride(const std::string& name) {
  return !config::ChooseFiles({name}).overrides.empty();
}

}  // namespace

std::optional<config::ParsedSource> RemainingFiles::Parsed(const std::string& dir,
                                                           const std::string& name) const {
  return texts_.contains(JoinPath(dir, name)) ? std::nullopt : below().Parsed(dir, name);
}

void RemainingFiles::Keep(const std::string& dir, const std::string& name, std::string_view before,
                          std::string text) const {
  if (KindOfFile(name) == FileKind::kConfiguration) {
    gaps_.insert(CleanPath(dir));
    is_lost_ = is_lost_ || IsOverride(name) || (NamesVersions(before) && !NamesVersions(text));
  }
  texts_[JoinPath(dir, name)] = std::move(text);
}

std::optional<std::string> RemainingFiles::Mend(const std::string& dir, const std::string& name,
                                                const std::string& text) const {
  if (below().Parsed(dir, name)) {
    return std::nullopt;
  }
  const bool is_json = IsJsonName(name);
  const bool has_blocks = !is_json && KindOfFile(name) == FileKind::kConfiguration;
  if (has_blocks && CleanPath(dir) == ".") {  // the problems of the root's syntax are known
    auto rest = WithoutWrongParts(text, &abandoned_);
    return rest == text ? std::nullopt : std::optional(std::move(rest).value_or(""));
  }
  const auto source = SourceFile::Make(JoinPath(dir, name), text);
  auto tree = std::make_unique<hcl::SyntaxTree>();
  Diagnostics found;
  (void)(is_json ? hcl::ParseJson(source.get(), *tree, found)
                 : hcl::ParseNative(source.get(), *tree, found));
  if (!found.has_errors()) {
    return std::nullopt;
  }
  sources_.push_back(source);
  trees_.push_back(std::move(tree));
  syntax_.Append(std::move(found));
  return (has_blocks ? WithoutWrongParts(text, &abandoned_) : std::nullopt)
      .value_or(NothingOf(name));
}

Result<std::string> RemainingFiles::Read(const std::string& dir, const std::string& name) const {
  if (const auto known = texts_.find(JoinPath(dir, name)); known != texts_.end()) {
    return known->second;
  }
  Result<std::string> text = below().Read(dir, name);
  const FileKind kind = KindOfFile(name);
  if (!text || kind == FileKind::kOther || kind == FileKind::kVariables) {
    return text;
  }
  if (auto mended = Mend(dir, name, *text)) {
    Keep(dir, name, *text, *mended);
    return *std::move(mended);
  }
  return text;
}

bool RemainingFiles::HasGaps(const std::string& dir) const {
  return gaps_.contains(CleanPath(dir));
}

bool RemainingFiles::LeaveOut(const Diagnostic& error) {
  if (!error.subject.valid()) {
    return false;
  }
  const std::string path = error.subject.file->root().name();
  const std::string dir = DirName(path);
  const std::string name = BaseName(path);
  const FileKind kind = KindOfFile(name);
  const Result<std::string> text = Read(dir, name);
  if (!text || (kind != FileKind::kConfiguration && kind != FileKind::kTest)) {
    return false;
  }
  const uint32_t at = SpanOf(error.subject).begin;
  const bool is_left_out = at >= text->size() || (*text)[at] == ' ' || (*text)[at] == '\n';
  if (is_left_out && HasGaps(dir)) {
    return true;
  }
  const bool has_blocks = kind == FileKind::kConfiguration && !IsJsonName(name);
  auto rest = has_blocks ? WithoutBlockAt(*text, at) : std::nullopt;
  Keep(dir, name, *text, std::move(rest).value_or(NothingOf(name)));
  return true;
}

bool RemainingFiles::LeaveOut(const Diagnostics& errors) {
  const bool can = std::ranges::all_of(errors, [this](const Diagnostic& error) {
    return error.severity != Severity::kError || LeaveOut(error);
  });
  return can && !is_lost_;
}

}  // namespace kinu::ide
