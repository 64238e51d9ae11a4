// Ephemeral objects: open while they are needed, never stored, always closed. Also the progress of
// long operations.
#include <algorithm>
#include <thread>

#include "engine/picture.h"
#include "engine/progress.h"
#include "engine/testing/engine_fixture.h"

namespace kinu::engine {
namespace {

using testing::EngineTest;
using testing::Strings;

class EphemeralTest : public EngineTest {
 protected:
  /// The calls for ephemeral objects and their users, by method.
  Strings Methods() const {
    Strings out;
    for (const provider::testing::Call& call : script_->calls()) {
      if (call.method.find("Ephemeral") != std::string::npos ||
          call.method == "PlanResourceChange" || call.method == "ApplyResourceChange") {
        if (call.method != "ValidateEphemeralConfig") {
          out.push_back(call.method);
        }
      }
    }
    return out;
  }
  static constexpr const char* kSecretForProvider = R"(
    ephemeral "test_secret" "s" { name = "s" }
    provider "test" {
      alias  = "two"
      region = ephemeral.test_secret.s.token
    }
    resource "test_thing" "a" {
      provider = test.two
      name     = "a"
    })";
};

TEST_F(EphemeralTest, StaysOpenWhileItsProviderIsOpen) {
  Configure(kSecretForProvider);
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Methods(), (Strings{"OpenEphemeral", "PlanResourceChange", "ApplyResourceChange",
                                "CloseEphemeral"}));
  EXPECT_EQ(Stored(), (Strings{"test_thing.a"}));
}

TEST_F(EphemeralTest, PictureOfADestructionHasWhatConfiguresItsProviders) {
  Configure(std::string(kSecretForProvider) + R"(
    locals {
      unused = 1
    }
    ephemeral "test_secret" "unused" { name = "unused" })");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  const Request input = MakeInput();
  const Picture picture = DrawPlan(input, plan::Mode::kDestroy, diags_);
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  Strings edges;
  for (const Picture::Vertex& from : picture.vertices()) {
    for (const Picture::Id to : from.edges) {
      edges.push_back(from.name + " -> " + picture.vertices()[to].name);
    }
  }
  std::ranges::sort(edges);
  const std::string provider = "provider[\"registry.opentofu.org/hashicorp/test\"]";
  const std::string other = provider + ".two";
  EXPECT_EQ(edges, (Strings{
                       "ephemeral.test_secret.s (close) -> ephemeral.test_secret.s (expand)",
                       "ephemeral.test_secret.s (close) -> " + provider,
                       "ephemeral.test_secret.s (close) -> " + other,
                       "ephemeral.test_secret.s (close) -> test_thing.a (destroy)",
                       "ephemeral.test_secret.s (expand) -> " + provider,
                       provider + " (close) -> ephemeral.test_secret.s (close)",
                       other + " (close) -> ephemeral.test_secret.s (close)",
                       other + " (close) -> test_thing.a (destroy)",
                       other + " -> ephemeral.test_secret.s (expand)",
                       "test_thing.a (destroy) -> " + other,
                   }));
}

TEST_F(EphemeralTest, IsClosedAfterFailureOfAUser) {
  Configure(kSecretForProvider);
  Fail("ApplyResourceChange a");
  Apply();
  EXPECT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_EQ(Methods().back(), "CloseEphemeral");
}

TEST_F(EphemeralTest, ApplyOpensOnlyNeededObjects) {
  Configure(R"(
    ephemeral "test_secret" "unused" { name = "unused" }
    resource "test_thing" "a" { name = "a" })");
  (void)Plan();
  EXPECT_EQ(script_->CountCalls("OpenEphemeral"), 1u);
  EXPECT_EQ(script_->CountCalls("CloseEphemeral"), 1u);
  Apply();
  EXPECT_EQ(script_->CountCalls("OpenEphemeral"), 0u);
}

TEST_F(EphemeralTest, ApplyDoesNotOpenWhatOnlyRootOutputsRead) {
  Configure(R"(
    ephemeral "test_secret" "s" { name = "s" }
    ephemeral "test_secret" "t" { name = ephemeral.test_secret.s.name }
    resource "test_thing" "a" { name = "a" }
    output "o" {
      value      = test_thing.a.id
      depends_on = [ephemeral.test_secret.t]
      precondition {
        condition     = ephemeral.test_secret.s.name == "s"
        error_message = "Another name."
      }
    })");
  (void)Plan();
  EXPECT_EQ(script_->CountCalls("OpenEphemeral"), 2u);
  Apply();
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(script_->CountCalls("OpenEphemeral"), 0u);
}

TEST_F(EphemeralTest, UnknownConfigurationIsOpenedDuringApply) {
  Configure(R"(
    resource "test_thing" "b" { name = "b" }
    ephemeral "test_secret" "s" {
      count = 1
      name  = test_thing.b.id
    }
    provider "test" {
      alias  = "two"
      region = ephemeral.test_secret.s[0].token
    }
    resource "test_thing" "a" {
      provider = test.two
      name     = "a"
    })");
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(script_->CountCalls("OpenEphemeral"), 0u);
  Strings events = events_.Take();
  EXPECT_EQ(std::count(events.begin(), events.end(),
                       "deferred ephemeral.test_secret.s[0] unknown configuration"),
            1);
  Apply();
  EXPECT_EQ(script_->CountCalls("OpenEphemeral"), 1u);
  EXPECT_EQ(script_->CountCalls("CloseEphemeral"), 1u);
}

