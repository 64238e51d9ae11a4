// Calls that could consume unlimited time or memory: they return at once, with an error or a small
// result.
#include <ctime>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/thread.h"
#include "codec/base64.h"
#include "codec/deflate.h"
#include "functions/testing/evaluation.h"

namespace kinu::functions {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kMostSeconds = 60;  // sanitizers check memory, without optimization
#else
constexpr double kMostSeconds = 3;
#endif
constexpr long kMostKilobytes = 600L << 10;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

long PeakKilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

std::string Repeated(std::string_view text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    out += text;
  }
  return out;
}

using testing::Evaluation;

// Each level refers to the level below nine times.
std::string AliasBomb(int levels) {
  std::string out = "l0: &l0 [x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < levels; ++i) {
    const std::string alias = "*l" + std::to_string(i - 1);
    out += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [" + alias +
           Repeated("," + alias, 8) + "]\n";
  }
  return out;
}

std::string ZipBomb() {
  const std::string mebibyte(size_t{1} << 20, '\0');
  std::string zeros;
  for (int i = 0; i < 256; ++i) {
    zeros += mebibyte;
  }
  return EncodeBase64(Gzip(zeros));
}

Value List(size_t count) {
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(Value::Int(static_cast<int64_t>(i)));
  }
  return Value::List(Type::Number(), std::move(values));
}

// Eight levels of ten elements: a hundred million elements that share their memory.
Value Nested() {
  Value value = Value::String("x");
  for (int level = 0; level < 8; ++level) {
    value = Value::Tuple(std::vector<Value>(10, value));
  }
  return value;
}

TEST(Bounds, HostileCallsEndAtOnce) {
  Evaluation::Variables variables;
  variables.insert_or_assign("deep_json", Value::String(Repeated("[", 1000000)));
  variables.insert_or_assign("deep_object", Value::String(Repeated("{\"a\":", 500000)));
  variables.insert_or_assign("deep_yaml", Value::String(Repeated("[", 1000000)));
  variables.insert_or_assign("deep_blocks", Value::String(Repeated("- ", 100000) + "x"));
  variables.insert_or_assign("aliases", Value::String(AliasBomb(40)));
  variables.insert_or_assign("few_aliases", Value::String(AliasBomb(5)));
  variables.insert_or_assign("bomb", Value::String(ZipBomb()));
  variables.insert_or_assign("list", List(2000));
  variables.insert_or_assign("nested", Nested());
  variables.insert_or_assign("letters", Value::String(std::string(100000, 'a')));
  variables.insert_or_assign("lines", Value::String(Repeated("a\n", 100000)));
  variables.insert_or_assign("digits", Value::String(std::string(100000, '9')));
  struct Case {
    std::string_view call;
    bool fails;
  };
  const Case cases[] = {
      {"range(0, 1e12)", true},
      {"range(1e12)", true},
      {"range(0, 1, 1e-12)", true},
      {"format(\"%1000000000d\", 1)", true},
      {"format(\"%.1000000000f\", 1)", true},
      {"format(\"%99999999999999999999d\", 1)", true},
      {"formatlist(\"%1000000d\", range(1024))", true},
      {"indent(1000000000, lines)", true},
      {"indent(1000000, lines)", true},
      {"regex(\"(a{1000}){1000}\", letters)", true},
      {"regex(\"((((a{10}){10}){10}){10})\", letters)", true},
      {"length(regexall(\"(a+)+$\", letters))", false},
      {"length(regexall(\"(.*)*b\", letters))", false},
      {"length(replace(letters, \"/(a|aa)+$/\", \"\"))", false},
      {"jsondecode(deep_json)", true},
      {"jsondecode(deep_object)", true},
      {"yamldecode(deep_yaml)", true},
      {"yamldecode(deep_blocks)", true},
      {"yamldecode(aliases)", true},
      {"length(keys(yamldecode(few_aliases)))", false},
      {"base64gunzip(bomb)", true},
      {"setproduct(list, list, list)", true},
      {"setproduct(list, list)", true},
      {"flatten(nested)", true},
      {"jsonencode(nested)", true},
      {"yamlencode(nested)", true},
      {"length(cidrsubnets(\"10.0.0.0/8\", [for i in list: 20]...))", false},
      {"parseint(digits, 10) > 1", false},
      {"pow(10, 1e9) > 1", false},
      {"length(format(\"%d\", 1e1000000))", false},
      {"format(\"%d\", 1e600000000)", true},
      {"format(\"%x\", -1e600000000)", true},
      {"format(\"%.0f\", 1e600000000)", true},
      {"format(\"%.10f|%g|%.3e\", 1e-600000000, 1e600000000, 1e600000000)", false},
      {"format(\"%s|%v|%q\", 1e600000000, 1e600000000, \"${-1e600000000}\")", false},
      {"formatlist(\"%s\", [for i in list: 1e600000000])", false},
      {"jsonencode([for i in list: 1e600000000])", false},
      {"yamlencode([for i in list: 1e-600000000])", false},
      {"join(\",\", [for i in list: 1e600000000])", false},
      {"cidrhost(\"10.0.0.0/8\", 1e600000000)", true},
      {"cidrsubnet(\"10.0.0.0/8\", 4, -1e600000000)", true},
      {"jsondecode(\"1e600000000\") == 1e600000000", false},
      {"length(chunklist(list, 1))", false},
      {"strcontains(letters, \"ab\")", false},
      {"length(split(\"\", letters))", false},
  };
  for (const Case& c : cases) {
    const double start = CpuSeconds();
    Evaluation evaluation(c.call, variables);
    RunOnBigStack([&] { evaluation.Run(); });
    EXPECT_EQ(!evaluation.diags().empty(), c.fails)
        << c.call << ": " << (evaluation.diags().empty() ? "" : evaluation.diags().begin()->detail);
    EXPECT_LT(CpuSeconds() - start, kMostSeconds) << c.call;
  }
  // Generating the bomb takes half of this.
  EXPECT_LT(PeakKilobytes(), kMostKilobytes * 2);
}

}  // namespace
}  // namespace kinu::functions
