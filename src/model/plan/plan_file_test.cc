#include "plan/plan_file.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/source_directory.h"
#include "codec/zip.h"
#include "provider/builtin.h"

namespace kinu::plan {
namespace {

std::string GoldenPath(std::string_view name) {
  return SourceDirectory() + "/tests/golden/plan/" + std::string(name) + ".tfplan";
}

/// Schemas of the built-in provider. The recorded plans use no other.
SchemaLookup BuiltIn() {
  return [](Symbol, const ResourceName& resource) -> const schema::ResourceSchema* {
    const schema::ProviderSchema& builtin = provider::BuiltInSchema();
    return resource.mode == ResourceMode::kData ? builtin.FindData("terraform_remote_state")
                                                : builtin.FindResource("terraform_data");
  };
}

Plan MustRead(const PlanFile& file,
              std::shared_ptr<Program> program = std::make_shared<Program>()) {
  Result<Plan> plan = file.Read(std::move(program), BuiltIn());
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().message);
  return plan ? *std::move(plan) : Plan{};
}
Plan Golden(std::string_view name) {
  Result<PlanFile> file = PlanFile::Open(GoldenPath(name), *state::NoSealing());
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message);
  return MustRead(*file);
}

const ResourceChange* Find(const Plan& plan, std::string_view address) {
  for (const ResourceChange& change : plan.changes) {
    if (plan.program->ToText(change.address) == address) {
      return &change;
    }
  }
  ADD_FAILURE() << address << " is not in the plan";
  return nullptr;
}

// --- Files that OpenTofu wrote. ---

TEST(PlanFile, Create) {
  Plan plan = Golden("create");
  EXPECT_EQ(plan.terraform_version, "1.12.6");
  EXPECT_EQ(plan.mode, Mode::kNormal);
  EXPECT_TRUE(plan.CanApply());
  EXPECT_EQ(plan.timestamp.size(), 20U);
  EXPECT_EQ(plan.changes.size(), 5U);
  EXPECT_EQ(plan.backend.type, "local");
  EXPECT_EQ(plan.backend.workspace, "default");
  EXPECT_TRUE(plan.backend.config.Attribute("path").IsNull());

  const ResourceChange* dep = Find(plan, "terraform_data.dep");
  ASSERT_NE(dep, nullptr);
  EXPECT_EQ(dep->action, Action::kCreate);
  EXPECT_EQ(dep->reason, Reason::kNone);
  EXPECT_TRUE(dep->before.IsNull());
  EXPECT_FALSE(dep->after.Attribute("id").IsKnown());
  const Value& input = dep->after.Attribute("input");
  EXPECT_TRUE(input.Attribute("s").marks().sensitive());
  EXPECT_FALSE(input.Attribute("n").IsMarked());
  EXPECT_EQ(input.Attribute("s").AsString(), "pw");
  EXPECT_EQ(plan.program->ToText(dep->provider), "provider[\"terraform.io/builtin/terraform\"]");

  // only variables with a value in the plan options are stored
  EXPECT_TRUE(plan.variables.empty());

  ASSERT_EQ(plan.outputs.size(), 3U);
  for (const OutputChange& output : plan.outputs) {
    EXPECT_EQ(output.action, Action::kCreate);
    EXPECT_EQ(output.sensitive, output.name == "s");
  }
  ASSERT_EQ(plan.relevant_attributes.size(), 2U);
  EXPECT_EQ(plan.program->ToText(plan.relevant_attributes[0].resource), "terraform_data.dep");
  EXPECT_EQ(plan.relevant_attributes[0].attribute, Path().Attribute("id"));
  ASSERT_EQ(plan.checks.size(), 1U);
  EXPECT_EQ(plan.checks[0].block.kind, CheckableKind::kCheck);
  EXPECT_EQ(ToText(*plan.program, plan.checks[0].block), "check.c");
  EXPECT_EQ(plan.checks[0].status, CheckStatus::kUnknown);
  ASSERT_EQ(plan.configuration.modules.size(), 1U);
  EXPECT_EQ(plan.configuration.modules[0].dir, ".");
  ASSERT_EQ(plan.configuration.modules[0].files.size(), 1U);
  EXPECT_EQ(plan.configuration.modules[0].files[0].name, "main.tf");
  EXPECT_TRUE(plan.lock_file.starts_with("# This file is maintained automatically"));
}

