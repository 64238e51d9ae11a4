// Hostile input: for any bytes, parsing ends with a tree or a diagnostic, and four times the text
// costs about four times the work.
#include <algorithm>
#include <ctime>
#include <string>

#include <gtest/gtest.h>

#include "base/thread.h"
#include "hcl/parse.h"

namespace kinu::hcl {
namespace {

std::string Repeat(std::string_view text, size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) {
    out += text;
  }
  return out;
}

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Parses, and computes the position of every diagnostic, as printing them does.
size_t Parse(const std::string& text, bool json) {
  SyntaxTree tree;
  Diagnostics diags;
  const SourceFile* source = tree.KeepSource(SourceFile::Make("t", text));
  if (json) {
    ParseJson(source, tree, diags, ParseMode::kIncomplete);  // in strict mode, too
    ParseJsonExpression(source, tree, diags);
  } else {
    ParseNative(source, tree, diags, ParseMode::kIncomplete);  // in strict mode, too
  }
  size_t sum = 0;
  for (const Diagnostic& problem : diags) {
    if (problem.subject.valid()) {
      sum += problem.subject.start_position().column + problem.subject.end_position().column;
    }
  }
  return sum + diags.size();
}

/// The lowest CPU time of a few runs, because other processes can only increase it.
double Cost(const std::string& text, bool json) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = CpuSeconds();
    Parse(text, json);
    best = std::min(best, CpuSeconds() - start);
  }
  return best;
}

struct Growth {
  const char* name;
  const char* before;
  const char* unit;
  const char* after;
  bool json = false;
};

constexpr Growth kGrowths[] = {
    {"blocks", "", "b \"x\" {\n  a = 1\n}\n", ""},
    {"elements of a list", "a = [", "1, ", "]\n"},
    {"attributes of an object", "a = {", "x = 1\n", "}\n"},
    {"the same argument", "", "a = 1\n", ""},
    {"a long line of blanks", "a = ", " ", "1\n"},
    {"a long string", "a = \"", "x", "\"\n"},
    {"a string of escapes", "a = \"", "\\n", "\"\n"},
    {"a string of wrong escapes", "a = \"", "\\q", "\"\n"},
    {"a string of half sequences", "a = \"", "$%$", "\"\n"},
    {"interpolations in a string", "a = \"", "${x}", "\"\n"},
    {"directives in a string", "a = \"", "%{if x}y%{endif}", "\"\n"},
    {"directives that do not end", "a = \"", "%{if x}", "\"\n"},
    {"an open string with interpolations", "a = \"", "${x}", ""},
    {"lines of a heredoc", "a = <<-EOT\n", "  x\n", "EOT\n"},
    {"a heredoc that does not end", "a = <<EOT\n", "  EO\n", ""},
    {"heredocs that do not end", "", "a = <<EOT\n", ""},
    {"comments that do not end", "", "/* ", ""},
    {"brackets that close nothing", "", "]})", ""},
    {"brackets that open on lines", "", "a = [\n", ""},
    {"operators", "a = 1", " + 1", "\n"},
    {"a traversal", "a = b", ".c", "\n"},
    {"arguments of a call", "a = f(", "1,", "1)\n"},
    {"labels of a block", "b ", "\"x\" ", "{}\n"},
    {"newlines in a string", "a = \"", "\n", "\"\n"},
    {"bytes that are no UTF-8", "a = \"", "\xFF", "\"\n"},
    {"combining characters", "a = \"e", "\xCC\x81", "\"\n"},
    {"broken lines", "", "= = =\n", ""},
    {"blocks that do not end", "", "b \"x\" {\n", ""},
    {"blocks of two levels that do not end", "", "b {\nc {\n", ""},
    {"indented blocks that do not end", "", "b {\n  c {\n    a = 1\n", ""},
    {"blocks that end too early", "", "b {\n  c\n    a = 1\n  }\n  d = 1\n}\n", ""},
    {"sequences that open on lines", "", "a = \"${\n", ""},
    {"sequences with brackets that open on lines", "", "a = \"${f({\n", ""},
    {"brackets in the wrong order", "", "([)]\n", ""},
    {"headers in heredocs that do not end", "", "a = <<EOT\nb {\n", ""},
    {"JSON members", "{", "\"a\": 1, ", "\"b\": 1}", true},
    {"JSON templates", "[", "\"${x}\", ", "1]", true},
    {"JSON strings that do not end", "[", "\"\\x\", ", "1]", true},
    {"JSON without commas", "[", "1 2 ", "1]", true},
    {"JSON brackets", "", "]}", "", true},
    {"a JSON string of escapes", "[\"", "\\u00e9", "\"]", true},
};

