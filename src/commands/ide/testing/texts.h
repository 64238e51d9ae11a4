// A workspace of texts for tests, with marks for cursors and ranges, and edits applied to it.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/files.h"
#include "ide/answers.h"
#include "ide/snapshot.h"
#include "ide/snapshot_parts.h"
#include "ide/workspace.h"

namespace kinu::ide::testing {

/// A text without its marks: "«" and "»" around a range, or "‸" where a cursor stands.
struct Marked {
  std::string text;
  Span span;
};

inline Marked ReadMarks(std::string_view marked) {
  Marked out;
  const auto take = [&](std::string_view mark, uint32_t& at) {
    if (marked.starts_with(mark)) {
      at = static_cast<uint32_t>(out.text.size());
      marked.remove_prefix(mark.size());
      return true;
    }
    return false;
  };
  while (!marked.empty()) {
    if (take("‸", out.span.begin)) {
      out.span.end = out.span.begin;
    } else if (!take("«", out.span.begin) && !take("»", out.span.end)) {
      out.text += marked.front();
      marked.remove_prefix(1);
    }
  }
  return out;
}

/// The text with the edits, which ascend and do not overlap; nothing otherwise.
inline std::optional<std::string> Apply(std::string_view text, const std::vector<TextEdit>& edits) {
  std::string out;
  uint32_t at = 0;
  for (const TextEdit& edit : edits) {
    if (edit.span.begin < at || edit.span.end < edit.span.begin || edit.span.end > text.size()) {
      return std::nullopt;
    }
    out.append(text.substr(at, edit.span.begin - at)).append(edit.text);
    at = edit.span.end;
  }
  return out.append(text.substr(at));
}

/// Texts of files below "/w", as an editor has them open. One may have marks.
class Texts {
 public:
  Texts(std::initializer_list<std::pair<std::string, std::string_view>> files) {
    for (const auto& [name, text] : files) {
      const Marked read = ReadMarks(text);
      if (read.text != text) {
        path_ = "/w/" + name;
        span_ = read.span;
      }
      texts_["/w/" + name] = read.text;
    }
    if (path_.empty()) {
      path_ = texts_.begin()->first;
    }
    Take();
  }

  const Snapshot& snapshot() const { return *snapshot_; }
  /// Of the file with the mark.
  const std::string& path() const { return path_; }
  Span span() const { return span_; }
  Cursor cursor() const { return {path_, span_.begin}; }
  const std::string& text() const { return texts_.at(path_); }
  std::string_view Slice(Span span) const {
    return std::string_view(text()).substr(span.begin, span.end - span.begin);
  }

  /// The text of a file now; empty if there is none.
  std::string operator[](const std::string& name) const {
    const auto found = texts_.find("/w/" + name);
    return found == texts_.end() ? "" : found->second;
  }
  /// Whether all edits could be applied.
  bool Change(const WorkspaceEdit& edit) {
    for (const FileEdits& file : edit) {
      if (file.creates == texts_.contains(file.path)) {
        return false;
      }
      auto text = Apply(texts_[file.path], file.edits);
      if (!text) {
        return false;
      }
      texts_[file.path] = *std::move(text);
    }
    Take();
    return true;
  }
  /// The errors of the root module "/w", whose local modules count as installed, one a line.
  std::string Errors() const {
    const DataDirectory data(Manifest());
    const std::atomic<bool> abandoned = false;
    std::string out;
    const auto problems = snapshot_->CheckRoot("/w", abandoned).value_or(Problems());
    for (const auto& [path, list] : problems) {
      for (const Problem& problem : list) {
        if (problem.severity == Severity::kError) {
          out += path + ": " + problem.summary + ": " + problem.detail + "\n";
        }
      }
    }
    return out;
  }

 private:
  /// A directory in place of ".terraform", with a manifest of modules.
  class DataDirectory {
   public:
    explicit DataDirectory(const std::string& manifest) {
      std::string pattern = ::testing::TempDir() + "textsXXXXXX";
      path_ = ::mkdtemp(pattern.data());
      EXPECT_TRUE(MakeDirectories(path_ + "/modules"));
      EXPECT_TRUE(ReplaceFile(path_ + "/modules/modules.json", manifest));
      ::setenv("TF_DATA_DIR", path_.c_str(), 1);
    }
    DataDirectory(const DataDirectory&) = delete;
    DataDirectory& operator=(const DataDirectory&) = delete;
    ~DataDirectory() {
      ::unsetenv("TF_DATA_DIR");
      std::filesystem::remove_all(path_);
    }

   private:
    std::string path_;
  };

  /// The manifest of the local modules that the root calls.
  std::string Manifest() const {
    std::string records = R"({"Key":"","Source":"","Dir":"."})";
    for (const auto& [path, file] : snapshot_->parts().files) {
      for (const ModuleCallSite& call : file->calls) {
        if (DirName(path) == "/w" && call.source.starts_with("./")) {
          records += R"(,{"Key":")" + call.name + R"(","Source":")" + call.source + R"(","Dir":")" +
                     call.source.substr(2) + R"("})";
        }
      }
    }
    return R"({"Modules":[)" + records + "]}";
  }

  void Take() {
    workspace_ = std::make_unique<Workspace>(Settings());
    workspace_->SetFolders({"/w"});
    for (const auto& [path, text] : texts_) {
      workspace_->SetText(path, text);
    }
    snapshot_ = workspace_->Take();
  }

  std::map<std::string, std::string> texts_;
  std::string path_;
  Span span_;
  std::unique_ptr<Workspace> workspace_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace kinu::ide::testing
