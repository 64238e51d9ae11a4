// Where the loader reads files.
#include "config/source_files.h"

#include <filesystem>
#include <map>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "config/load.h"
#include "config/loaded_files.h"
#include "cty/ops.h"
#include "hcl/parse.h"

namespace kinu::config {
namespace {

SnapshotFile File(const std::string& name, std::string content) {
  return {name, SourceFile::Make(name, std::move(content))};
}

SourceSnapshot TwoModules() {
  return {
      .modules = {
          {"", ".", "", "", {File("main.tf", "module \"m\" { source = \"./m\" }")}},
          {"m", "m", "./m", "", {File("b.tf", "output \"o\" { value = 1 }"), File("a.tf", "")}}}};
}

TEST(SourceFiles, SnapshotHasItsModulesAlone) {
  const SourceSnapshot snapshot = TwoModules();
  const SnapshotFiles files(snapshot);
  EXPECT_EQ(files.List("./m"), (std::vector<std::string>{"a.tf", "b.tf"}));
  EXPECT_EQ(files.Read("m/", "a.tf"), "");
  EXPECT_EQ(files.Read("m", "c.tf").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files.List("n").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(files.HasDirectory("n"));
}

TEST(SourceFiles, LinksLeadToWhereTheFilesAre) {
  namespace fs = std::filesystem;
  const std::string root = testing::TempDir() + "kinu_source_links_" + std::to_string(::getpid());
  fs::create_directories(root + "/real");
  fs::create_directory_symlink("real", root + "/link");
  const std::string real = fs::canonical(root + "/real").string();
  EXPECT_EQ(DiskFiles().Resolve(root + "/link"), real);
  EXPECT_TRUE(DiskFiles().IsDirectoryEntry(root, "real"));
  EXPECT_FALSE(DiskFiles().IsDirectoryEntry(root, "link"));
  OverlayFiles files(DiskFiles());
  EXPECT_EQ(files.Resolve(root + "/link"), real);
  files.Set(root + "/link/main.tf", "");
  EXPECT_EQ(files.Resolve(root + "/link"), root + "/link") << "an editor has it under this name";
  fs::remove_all(root);
}

/// A directory whose only file was parsed before under a name, and cannot be read.
class ParsedBefore final : public SourceFiles {
 public:
  explicit ParsedBefore(const std::string& name)
      : source_(SourceFile::Make(name, "variable \"a\" {}\n")) {
    Diagnostics none;
    body_ = hcl::ParseNative(source_.get(), tree_, none);
  }
  Result<std::vector<std::string>> List(const std::string& /*dir*/) const override {
    return std::vector<std::string>{"main.tf"};
  }
  Result<std::string> Read(const std::string& /*dir*/, const std::string& /*name*/) const override {
    return Fail(ErrorCode::kInvalid, "read");
  }
  bool HasDirectory(const std::string& /*dir*/) const override { return true; }
  Result<std::string> Resolve(const std::string& path) const override { return path; }
  bool IsDirectoryEntry(const std::string& /*dir*/, const std::string& /*name*/) const override {
    return false;
  }
  std::optional<ParsedSource> Parsed(const std::string& dir,
                                     const std::string& /*name*/) const override {
    return dir == "/w/m" || dir == "m" ? std::optional<ParsedSource>({source_, body_})
                                       : std::nullopt;
  }

 private:
  Ref<const SourceFile> source_;
  hcl::SyntaxTree tree_;
  const hcl::Body* body_ = nullptr;
};

TEST(SourceFiles, ParsedFilesAreNotReadAgain) {
  const auto load = [](const SourceFiles& files) {
    Diagnostics diags;
    const auto config = LoadConfig(std::make_shared<Program>(), "m", {.files = &files}, diags);
    return diags.has_errors() ? 0 : config->root().module->variables.size();
  };
  EXPECT_EQ(load(ParsedBefore("m/main.tf")), 1U);
  EXPECT_EQ(load(ParsedBefore("main.tf")), 0U) << "diagnostics would name another file";
  const ParsedBefore below("m/main.tf");
  EXPECT_EQ(load(RootedFiles(below, "/w")), 1U);
  OverlayFiles over(below);
  EXPECT_EQ(load(over), 1U);
  over.Set("m/main.tf", "variable \"a\" {}\nvariable \"b\" {}\n");
  EXPECT_EQ(load(over), 2U) << "the text of the overlay is not the one that was parsed";
}

/// Counts what is read of other files.
class CountedFiles final : public FilesOver {
 public:
  using FilesOver::FilesOver;
  Result<std::string> Read(const std::string& dir, const std::string& name) const override {
    ++reads_[JoinPath(dir, name)];
    return below().Read(dir, name);
  }
  const std::map<std::string, int>& reads() const { return reads_; }

 private:
  mutable std::map<std::string, int> reads_;
};

TEST(SourceFiles, FilesOfAConfigurationAreReadOnce) {
  const SourceSnapshot nothing;
  const SnapshotFiles below(nothing);
  OverlayFiles texts(below);
  texts.Set("a.tf", "variable \"a\" {}");
  texts.Set("b.tf.json", R"({"locals": {"x": 1}})");
  texts.Set("broken.tf", "output \"o\" {");
  texts.Set("z_override.tf", "variable \"a\" {\n  default = 1\n}\n");
  const CountedFiles counted(texts);
  Diagnostics first;
  const auto whole = LoadConfig(std::make_shared<Program>(), ".",
                                {.intent = LoadIntent::kRootModule, .files = &counted}, first);
  EXPECT_TRUE(first.has_errors());
  Diagnostics second;
  const LoadedFiles files(counted, *whole);
  const auto again = LoadConfig(std::make_shared<Program>(), ".",
                                {.intent = LoadIntent::kRootModule, .files = &files}, second);
  EXPECT_EQ(counted.reads(),
            (std::map<std::string, int>{
                {"a.tf", 1}, {"b.tf.json", 1}, {"broken.tf", 1}, {"z_override.tf", 1}}));
  ASSERT_EQ(second.size(), first.size()) << "what is wrong with a syntax is reported again";
  EXPECT_EQ(second.list()[0].summary, first.list()[0].summary);
  const Module& module = *again->root().module;
  ASSERT_EQ(module.variables.size(), 1U);
  EXPECT_TRUE(module.variables[0].default_value);
  for (size_t i = 0; i < module.files.size(); ++i) {
    EXPECT_EQ(module.files[i].source, whole->root().module->files[i].source);
    EXPECT_EQ(module.files[i].body, whole->root().module->files[i].body);
    EXPECT_EQ(module.files[i].body == nullptr, module.files[i].source->name() == "broken.tf");
  }
}

TEST(SourceFiles, OverlayStandsInFront) {
  const SourceSnapshot snapshot = TwoModules();
  const SnapshotFiles below(snapshot);
  OverlayFiles files(below);
  files.Set("m/b.tf", "changed");
  files.Set("./m/c.tf", "new");
  files.Set("n/x.tf", "");
  EXPECT_EQ(files.List("m"), (std::vector<std::string>{"a.tf", "b.tf", "c.tf"}));
  EXPECT_EQ(files.Read("m", "b.tf"), "changed");
  EXPECT_EQ(files.Read("m", "a.tf"), "");
  EXPECT_TRUE(files.HasDirectory("n"));
  files.Remove("m/b.tf");
  files.Remove("n/x.tf");
  EXPECT_EQ(files.Read("m", "b.tf"), "output \"o\" { value = 1 }");
  EXPECT_FALSE(files.HasDirectory("n"));
}

TEST(SourceFiles, LoaderReadsUnsavedTexts) {
  const SourceSnapshot nothing;
  const SnapshotFiles below(nothing);
  OverlayFiles files(below);
  files.Set("main.tf", "variable \"a\" {}");
  Diagnostics diags;
  const auto config = LoadConfig(std::make_shared<Program>(), ".",
                                 {.intent = LoadIntent::kRootModule, .files = &files}, diags);
  EXPECT_TRUE(diags.empty());
  EXPECT_EQ(config->root().module->variables.size(), 1U);
}

// Large files are parsed side by side; what comes of them does not depend on their size.
TEST(SourceFiles, LargeFilesMeanWhatSmallOnesDo) {
  const auto load = [](size_t padding) {
    const SourceSnapshot nothing;
    const SnapshotFiles below(nothing);
    OverlayFiles files(below);
    const std::string space(padding, '\n');
    files.Set("a.tf", "variable \"a\" {}\nvariable \"bad\" { nonsense = 1 }\n" + space);
    files.Set("b.tf", "locals { l = [for ] }\n" + space);
    files.Set("c.tf.json", "{\"variable\": {\"a\": {}, \"c\": {}}}" + space);
    files.Set("d_override.tf", "variable \"c\" { default = 7 }\n" + space);
    files.Set("e_override.tf", "variable \"c\" { default = 8 }\n" + space);
    Diagnostics diags;
    const auto config = LoadConfig(std::make_shared<Program>(), ".",
                                   {.intent = LoadIntent::kRootModule, .files = &files}, diags);
    std::string out;
    for (const Variable& variable : config->root().module->variables) {
      out += std::string(config->program->Text(variable.name)) +
             (variable.default_value ? "=" + GoString(*variable.default_value) : "") + ";";
    }
    for (const Diagnostic& problem : diags) {
      out += problem.summary + " " + problem.subject.file->root().name() + ";";
    }
    return out;
  };
  const std::string small = load(1);
  EXPECT_EQ(load(size_t{200} << 10), small);
  EXPECT_TRUE(small.contains("c=cty.NumberIntVal(8);")) << small;
  EXPECT_TRUE(small.contains("a.tf;")) << small;
  EXPECT_TRUE(small.contains("b.tf;")) << small;
  EXPECT_TRUE(small.contains("c.tf.json;")) << small;
}

// A file that has most of the text is parsed in pieces.
TEST(SourceFiles, AllBlocksOfOneLargeFileAreRead) {
  constexpr size_t kCount = 20'000;
  const SourceSnapshot nothing;
  const SnapshotFiles below(nothing);
  OverlayFiles files(below);
  std::string text;
  for (size_t i = 0; i < kCount; ++i) {
    text += "variable \"v" + std::to_string(i) + "\" {\n  default = " + std::to_string(i) + "\n}\n";
  }
  files.Set("large.tf", text);
  files.Set("small.tf", "locals {}\n");
  Diagnostics diags;
  const auto config = LoadConfig(std::make_shared<Program>(), ".",
                                 {.intent = LoadIntent::kRootModule, .files = &files}, diags);
  EXPECT_TRUE(diags.empty());
  const Module& module = *config->root().module;
  ASSERT_EQ(module.variables.size(), kCount);
  for (size_t i = 0; i < kCount; ++i) {
    const int at = module.FindVariable(config->program->Find("v" + std::to_string(i)));
    ASSERT_GE(at, 0) << i;
    const Variable& variable = module.variables[static_cast<size_t>(at)];
    EXPECT_EQ(GoString(*variable.default_value), "cty.NumberIntVal(" + std::to_string(i) + ")");
  }
}

}  // namespace
}  // namespace kinu::config
