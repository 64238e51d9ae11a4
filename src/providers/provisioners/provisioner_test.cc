#include "provisioners/provisioner.h"

#include <thread>

#include <gtest/gtest.h>

#include "base/files.h"

namespace kinu::provisioners {
namespace {

/// A configuration of local-exec. Attributes that are not in `given` are null.
Value LocalExecConfig(std::vector<std::pair<std::string, Value>> given) {
  const Value& empty = FindProvisioner("local-exec")->schema().EmptyValue();
  std::vector<std::pair<std::string, Value>> attributes;
  for (size_t i = 0; i < empty.size(); ++i) {
    Value value = empty.elements()[i];
    for (auto& [name, replacement] : given) {
      if (name == empty.key(i)) {
        value = replacement;
      }
    }
    attributes.emplace_back(empty.key(i), std::move(value));
  }
  return Value::Object(std::move(attributes));
}

struct Outcome {
  std::vector<std::string> lines;
  provider::Problems problems;
};

Outcome Exec(std::vector<std::pair<std::string, Value>> config,
             const std::atomic<bool>* stop = nullptr) {
  Outcome out;
  ProvisionRequest request;
  request.config = LocalExecConfig(std::move(config));
  request.connection = Value::Null(ConnectionSchema().implied_type());
  request.output = [&](std::string_view line) { out.lines.emplace_back(line); };
  request.stop = stop;
  FindProvisioner("local-exec")->Run(request, out.problems);
  return out;
}

using Strings = std::vector<std::string>;

TEST(LocalExec, PrintsLinesOfBothStreams) {
  Outcome run = Exec({{"command", Value::String("echo one; echo two >&2; printf three")}});
  EXPECT_FALSE(provider::HasErrors(run.problems));
  EXPECT_EQ(run.lines,
            (Strings{R"(Executing: ["/bin/sh" "-c" "echo one; echo two >&2; printf three"])", "one",
                     "two", "three"}));
}

TEST(LocalExec, TakesInterpreterDirectoryAndEnvironment) {
  Value words = Value::List(Type::String(), {Value::String("/bin/sh"), Value::String("-c")});
  Value environment = Value::Map(Type::String(), {{"KINU_TEST_WORD", Value::String("kiln")},
                                                  {"GONE", Value::Null(Type::String())}});
  Outcome run = Exec({{"command", Value::String("pwd; echo $KINU_TEST_WORD")},
                      {"interpreter", words},
                      {"environment", environment},
                      {"working_dir", Value::String("/")},
                      {"quiet", Value::Bool(true)}});
  EXPECT_EQ(run.lines, (Strings{"local-exec: Executing: Suppressed by quiet=true", "/", "kiln"}));
}

TEST(LocalExec, FailuresSayHowTheCommandEnded) {
  struct Row {
    std::string command;
    std::string interpreter;
    std::string directory;
    std::string expected;
  };
  const Row rows[] = {
      {"echo why; exit 3", "", "", "exit status 3. Output: why\n"},
      {"kill -9 $$", "", "", "signal: killed"},
      {"x", "/no/such/shell", "", "exec /no/such/shell: no such file or directory"},
      {"true", "", "/no/such/directory", "chdir /no/such/directory: no such file or directory"},
  };
  for (const Row& row : rows) {
    std::vector<std::pair<std::string, Value>> config{{"command", Value::String(row.command)}};
    if (!row.interpreter.empty()) {
      config.emplace_back("interpreter",
                          Value::List(Type::String(), {Value::String(row.interpreter)}));
    }
    if (!row.directory.empty()) {
      config.emplace_back("working_dir", Value::String(row.directory));
    }
    Outcome run = Exec(std::move(config));
    ASSERT_EQ(run.problems.size(), 1u) << row.command;
    EXPECT_EQ(run.problems[0].summary, "local-exec provisioner error");
    EXPECT_NE(run.problems[0].detail.find(row.expected), std::string::npos)
        << run.problems[0].detail;
  }
}

TEST(LocalExec, KeepsTheEndOfLongOutput) {
  Outcome run = Exec({{"command", Value::String("seq 1 20000; exit 1")}});
  ASSERT_EQ(run.problems.size(), 1u);
  EXPECT_LT(run.problems[0].detail.size(), 9000u);
  EXPECT_TRUE(run.problems[0].detail.ends_with("19999\n20000\n"));
  EXPECT_EQ(run.lines.size(), 20001u);
}

TEST(LocalExec, IsKilledOnRequest) {
  std::atomic<bool> stop{false};
  std::thread soon([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  Outcome run = Exec({{"command", Value::String("exec sleep 60")}}, &stop);
  soon.join();
  ASSERT_EQ(run.problems.size(), 1u);
  EXPECT_NE(run.problems[0].detail.find("signal: killed"), std::string::npos);
}

TEST(Provisioner, ValidationNeedsNoConnection) {
  provider::Problems problems;
  FindProvisioner("local-exec")->Validate(LocalExecConfig({}), problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].summary, "Invalid local-exec provisioner command");
  problems.clear();
  FindProvisioner("local-exec")
      ->Validate(LocalExecConfig({{"command", Value::Unknown(Type::String())}}), problems);
  EXPECT_TRUE(problems.empty());
  const Provisioner* remote = FindProvisioner("remote-exec");
  remote->Validate(remote->schema().EmptyValue(), problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].summary, "Invalid remote-exec provisioner configuration");
  EXPECT_EQ(FindProvisioner("chef"), nullptr);
}

TEST(Provisioner, ConnectionsAreRefusedWithTheReason) {
  const Provisioner* file = FindProvisioner("file");
  ProvisionRequest request;
  request.config = file->schema().EmptyValue();
  request.connection = Value::Null(ConnectionSchema().implied_type());
  provider::Problems problems;
  file->Run(request, problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].summary, "file provisioner error");
  EXPECT_EQ(problems[0].detail, "Missing connection configuration for provisioner.");
}

}  // namespace
}  // namespace kinu::provisioners