TEST(Hostile, CostIsLinearInTheText) {
  RunOnBigStack([] {
    for (const Growth& growth : kGrowths) {
      constexpr size_t kSmall = 10000;
      const auto text = [&](size_t count) {
        return growth.before + Repeat(growth.unit, count) + growth.after;
      };
      const double small = Cost(text(kSmall), growth.json);
      const double large = Cost(text(4 * kSmall), growth.json);
      // Linear growth is 4, quadratic 16. Times below a millisecond are too noisy.
      EXPECT_LT(large, 10 * std::max(small, 1e-3)) << growth.name;
    }
  });
}

TEST(Hostile, AnyBytesAreParsed) {
  // Pseudo-random bytes in which brackets and quotes are frequent.
  uint32_t state = 12345;
  const auto next = [&state] {
    state = state * 1664525 + 1013904223;
    return state >> 8;
  };
  static constexpr std::string_view kOften = "{}[]()\"\"$%{}<<-EOT\n=.,:?*#/\\ \n";
  RunOnBigStack([&] {
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      const size_t size = next() % 200;
      for (size_t i = 0; i < size; ++i) {
        text += next() % 3 == 0 ? static_cast<char>(next()) : kOften[next() % kOften.size()];
      }
      Parse(text, false);
      Parse(text, true);
      SyntaxTree tree;
      Diagnostics diags;
      const SourceFile* source = tree.KeepSource(SourceFile::Make("t", text));
      ParseTemplate(source, tree, diags);
      ParseExpression(source, tree, diags);
      ParseTraversal(source, tree, true, diags);
    }
  });
}

TEST(Hostile, NulBytesAndInvalidUtf8AreDiagnosed) {
  const auto first = [](std::string text) {
    SyntaxTree tree;
    Diagnostics diags;
    ParseNative(tree.KeepSource(SourceFile::Make("t", std::move(text))), tree, diags);
    return diags.empty() ? std::string() : diags.list()[0].summary;
  };
  EXPECT_EQ(first(std::string("a\0 = 1\n", 7)), "Invalid character");
  EXPECT_EQ(first("a = \xC3\n"), "Invalid character encoding");
  EXPECT_EQ(first(std::string("a = \"\0\"\n", 8)), "");
}

TEST(Hostile, BinaryFilesAreRefusedEarly) {
  const auto problems = [](size_t size) {
    SyntaxTree tree;
    Diagnostics diags;
    ParseNative(tree.KeepSource(SourceFile::Make("t", std::string(size, '\0'))), tree, diags);
    return diags.size();
  };
  EXPECT_GT(problems(5'000), 5'000u);
  const size_t many = problems(20'000);
  EXPECT_GT(many, 10'000u);
  EXPECT_LT(many, 12'000u);
  EXPECT_EQ(problems(30'000'000), many) << "the rest is not even looked at";
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kTensInALine = 200'000;  // sanitizers need many times the memory
#else
constexpr size_t kTensInALine = 10'000'000;
#endif

TEST(Hostile, ALineOfAHundredMegabytes) {
  const std::string text = "a = \"" + Repeat("0123456789", kTensInALine) + "\"\n";
  const double start = CpuSeconds();
  EXPECT_EQ(Parse(text, false), 0u);
  EXPECT_LT(CpuSeconds() - start, 20) << "a hundred million bytes take a second or two";
}

}  // namespace
}  // namespace kinu::hcl