struct ActionCase {
  const char* plan;
  const char* address;
  Action action;
  Reason reason;
};

class Actions : public testing::TestWithParam<ActionCase> {};

TEST_P(Actions, AreRead) {
  Plan plan = Golden(GetParam().plan);
  const ResourceChange* change = Find(plan, GetParam().address);
  ASSERT_NE(change, nullptr);
  EXPECT_EQ(change->action, GetParam().action);
  EXPECT_EQ(change->reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    Recorded, Actions,
    testing::Values(ActionCase{"replace", "terraform_data.dep", Action::kCreateThenDelete,
                               Reason::kReplaceCannotUpdate},
                    ActionCase{"replace", "terraform_data.plain[0]", Action::kNoOp, Reason::kNone},
                    ActionCase{"destroy", "terraform_data.dep", Action::kDelete, Reason::kNone},
                    ActionCase{"target", "terraform_data.plain[0]", Action::kDeleteThenCreate,
                               Reason::kReplaceTainted},
                    ActionCase{"moves", "terraform_data.imported", Action::kNoOp, Reason::kNone},
                    ActionCase{"moves", "terraform_data.many[\"b \\\"q\\\"\"]", Action::kForget,
                               Reason::kDeleteNoResourceConfig},
                    ActionCase{"moves", "terraform_data.plain[0]", Action::kDelete,
                               Reason::kDeleteWrongRepetition},
                    ActionCase{"moves", "terraform_data.plain[\"x\"]", Action::kUpdate,
                               Reason::kNone}));

TEST(PlanFile, MovesAndImports) {
  Plan plan = Golden("moves");
  const ResourceChange* moved = Find(plan, "terraform_data.plain[\"x\"]");
  ASSERT_NE(moved, nullptr);
  EXPECT_EQ(plan.program->ToText(moved->previous_address), "terraform_data.plain[1]");
  const ResourceChange* imported = Find(plan, "terraform_data.imported");
  ASSERT_NE(imported, nullptr);
  ASSERT_TRUE(imported->importing.has_value());
  EXPECT_EQ(imported->importing->id, "an-id");
  EXPECT_TRUE(Value::RawEquals(imported->before, imported->after));
}

TEST(PlanFile, Options) {
  const Plan targeted = Golden("target");
  ASSERT_EQ(targeted.targets.size(), 1U);
  EXPECT_EQ(ToText(*targeted.program, targeted.targets[0]), "terraform_data.plain[0]");
  Plan plan = Golden("variables");
  ASSERT_EQ(plan.excludes.size(), 1U);
  EXPECT_EQ(ToText(*plan.program, plan.excludes[0]), "terraform_data.a[0]");
  ASSERT_EQ(plan.variables.size(), 3U);
  EXPECT_EQ(plan.variables[0].name, "eph");
  EXPECT_TRUE(plan.variables[0].ephemeral);
  EXPECT_TRUE(plan.variables[0].value.IsNull());
  EXPECT_EQ(plan.variables[1].name, "obj");
  EXPECT_EQ(plan.variables[1].value.AsString(), "{z=[1.5,\"<\"]}");
  EXPECT_EQ(plan.variables[2].name, "secret");
  EXPECT_EQ(plan.variables[2].value.AsString(), "S");
  const ResourceChange* replaced = Find(plan, "terraform_data.a[1]");
  ASSERT_NE(replaced, nullptr);
  EXPECT_EQ(replaced->reason, Reason::kReplaceByRequest);
}

TEST(PlanFile, RequiredReplacePaths) {
  Plan plan = Golden("replace");
  const ResourceChange* dep = Find(plan, "terraform_data.dep");
  ASSERT_NE(dep, nullptr);
  ASSERT_EQ(dep->required_replace.size(), 1U);
  EXPECT_EQ(dep->required_replace[0], Path().Attribute("triggers_replace"));
}

TEST(PlanFile, RefreshOnlyAndDestroyModes) {
  Plan refresh = Golden("refresh");
  EXPECT_EQ(refresh.mode, Mode::kRefreshOnly);
  EXPECT_EQ(refresh.drift.size(), 1U);
  EXPECT_TRUE(refresh.CanApply());
  Plan destroy = Golden("destroy");
  EXPECT_EQ(destroy.mode, Mode::kDestroy);
  EXPECT_EQ(destroy.prior_state.resources.size(), 3U);
  EXPECT_FALSE(destroy.prior_state.lineage.empty());
  EXPECT_TRUE(destroy.previous_state.lineage.empty());
}

TEST(PlanFile, Modules) {
  Result<PlanFile> file = PlanFile::Open(GoldenPath("modules"), *state::NoSealing());
  ASSERT_TRUE(file.has_value());
  Result<config::SourceSnapshot> modules = file->Configuration();
  ASSERT_TRUE(modules.has_value());
  ASSERT_EQ(modules->modules.size(), 3U);
  EXPECT_EQ(modules->modules[1].key, "m");
  EXPECT_EQ(modules->modules[1].source, "./m");
  EXPECT_EQ(modules->modules[2].key, "m.deep");
  EXPECT_EQ(modules->modules[2].dir, "n");
  EXPECT_EQ(*file->Workspace(), "default");
  EXPECT_EQ(*file->Providers(), std::vector<std::string>{"terraform.io/builtin/terraform"});
  EXPECT_TRUE(file->CheckVersion());
}

// --- Files that kinu wrote. ---

class RoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, KeepsEverything) {
  Plan plan = Golden(GetParam());
  Result<std::string> bytes = EncodePlanFile(plan, BuiltIn());
  ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
  Result<PlanFile> file = PlanFile::FromBytes(*bytes);
  ASSERT_TRUE(file.has_value());
  Plan again = MustRead(*file, plan.program);
  EXPECT_EQ(again.mode, plan.mode);
  EXPECT_EQ(again.timestamp, plan.timestamp);
  EXPECT_EQ(again.targets, plan.targets);
  EXPECT_EQ(again.force_replace, plan.force_replace);
  EXPECT_EQ(again.lock_file, plan.lock_file);
  EXPECT_EQ(again.errored, plan.errored);
  EXPECT_TRUE(Value::RawEquals(again.backend.config, plan.backend.config));
  EXPECT_TRUE(state::SameContent(again.prior_state, plan.prior_state));
  EXPECT_TRUE(state::SameContent(again.previous_state, plan.previous_state));
  EXPECT_EQ(again.prior_state.serial, plan.prior_state.serial);
  auto same_changes = [](const BoxList<ResourceChange>& a, const BoxList<ResourceChange>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].address, b[i].address);
      EXPECT_EQ(a[i].previous_address, b[i].previous_address);
      EXPECT_EQ(a[i].provider, b[i].provider);
      EXPECT_EQ(a[i].action, b[i].action);
      EXPECT_EQ(a[i].reason, b[i].reason);
      EXPECT_EQ(a[i].private_data, b[i].private_data);
      EXPECT_EQ(a[i].required_replace.items(), b[i].required_replace.items());
      EXPECT_EQ(a[i].importing.has_value(), b[i].importing.has_value());
      EXPECT_TRUE(Value::RawEquals(a[i].before, b[i].before));
      EXPECT_TRUE(Value::RawEquals(a[i].after, b[i].after));
    }
  };
  same_changes(again.changes, plan.changes);
  same_changes(again.drift, plan.drift);
  ASSERT_EQ(again.outputs.size(), plan.outputs.size());
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    EXPECT_EQ(again.outputs[i].name, plan.outputs[i].name);
    EXPECT_EQ(again.outputs[i].action, plan.outputs[i].action);
    EXPECT_EQ(again.outputs[i].sensitive, plan.outputs[i].sensitive);
    EXPECT_TRUE(Value::RawEquals(again.outputs[i].before, plan.outputs[i].before));
    EXPECT_TRUE(Value::RawEquals(again.outputs[i].after, plan.outputs[i].after));
  }
  ASSERT_EQ(again.variables.size(), plan.variables.size());
  for (size_t i = 0; i < plan.variables.size(); ++i) {
    EXPECT_EQ(again.variables[i].name, plan.variables[i].name);
    EXPECT_EQ(again.variables[i].ephemeral, plan.variables[i].ephemeral);
    EXPECT_TRUE(Value::RawEquals(again.variables[i].value, plan.variables[i].value));
  }
  ASSERT_EQ(again.checks.size(), plan.checks.size());
  ASSERT_EQ(again.relevant_attributes.size(), plan.relevant_attributes.size());
  ASSERT_EQ(again.configuration.modules.size(), plan.configuration.modules.size());
}

