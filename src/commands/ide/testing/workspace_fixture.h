// A workspace in a directory of its own, whose texts mark the cursor by a bar.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"
#include "ide/answers.h"
#include "ide/workspace.h"

namespace kinu::ide {

/// Files are texts of the editor or of the disk; names are relative to root().
class WorkspaceFixture : public ::testing::Test {
 protected:
  WorkspaceFixture() {
    std::string pattern = ::testing::TempDir() + "ideXXXXXX";
    root_ = EvaluateLinks(::mkdtemp(pattern.data())).value();
    workspace_.SetFolders({root_});
  }
  ~WorkspaceFixture() override { std::filesystem::remove_all(root_); }

  const std::string& root() const { return root_; }
  Workspace& workspace() { return workspace_; }
  std::string Path(const std::string& name) const { return JoinPath(root_, name); }

  /// Writes a file to the disk. A bar in its text is left out and becomes the cursor.
  void Write(const std::string& name, std::string text) {
    Mark(name, text);
    EXPECT_TRUE(MakeDirectories(DirName(Path(name))));
    EXPECT_TRUE(ReplaceFile(Path(name), text));
    workspace_.Changed(Path(name));
  }
  /// The editor has the file open with this text.
  void Open(const std::string& name, std::string text) {
    Mark(name, text);
    workspace_.SetText(Path(name), std::move(text));
  }
  std::shared_ptr<const Snapshot> Take() { return workspace_.Take(); }
  const Cursor& cursor() const { return cursor_; }

  /// "name:text" of each place.
  std::vector<std::string> TextsOf(const Snapshot& snapshot, const std::vector<Place>& places) {
    std::vector<std::string> out;
    for (const Place& place : places) {
      const auto source = snapshot.Text(place.path);
      const std::string_view text = source ? source->text() : std::string_view();
      out.push_back(place.path.substr(root_.size() + 1) + ":" +
                    std::string(text.substr(place.span.begin, place.span.end - place.span.begin)));
    }
    return out;
  }
  /// Makes the edits on the disk, as an editor that saves at once.
  void Apply(const WorkspaceEdit& edit) {
    for (const FileEdits& file : edit) {
      std::string text = ReadFile(file.path).value_or("");
      for (auto at = file.edits.rbegin(); at != file.edits.rend(); ++at) {
        text.replace(at->span.begin, at->span.end - at->span.begin, at->text);
      }
      EXPECT_TRUE(ReplaceFile(file.path, text));
      workspace_.Changed(file.path);
    }
  }
  /// The summaries of what CheckRoot() reports, with the name of their file, sorted.
  std::vector<std::string> Check(const std::string& directory = "") {
    std::vector<std::string> out;
    const Problems found = Take()->CheckRoot(CleanPath(Path(directory)));
    for (const auto& [path, problems] : found) {
      for (const Problem& problem : problems) {
        out.push_back(BaseName(path) + ": " + problem.summary);
      }
    }
    std::ranges::sort(out);
    return out;
  }

 private:
  void Mark(const std::string& name, std::string& text) {
    if (const size_t bar = text.find('|'); bar != std::string::npos) {
      text.erase(bar, 1);
      cursor_ = {Path(name), static_cast<uint32_t>(bar)};
    }
  }

  std::string root_;
  Workspace workspace_{Settings{}};
  Cursor cursor_;
};

}  // namespace kinu::ide
