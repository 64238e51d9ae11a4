// What a reviewer wants to know of a plan document (`show -json` of a plan, of any version): what
// is destroyed, what depends on what, and whether two rules hold. And what a stream of messages
// tells.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include <kinu/documents.h>

namespace doc = kinu::v1;

namespace {

std::string ReadFile(const char* name) {
  std::ifstream stream(name);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

constexpr const char* kRules = R"(
check "rules" {
  plan {
    expect_non_empty_plan {}
    expect_resource_action {
      selector = "$.resource_changes[?type(@) == 'random_pet']"
      action   = "Create"
    }
  }
}
)";

void ReviewPlan(const doc::Document& document, const doc::Plan& plan) {
  std::cout << "format " << plan.format_version() << ", " << plan.resource_changes().size()
            << " changes\n";
  for (const doc::ResourceChange change : plan.resource_changes()) {
    std::cout << change.address() << ":";
    for (const std::string& action : change.change().actions()) {
      std::cout << ' ' << action;
    }
    const doc::JsonValue unknown = change.change().after_unknown();
    for (auto member = unknown.begin(); member != unknown.end(); ++member) {
      std::cout << ((*member).IsTrue() ? " (" + member.Name() + " is not known yet)" : "");
    }
    std::cout << '\n';
  }
  // Anything that has no reader is a question away.
  doc::Diagnostics problems;
  const auto values = document.Select("$..change.after.*", {}, problems);
  for (const doc::Document::Found& found : *values) {
    std::cout << found.path << " = " << found.value << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: review PLAN.json MESSAGES.jsonl\n";
    return 2;
  }
  doc::Diagnostics problems;
  const std::string text = ReadFile(argv[1]);
  const doc::Document document = doc::Document::Parse(text, problems);
  const auto plan = document ? document.As<doc::Plan>(problems) : std::nullopt;
  if (!plan) {
    std::cerr << Render(problems.front());
    return 1;
  }
  ReviewPlan(document, *plan);

  doc::CheckRun run;
  run.files.push_back({"rules.kinucheck.hcl", kRules});
  run.plans.push_back(text);
  for (const auto& result : doc::RunChecks(run, problems).results) {
    std::cout << result.kind << ": "
              << (result.status == doc::CheckReport::Status::kPass ? "holds" : result.message)
              << '\n';
  }

  // A stream may be of any length: one message is in memory.
  std::FILE* const file = std::fopen(argv[2], "rb");
  doc::DocumentStream stream([file](char* buffer, size_t size) {
    return static_cast<int64_t>(std::fread(buffer, 1, size, file));
  });
  while (const doc::Document next = stream.Next(problems)) {
    const auto message = next.As<doc::Message>(problems);
    if (message && message->type() == "apply_complete") {
      std::cout << message->hook().resource().address() << " took "
                << message->hook().elapsed_seconds().value_or(0) << " s\n";
    }
  }
  std::fclose(file);
  return 0;
}