TEST_F(EphemeralTest, IsRenewedWhileOpen) {
  Configure(kSecretForProvider);
  plan::Plan plan = Plan();
  script_->types["test_secret"].renew_after = 1;
  script_->types["test_thing"].waits.insert("ApplyResourceChange a");
  script_->ClearCalls();
  (void)events_.Take();
  std::thread later([&] {
    script_->AwaitWaiting("ApplyResourceChange a");
    for (int i = 0; i < 500 && script_->CountCalls("RenewEphemeral") == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    script_->Release("ApplyResourceChange a");
  });
  Request input = MakeInput();
  (void)engine::Apply(input, plan, nullptr, diags_);
  later.join();
  EXPECT_GE(script_->CountCalls("RenewEphemeral"), 1u);
  EXPECT_EQ(script_->CountCalls("CloseEphemeral"), 1u);
}

TEST_F(EphemeralTest, IsRefusedInStoredValues) {
  struct Row {
    std::string text;
    std::string summary;
  };
  const Row rows[] = {
      {R"(resource "test_thing" "a" { name = ephemeral.test_secret.s.token })",
       "Ephemeral value used in non-ephemeral context"},
      {R"(output "x" { value = ephemeral.test_secret.s.token })",
       "Output does not allow ephemeral value"},
      {R"(resource "test_thing" "a" { count = length(ephemeral.test_secret.s.token) })",
       "Invalid count argument"},
  };
  for (const Row& row : rows) {
    Configure("ephemeral \"test_secret\" \"s\" { name = \"s\" }\n" + row.text);
    (void)Plan();
    ASSERT_GE(diags_.error_count(), 1u) << row.text;
    EXPECT_EQ(diags_.begin()->summary, row.summary) << Text(diags_);
  }
}

TEST_F(EphemeralTest, OutputOfAModuleIsRefusedInStoredValues) {
  ConfigureAs(R"(
    module "m" { source = "./m" }
    resource "test_thing" "a" {
      count = 2
      name  = module.m.x
    })",
              R"(output "x" {
      value     = "known while validating"
      ephemeral = true
    })",
              "");
  (void)Plan();
  Strings refused;
  for (const Diagnostic& problem : diags_) {
    EXPECT_EQ(problem.summary, "Ephemeral value used in non-ephemeral context");
    refused.push_back(problem.address);
  }
  EXPECT_EQ(refused, (Strings{"test_thing.a[0]", "test_thing.a[1]"}));
  EXPECT_EQ(script_->CountCalls("PlanResourceChange"), 0u);
}

/// Waits for a number of events.
class CountingSink final : public EventSink {
 public:
  void Post(Event event) override {
    std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    changed_.notify_all();
  }
  void Await(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return events_.size() >= count; });
  }
  std::vector<Event> Take() {
    std::lock_guard lock(mutex_);
    return std::move(events_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Event> events_;
};

TEST(ProgressTicker, ReportsRunningOperations) {
  Program program;
  CountingSink sink;
  ResourceName name{ResourceMode::kManaged, program.Intern("test_thing"), program.Intern("a")};
  ResourceInstance slow_one{{ModuleInstId(), name}, InstanceKey()};
  ResourceInstance fast_one{{ModuleInstId(), name}, InstanceKey::Int(1)};
  ProgressTicker ticker(&sink, std::chrono::milliseconds(5));
  {
    Timed slow(ticker, true, {.address = slow_one});
    Timed fast(ticker, false, {.address = fast_one});
    sink.Await(3);
  }
  for (const Event& event : sink.Take()) {
    EXPECT_EQ(event.kind, EventKind::kApplyProgress);
    EXPECT_EQ(event.address, slow_one);
  }
  // An operation that has ended is never reported again.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(sink.Take().empty());
}

TEST_F(EphemeralTest, ApplyOpensNoneForAProviderOfWhichOnlyAnOutputReads) {
  const std::string secret = kSecretForProvider;
  Configure(secret + "\noutput \"id\" { value = test_thing.a.id }");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  Configure(secret + "\noutput \"id\" { value = \"${test_thing.a.id}!\" }");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(state_.outputs.at(0).value.AsString(), "id-a!");
  EXPECT_EQ(script_->CountCalls("OpenEphemeral"), 0u);
}

TEST_F(EphemeralTest, ApplyOpensNoneForArgumentsOfWhatOnlyAnOutputReads) {
  std::vector<schema::Attribute> attributes;
  attributes.push_back(provider::testing::Required("name", Type::String()));
  attributes.push_back(provider::testing::Optional("password", Type::String()));
  attributes.back().write_only = true;
  script_->schema.resources["test_other"] = provider::testing::Resource(std::move(attributes));
  const Value stored =
      Value::Object({{"name", Value::String("x")}, {"password", Value::Null(Type::String())}});
  script_->types["test_other"].plan = [=](const auto&, provider::PlanResponse& response, auto&) {
    response.planned = stored;
  };
  script_->types["test_other"].apply = [=](const auto&, provider::ApplyResponse& response, auto&) {
    response.state = stored;
  };
  const std::string users = R"(
    locals {
      keys = ["k"]
    }
    ephemeral "test_secret" "s" { name = "s" }
    resource "test_other" "a" {
      for_each = toset(local.keys)
      name     = "x"
      password = ephemeral.test_secret.s.token
    })";
  Configure(users + "\noutput \"o\" { value = test_other.a[\"k\"].name }");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(script_->CountCalls("OpenEphemeral"), 1u);
  Configure(users + "\noutput \"o\" { value = \"${test_other.a[\"k\"].name}!\" }");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(state_.outputs.at(0).value.AsString(), "x!");
  EXPECT_EQ(Methods(), Strings{});
}

}  // namespace
}  // namespace kinu::engine
