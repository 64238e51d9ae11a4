#include "backend/remote_state.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace kinu::backend {
namespace {

class RemoteStateTest : public ::testing::Test {
 protected:
  RemoteStateTest() : dir_(::testing::TempDir() + "/kinu_remote_" + RandomUuid()) {
    EXPECT_TRUE(MakeDirectories(dir_ + "/spaces/prod"));
    Save("there.tfstate", "north");
    Save("spaces/prod/terraform.tfstate", "prod");
    states_.Decrypt([](std::string_view) { return state::NoSealing(); });
  }
  void Save(const std::string& name, const std::string& value) {
    std::string text =
        R"({"version": 4, "terraform_version": "1.12.0", "serial": 1, "lineage": "l", "outputs": )"
        R"({"name": {"value": ")" +
        value + R"(", "type": "string", "deprecated": "old"}}, "resources": []})";
    EXPECT_TRUE(ReplaceFile(dir_ + "/" + name, text));
  }
  Value Path(const std::string& name) const {
    return Value::Object({{"path", Value::String(dir_ + "/" + name)}});
  }

  std::string dir_;
  StoredStates states_;
  provider::Problems problems_;
};

TEST_F(RemoteStateTest, ReadsNothingUntilItIsSaidHowStatesAreProtected) {
  StoredStates undecided;
  EXPECT_FALSE(undecided.Read("data.terraform_remote_state.s", "local", Path("there.tfstate"),
                              "default", problems_));
  EXPECT_EQ(problems_.size(), 1u);
}

TEST_F(RemoteStateTest, ReadsRootOutputs) {
  auto outputs = states_.Read("data.terraform_remote_state.s", "local", Path("there.tfstate"),
                              "default", problems_);
  ASSERT_TRUE(outputs);
  ASSERT_EQ(outputs->size(), 1u);
  EXPECT_EQ((*outputs)[0].name, "name");
  EXPECT_EQ((*outputs)[0].value.AsString(), "north");
  EXPECT_EQ((*outputs)[0].deprecated, "old");
}

TEST_F(RemoteStateTest, ReadsAWorkspaceOfItsOwnDirectory) {
  Value config = Value::Object(
      {{"path", Value::String("unused")}, {"workspace_dir", Value::String(dir_ + "/spaces")}});
  auto outputs = states_.Read("data.terraform_remote_state.s", "local", config, "prod", problems_);
  ASSERT_TRUE(outputs);
  EXPECT_EQ((*outputs)[0].value.AsString(), "prod");
}

TEST_F(RemoteStateTest, WithoutAStateThereIsNothingAndNoProblem) {
  EXPECT_FALSE(states_.Read("data.terraform_remote_state.s", "local", Path("none.tfstate"),
                            "default", problems_));
  EXPECT_TRUE(problems_.empty());
}

TEST_F(RemoteStateTest, SettingsAreChecked) {
  struct Row {
    std::string backend;
    Value config;
    std::string summary;
    std::string attribute;
  };
  const Row rows[] = {
      {"floppy", Value::EmptyObject(), "Invalid backend configuration", ".backend"},
      {"local", Value::Object({{"colour", Value::String("red")}}), "Invalid backend configuration",
       ".config"},
      {"local", Value::Object({{"path", Value::String("")}}), "Invalid local state file path",
       ".config"},
  };
  for (const Row& row : rows) {
    provider::Problems problems;
    states_.Check(row.backend, row.config, problems);
    ASSERT_EQ(problems.size(), 1u) << row.backend;
    EXPECT_EQ(problems[0].summary, row.summary);
    EXPECT_EQ(problems[0].attribute->ToText(), row.attribute);
  }
}

}  // namespace
}  // namespace kinu::backend