// The message of many changes is not held as a whole.
TEST(PlanFile, WritesManyChangesAsTheyAreMade) {
  constexpr size_t kChanges = 9000;
  Plan plan = Golden("create");
  ASSERT_FALSE(plan.changes.empty());
  const ResourceChange first = plan.changes[0];
  plan.changes.clear();
  for (size_t i = 0; i < kChanges; ++i) {
    plan.changes.push_back(first);
    plan.changes.back().address.key = InstanceKey::Int(static_cast<int64_t>(i));
  }
  Result<std::string> bytes = EncodePlanFile(plan, BuiltIn());
  ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
  Result<PlanFile> file = PlanFile::FromBytes(*bytes);
  ASSERT_TRUE(file.has_value());
  const Plan again = MustRead(*file, plan.program);
  ASSERT_EQ(again.changes.size(), kChanges);
  for (size_t i = 0; i < kChanges; ++i) {
    ASSERT_EQ(again.changes[i].address, plan.changes[i].address);
    ASSERT_TRUE(Value::RawEquals(again.changes[i].after, first.after));
  }
}

TEST_P(RoundTrip, HasTheSameEntriesInTheSameOrder) {
  std::string recorded = ReadFile(GoldenPath(GetParam())).value();
  std::string ours = EncodePlanFile(Golden(GetParam()), BuiltIn()).value();
  ZipReader a = ZipReader::Open(recorded).value();
  ZipReader b = ZipReader::Open(ours).value();
  ASSERT_EQ(a.entries().size(), b.entries().size());
  std::vector<std::string> names_a;
  std::vector<std::string> names_b;
  for (size_t i = 0; i < a.entries().size(); ++i) {
    names_a.push_back(a.entries()[i].name);
    names_b.push_back(b.entries()[i].name);
    // OpenTofu writes instances in random order if a resource has both index and string keys.
    bool unordered =
        std::string_view(GetParam()) == "moves" && names_a.back().starts_with("tfstate");
    if (names_a.back() != "tfplan" && !unordered) {
      EXPECT_EQ(a.Read(names_a.back()).value(), b.Read(names_a.back()).value()) << names_a.back();
    }
  }
  std::sort(names_a.begin() + 3, names_a.end());  // the files of a module have no order
  std::sort(names_b.begin() + 3, names_b.end());
  EXPECT_EQ(names_a, names_b);
}

