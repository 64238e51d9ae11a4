// Local sources that lead out of a package.
#include "config/left_package.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kinu::config {
namespace {

/// Calls one below the other.
class LeftPackageTest : public testing::Test {
 protected:
  LeftPackageTest() { Add(""); }

  const ConfigNode& Add(const std::string& source) {
    auto node = std::make_unique<ConfigNode>();
    if (!nodes_.empty()) {
      node->parent = nodes_.back().get();
      node->path = Called();
    }
    node->source = source;
    nodes_.push_back(std::move(node));
    return *nodes_.back();
  }
  ModuleId Called() {
    return program_.Module(nodes_.back()->path,
                           program_.Intern("m" + std::to_string(nodes_.size())));
  }
  /// The summaries that remain of a warning and an error of a call.
  std::vector<std::string> Explain(const std::string& source) {
    diags_ = {};
    diags_.Warning("warning", "");
    diags_.Error("error", "");
    ExplainLeftPackage(program_, *nodes_.back(), Called(), source, diags_);
    std::vector<std::string> summaries;
    for (const Diagnostic& problem : diags_) {
      summaries.push_back(problem.summary);
    }
    return summaries;
  }

  Program program_;
  std::vector<std::unique_ptr<ConfigNode>> nodes_;
  Diagnostics diags_;
  const std::vector<std::string> kept_ = {"warning", "error"};
  const std::vector<std::string> explained_ = {"warning",
                                               "Local module path escapes module package"};
};

TEST_F(LeftPackageTest, RootModuleIsInNoPackage) {
  EXPECT_EQ(Explain("../a"), kept_);
  Add("./a");
  EXPECT_EQ(Explain("../../../a"), kept_);
}

TEST_F(LeftPackageTest, SourcesAreFollowedFromTheDirectoryInThePackage) {
  Add("git::https://example.com/p.git//x/y?ref=1");
  EXPECT_EQ(Explain("../z"), kept_);
  EXPECT_EQ(Explain("../../z"), kept_);
  EXPECT_EQ(Explain("../../../z"), explained_);
  EXPECT_NE(diags_.list()[1].detail.find("module.m1.module.m2 "), std::string::npos);
  Add("../z");
  Add("./w");
  EXPECT_EQ(Explain("../../q"), kept_);
  EXPECT_EQ(Explain("../../../../q"), explained_);
}

TEST_F(LeftPackageTest, FirstSourceOutsideIsNamed) {
  Add("./local");
  Add("file:///p");
  Add("../out");
  EXPECT_EQ(Explain("./in"), explained_);
  EXPECT_NE(diags_.list()[1].detail.find("module.m1.module.m2.module.m3 "), std::string::npos);
  EXPECT_NE(diags_.list()[1].detail.find("\"file:///p\""), std::string::npos);
}

TEST_F(LeftPackageTest, NothingIsExplainedWithoutErrors) {
  Add("file:///p");
  Diagnostics none;
  ExplainLeftPackage(program_, *nodes_.back(), Called(), "../a", none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace kinu::config
