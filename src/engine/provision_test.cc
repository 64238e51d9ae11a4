// Provisioners: when they run, which values they have, and the status of the object if one fails.
#include "engine/testing/engine_fixture.h"

namespace kinu::engine {
namespace {

using testing::EngineTest;
using testing::Strings;

class ProvisionTest : public EngineTest {
 protected:
  /// The events about provisioners, without the line that repeats the command.
  Strings Provisioned() {
    Strings out;
    for (const std::string& line : events_.Take()) {
      if (line.starts_with("provision-") && line.find("Executing:") == std::string::npos) {
        out.push_back(line);
      }
    }
    return out;
  }
};

TEST_F(ProvisionTest, RunAfterCreationAndBeforeDestruction) {
  const char* with_block = R"(
    resource "test_thing" "a" {
      for_each = toset(["x"])
      name     = "a"
      provisioner "local-exec" { command = "echo up ${self.name} ${each.value}" }
      provisioner "local-exec" {
        when    = destroy
        command = "echo down ${self.name} ${each.key}"
      }
    })";
  Configure(with_block);
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Provisioned(), (Strings{R"(provision-start test_thing.a["x"])",
                                    R"(provision-output test_thing.a["x"] up a x)",
                                    R"(provision-complete test_thing.a["x"])"}));
  mode_ = plan::Mode::kDestroy;
  Apply();
  EXPECT_EQ(Provisioned(), (Strings{R"(provision-start test_thing.a["x"])",
                                    R"(provision-output test_thing.a["x"] down a x)",
                                    R"(provision-complete test_thing.a["x"])"}));
  EXPECT_EQ(Stored(), Strings{});
}

TEST_F(ProvisionTest, FailureTaintsAndSkipsDependents) {
  Configure(R"(
    resource "test_thing" "a" {
      name = "a"
      provisioner "local-exec" { command = "exit 4" }
      provisioner "local-exec" { command = "echo not reached" }
    }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a.id
    })");
  Apply();
  ASSERT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_EQ(diags_.begin()->summary, "local-exec provisioner error");
  EXPECT_EQ(diags_.begin()->address, "test_thing.a");
  EXPECT_EQ(Stored(), (Strings{"test_thing.a tainted"}));
  EXPECT_EQ(Provisioned(),
            (Strings{"provision-start test_thing.a", "provision-errored test_thing.a"}));
}

TEST_F(ProvisionTest, OnFailureContinueIgnoresFailure) {
  Configure(R"(
    resource "test_thing" "a" {
      name = "a"
      provisioner "local-exec" {
        command    = "exit 4"
        on_failure = continue
      }
      provisioner "local-exec" { command = "echo reached" }
    })");
  Apply();
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Stored(), (Strings{"test_thing.a"}));
  EXPECT_EQ(Provisioned().back(), "provision-complete test_thing.a");
}

TEST_F(ProvisionTest, FailedDestroyProvisionerKeepsObject) {
  Configure(R"(
    resource "test_thing" "a" {
      name = "a"
      provisioner "local-exec" {
        when    = destroy
        command = "exit 1"
      }
    })");
  Apply();
  mode_ = plan::Mode::kDestroy;
  Apply();
  EXPECT_EQ(diags_.error_count(), 1u);
  EXPECT_EQ(Applied(), Strings{});
  EXPECT_EQ(Stored(), (Strings{"test_thing.a"}));
}

TEST_F(ProvisionTest, RemovedBlockRunsItsProvisioners) {
  Configure(R"(resource "test_thing" "a" { name = "gone" })");
  Apply();
  (void)events_.Take();
  Configure(R"(
    removed {
      from = test_thing.a
      lifecycle { destroy = true }
      provisioner "local-exec" {
        when    = destroy
        command = "echo bye ${self.name}"
      }
    })");
  Apply();
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Provisioned(),
            (Strings{"provision-start test_thing.a", "provision-output test_thing.a bye gone",
                     "provision-complete test_thing.a"}));
}

TEST_F(ProvisionTest, SensitiveValuesSuppressOutput) {
  Configure(R"(
    variable "s" {
      default   = "hush"
      sensitive = true
    }
    resource "test_thing" "a" {
      name = "a"
      provisioner "local-exec" {
        command = "echo $WORD"
        quiet   = true
        environment = { WORD = var.s }
      }
    })");
  Apply();
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  for (const std::string& line : events_.Take()) {
    EXPECT_EQ(line.find("hush"), std::string::npos) << line;
    if (line.starts_with("provision-output")) {
      EXPECT_NE(line.find("(output suppressed due to sensitive value in config)"),
                std::string::npos);
    }
  }
}

TEST_F(ProvisionTest, ReferencesOfCommandsAreDependencies) {
  Configure(R"(
    resource "test_thing" "a" {
      name = "a"
      provisioner "local-exec" { command = "echo ${test_thing.b.id} ${test_thing.c.id}" }
      connection { host = test_thing.c.id }
    }
    resource "test_thing" "b" { name = "b" }
    resource "test_thing" "c" { name = "c" })");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_TRUE(Before("create b", "create a"));
  EXPECT_TRUE(Before("create c", "create a"));
}

TEST_F(ProvisionTest, BodiesAreValidated) {
  Configure(R"(
    resource "test_thing" "a" {
      name = "a"
      provisioner "local-exec" { command = self.nowhere }
    }
    resource "test_thing" "b" {
      name = "b"
      provisioner "file" { destination = "x" }
    }
    resource "test_thing" "c" {
      name = "c"
      connection { colour = "red" }
      provisioner "local-exec" { command = "true" }
    })");
  (void)Plan();
  Strings summaries;
  for (const Diagnostic& diagnostic : diags_) {
    summaries.push_back(diagnostic.summary);
  }
  std::sort(summaries.begin(), summaries.end());
  EXPECT_EQ(summaries,
            (Strings{"Missing required argument", "Must provide one of 'source' or 'content'",
                     "Unsupported argument", "Unsupported attribute"}));
}

}  // namespace
}  // namespace kinu::engine