INSTANTIATE_TEST_SUITE_P(Recorded, RoundTrip,
                         testing::Values("create", "replace", "destroy", "target", "moves",
                                         "refresh", "modules", "variables"));

// --- Invalid plan files. ---

/// A recorded plan with `message` in the place of its tfplan entry.
std::string WithMessage(std::string_view message) {
  ZipWriter zip;
  zip.Add("tfplan", message);
  return zip.Finish();
}

TEST(PlanFile, Refusals) {
  auto open = [](std::string bytes) {
    Result<PlanFile> file = PlanFile::FromBytes(std::move(bytes));
    return file ? std::string() : file.error().message;
  };
  EXPECT_EQ(open("hello"), "zip: not a valid zip file");
  EXPECT_EQ(open(""), "zip: not a valid zip file");
  EXPECT_TRUE(open("tfplan2").starts_with("the given plan file was created by an earlier version"));
  EXPECT_EQ(open("{\"encrypted_data\":\"\",\"encryption_version\":\"v0\"}"),
            "the given plan file is encrypted and requires a valid encryption configuration to "
            "decrypt");
  ZipWriter other;
  other.Add("readme", "x");
  EXPECT_EQ(open(other.Finish()), "the given file is not a valid plan file");
  EXPECT_EQ(PlanFile::Open("/nonexistent/plan", *state::NoSealing()).error().code,
            ErrorCode::kNotFound);
}

