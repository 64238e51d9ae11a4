// Checks that the work of loading, planning and applying grows linearly with the configuration:
// twice the objects may cost at most twice the work, for every shape. Work is counted and not
// timed.
#include <functional>
#include <string>

#include "counted_work.h"
#include "engine/testing/engine_fixture.h"

namespace kinu::engine {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

/// `part` for 1 … n, where `%i` is the number, `%p` the one before and `%r` counts down.
std::string Repeat(size_t n, std::string_view part) {
  std::string text;
  for (size_t i = 1; i <= n; ++i) {
    for (size_t at = 0; at < part.size(); ++at) {
      switch (part[at] == '%' ? part[at + 1] : '\0') {
        case 'i':
          text += std::to_string(i);
          ++at;
          break;
        case 'p':
          text += std::to_string(i - 1);
          ++at;
          break;
        case 'r':
          text += std::to_string(n - i);
          ++at;
          break;
        default:
          text += part[at];
      }
    }
  }
  return text;
}

Files OneFile(std::string text) {
  return {{"main.tf", std::move(text)}};
}

/// A module with a variable, a resource block and an output.
std::pair<std::string, std::string> ModuleFile() {
  return {"m/main.tf",
          "variable \"v\" {}\nresource \"test_thing\" \"r\" { name = var.v }\n"
          "output \"o\" { value = test_thing.r.output }\n"};
}

/// What a shape is tested with. The state of a chain grows with its square, because each object
/// lists all that it depends on.
enum class Steps : uint8_t { kPlan, kAll };

struct Shape {
  const char* name;
  size_t count;
  Steps steps;
  Files (*files)(size_t n);
};

constexpr Shape kShapes[] = {
    {"blocks", 300, Steps::kAll,
     [](size_t n) {
       return OneFile(Repeat(n, "resource \"test_thing\" \"r%i\" { name = \"n%i\" }\n"));
     }},
    {"a chain of blocks", 300, Steps::kPlan,
     [](size_t n) {
       return OneFile("resource \"test_thing\" \"r0\" {}\n" +
                      Repeat(n, "resource \"test_thing\" \"r%i\" { value = test_thing.r%p.output "
                                "}\n"));
     }},
    {"files", 150, Steps::kPlan,
     [](size_t n) {
       Files files;
       for (size_t i = 0; i < n; ++i) {
         const std::string name = "r" + std::to_string(i);
         files.emplace_back(name + ".tf", "resource \"test_thing\" \"" + name + "\" {}\n");
       }
       return files;
     }},
    {"outputs", 500, Steps::kAll,
     [](size_t n) { return OneFile(Repeat(n, "output \"o%r\" { value = \"v%i\" }\n")); }},
    {"a chain of local values", 500, Steps::kAll,
     [](size_t n) {
       return OneFile("locals {\n  v0 = 0\n" + Repeat(n, "  v%i = local.v%p + 1\n") + "}\n");
     }},
    {"variables", 500, Steps::kAll,
     [](size_t n) {
       return OneFile(Repeat(n, "variable \"v%i\" {\n  default = %i\n  validation {\n"
                                "    condition = var.v%i >= 0\n    error_message = \"no\"\n  }\n}\n"));
     }},
    {"moved blocks", 300, Steps::kAll,
     [](size_t n) {
       return OneFile(Repeat(n, "resource \"test_thing\" \"r%i\" {}\nmoved {\n"
                                "  from = test_thing.old%i\n  to   = test_thing.r%i\n}\n"));
     }},
    {"moved instances of modules", 300, Steps::kPlan,
     [](size_t n) {
       Files files = OneFile("module \"m\" {\n  source   = \"./m\"\n  for_each = {}\n}\n" +
                             Repeat(n, "moved {\n  from = module.m[%i]\n  to   = "
                                       "module.m[\"k%i\"]\n}\n"));
       files.emplace_back("m/main.tf", "resource \"test_thing\" \"r\" {}\n");
       return files;
     }},
    {"removed blocks", 500, Steps::kAll,
     [](size_t n) { return OneFile(Repeat(n, "removed {\n  from = test_thing.old%i\n}\n")); }},
    {"conditions", 300, Steps::kAll,
     [](size_t n) {
       return OneFile(Repeat(n, "resource \"test_thing\" \"r%i\" {\n  name = \"n%i\"\n"
                                "  lifecycle {\n    postcondition {\n"
                                "      condition = self.name != \"\"\n"
                                "      error_message = \"no\"\n    }\n  }\n}\n"));
     }},
    {"checks", 300, Steps::kAll,
     [](size_t n) {
       return OneFile("resource \"test_thing\" \"r\" { name = \"n\" }\n" +
                      Repeat(n, "check \"c%i\" {\n  assert {\n"
                                "    condition = test_thing.r.name == \"n\"\n"
                                "    error_message = \"no\"\n  }\n}\n"));
     }},
    {"instances by count", 500, Steps::kAll,
     [](size_t n) {
       return OneFile("resource \"test_thing\" \"a\" {\n  count = " + std::to_string(n) +
                      "\n  name = \"n${count.index}\"\n}\nresource \"test_thing\" \"b\" {\n  count "
                      "= " +
                      std::to_string(n) + "\n  value = test_thing.a[count.index].output\n}\n");
     }},
    {"instances by for_each", 300, Steps::kAll,
     [](size_t n) {
       return OneFile("locals { keys = [" + Repeat(n, "\"k%i\", ") +
                      "] }\nresource \"test_thing\" \"a\" {\n  for_each = toset(local.keys)\n  "
                      "name = each.key\n}\nresource \"test_thing\" \"b\" {\n  for_each = "
                      "test_thing.a\n  value = each.value.output\n}\n");
     }},
    {"module calls", 150, Steps::kAll,
     [](size_t n) {
       Files files = OneFile(Repeat(n, "module \"m%i\" {\n  source = \"./m\"\n  v = \"x%i\"\n}\n"));
       files.push_back(ModuleFile());
       return files;
     }},
    {"inputs and outputs of a module", 300, Steps::kAll,
     [](size_t n) {
       Files files = OneFile("module \"m\" {\n  source = \"./m\"\n" + Repeat(n, "  v%i = %i\n") +
                             "}\n" +
                             Repeat(n, "resource \"test_thing\" \"r%i\" {\n  name  = \"n%i\"\n"
                                       "  value = module.m.o%i\n}\n"));
       files.emplace_back("m/main.tf",
                          Repeat(n, "variable \"v%i\" {}\noutput \"o%i\" { value = var.v%i }\n"));
       return files;
     }},
    {"members of a local value", 150, Steps::kPlan,
     [](size_t n) {
       return OneFile("locals {\n  m = {\n" + Repeat(n, "    k%i = test_thing.a%i.output\n") +
                      "  }\n}\n" +
                      Repeat(n, "resource \"test_thing\" \"a%i\" { name = \"n%i\" }\n"
                                "resource \"test_thing\" \"b%i\" { value = local.m.k%i }\n"
                                "resource \"test_thing\" \"c%i\" { value = local.m[\"k%i\"] }\n"));
     }},
    {"instances of a module", 300, Steps::kAll,
     [](size_t n) {
       Files files = OneFile("module \"m\" {\n  source = \"./m\"\n  count = " + std::to_string(n) +
                             "\n  v = \"x${count.index}\"\n}\n"
                             "output \"all\" { value = module.m[*].o }\n");
       files.push_back(ModuleFile());
       return files;
     }},
    {"a block that names all", 300, Steps::kAll,
     [](size_t n) {
       return OneFile(Repeat(n, "resource \"test_thing\" \"r%i\" {}\n") +
                      "resource \"test_thing\" \"all\" {\n  value = join(\",\", [" +
                      Repeat(n, "test_thing.r%i.output, ") + "])\n}\n");
     }},
};

/// A directory with a configuration and a state.
class Project final : public testing::EngineTest {
 public:
  /// The work of each step.
  std::vector<std::pair<const char*, Work>> Run(const Shape& shape, size_t n) {
    std::vector<std::pair<const char*, Work>> steps;
    const auto count = [&](const char* step, const std::function<void()>& act) {
      steps.emplace_back(step, CountWork(act));
    };
    Write(shape.files(n));
    count("load", [&] { Load(); });
    count("validate", [&] { EXPECT_EQ(Text(Validated()), ""); });
    count("plan", [&] { EXPECT_EQ(Text((Plan(), diags_)), ""); });
    if (shape.steps == Steps::kAll) {
      count("apply", [&] { Apply(); });
      count("plan without changes", [&] { EXPECT_EQ(Changes(Plan()), testing::Strings()); });
      mode_ = plan::Mode::kDestroy;
      count("destroy", [&] { Apply(); });
    }
    return steps;
  }

 private:
  void TestBody() override {}
  Diagnostics Validated() {
    Diagnostics found;
    Validate(MakeInput(), found);
    return found;
  }
};

TEST(Growth, OfPlansIsLinear) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    const auto once = Project().Run(shape, shape.count);
    const auto twice = Project().Run(shape, 2 * shape.count);
    for (size_t i = 0; i < once.size(); ++i) {
      SCOPED_TRACE(once[i].first);
      ExpectGrowth(once[i].second, twice[i].second, 2.0);
    }
  }
}

}  // namespace
}  // namespace kinu::engine