TEST(PlanFile, VersionsMustAgree) {
  auto version = [](std::string_view message) {
    return PlanFile::FromBytes(WithMessage(message))->CheckVersion();
  };
  EXPECT_EQ(version("\x08\x02").error().message,
            "unsupported plan file format version 2; only version 3 is supported");
  EXPECT_EQ(version("\x08\x03\x72\x05"
                    "1.2.3")
                .error()
                .message,
            "plan file was created by OpenTofu or Terraform 1.2.3, but this is 1.12.6; plan files "
            "cannot be transferred between different versions of OpenTofu / Terraform");
  EXPECT_FALSE(version("\x08").has_value());
  EXPECT_TRUE(version("\x08\x03\x72\x06"
                      "1.12.6")
                  .has_value());
}

TEST(PlanFile, ExtensionsOfNewerVersionsAreRefused) {
  auto version = [](std::string_view extension) {
    const std::string message =
        "\x08\x03\x72\x06"
        "1.12.6" +
        std::string(extension);
    return PlanFile::FromBytes(WithMessage(message))->CheckVersion();
  };
  EXPECT_TRUE(version("\xc8\x3e\x01"));  // field 1001
  EXPECT_EQ(version("\xd0\x3e\x01").error().message,
            "plan file was created by a newer version of kinu: this one does not know its field "
            "1002");
}

TEST(PlanFile, CutMessagesAreRefused) {
  std::string recorded = ReadFile(GoldenPath("create")).value();
  std::string message = ZipReader::Open(recorded).value().Read("tfplan").value();
  size_t read = 0;
  for (size_t size = 0; size < message.size(); size += 7) {
    PlanFile file = PlanFile::FromBytes(WithMessage(message.substr(0, size))).value();
    read += file.Read(std::make_shared<Program>(), BuiltIn()).has_value() ? 1 : 0;
  }
  EXPECT_EQ(read, 0U);  // wherever it is cut, an entry is missing
}

TEST(PlanFile, NeedsASchema) {
  Result<PlanFile> file = PlanFile::Open(GoldenPath("create"), *state::NoSealing());
  Result<Plan> plan =
      file->Read(std::make_shared<Program>(), [](Symbol, const ResourceName&) { return nullptr; });
  ASSERT_FALSE(plan.has_value());
  EXPECT_TRUE(plan.error().message.starts_with("invalid plan for resource terraform_data."));
}

TEST(PlanFile, IsReplacedAsAWhole) {
  std::string path =
      (std::filesystem::temp_directory_path() / ("kinu-" + RandomUuid() + ".tfplan")).string();
  ASSERT_TRUE(ReplaceFile(path, "old"));
  Plan plan = Golden("create");
  EXPECT_FALSE(
      WritePlanFile(
          path, plan, [](Symbol, const ResourceName&) { return nullptr; }, *state::NoSealing())
          .has_value());
  EXPECT_EQ(ReadFile(path).value(), "old");
  ASSERT_TRUE(WritePlanFile(path, plan, BuiltIn(), *state::NoSealing()));
  EXPECT_TRUE(PlanFile::Open(path, *state::NoSealing()).has_value());
  std::filesystem::remove(path);
}

// --- The model. ---

TEST(Plan, Questions) {
  EXPECT_TRUE(IsReplace(Action::kCreateThenDelete));
  EXPECT_TRUE(IsReplace(Action::kDeleteThenCreate));
  EXPECT_FALSE(IsReplace(Action::kUpdate));
  EXPECT_EQ(ReasonName(Reason::kNone), "");
  EXPECT_EQ(ReasonName(Reason::kReadCheckNested), "read_because_check_nested");
  EXPECT_EQ(ReasonName(Reason::kForgetConfig), "forgot_because_lifecycle_destroy_in_config");
  Plan plan;
  plan.program = std::make_shared<Program>();
  EXPECT_FALSE(plan.CanApply());
  plan.outputs.push_back(OutputChange{.name = "o", .action = Action::kUpdate});
  EXPECT_TRUE(plan.CanApply());
  plan.errored = true;
  EXPECT_FALSE(plan.CanApply());
  plan.errored = false;
  plan.outputs.clear();
  plan.changes.emplace_back();
  EXPECT_FALSE(plan.CanApply());
  plan.changes[0].importing.emplace();
  EXPECT_TRUE(plan.CanApply());
}

}  // namespace
}  // namespace kinu::plan
