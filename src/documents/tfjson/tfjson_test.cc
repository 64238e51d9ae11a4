#include <cstdio>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

#include "json/cpu_features.h"
#include "json/reader.h"
#include "json/scanner.h"
#include "json/token_stream.h"
#include "json/tree.h"
#include "text/unicode.h"
#include "tfjson/address.h"
#include "tfjson/masks.h"
#include "tfjson/path.h"

namespace kinu::tfjson {
namespace {

/// A source that gives a text in pieces of a size.
json::ByteSource InPieces(const std::string& text, size_t piece) {
  return [&text, piece, at = size_t{0}](char* buffer, size_t size) mutable {
    const size_t amount = std::min({piece, size, text.size() - at});
    text.copy(buffer, amount, at);
    at += amount;
    return static_cast<int64_t>(amount);
  };
}

using text::IsUtf8;

/// "ok", or the problem.
std::string Check(json::TokenStream& stream) {
  return stream.SkipValue() && stream.TakeEnd() ? "ok" : json::DescribeProblem(stream.problem());
}

TEST(Addresses, HaveParts) {
  struct Case {
    const char* address;
    const char* module;
    const char* type;
  };
  constexpr Case kCases[] = {
      {"t.n", "", "t"},
      {"data.t.n[0]", "", "t"},
      {"module.a.t.n", "module.a", "t"},
      {"module.a[0].module.b[\"x.y\"].ephemeral.t.n", "module.a[0].module.b[\"x.y\"]", "t"},
      {"module.a[\"\\\"].t.n\"].data.t.n", "module.a[\"\\\"].t.n\"]", "t"},
      {"t.n[\"module.x.t.m\"]", "", "t"},
      {"module.a", "module.a", ""},
      {"module", "", ""},
      {"n", "", ""},
      {"", "", ""},
  };
  for (const Case& row : kCases) {
    EXPECT_EQ(ModuleIn(row.address), row.module) << row.address;
    EXPECT_EQ(ResourceTypeIn(row.address), row.type) << row.address;
  }
}

#if defined(__x86_64__)
TEST(CpuFeatures, AreThoseThatTheCompilerFinds) {
  EXPECT_EQ(json::Cpu().bmi, __builtin_cpu_supports("bmi") != 0);
  EXPECT_EQ(json::Cpu().pclmul, __builtin_cpu_supports("pclmul") != 0);
  EXPECT_EQ(json::Cpu().avx2, __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(json::Cpu().avx512, __builtin_cpu_supports("avx512bw") != 0 &&
                                    __builtin_cpu_supports("avx512vl") != 0 &&
                                    __builtin_cpu_supports("avx512vbmi2") != 0);
}
#endif

using Kernel = json::StructureScanner::Kernel;
constexpr Kernel kKernels[] = {Kernel::kPortable, Kernel::kBytes16, Kernel::kAvx2, Kernel::kAvx512};

TEST(StructureScanner, KernelsFindTheSame) {
  constexpr std::string_view kBytes = "{}[]:,\"\\ \n\tab0-1\x01\xC3\xA9\x7F";
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    const size_t size = random() % 700;
    // Mostly quiet text, so that strings get long enough to matter.
    while (text.size() < size) {
      text += random() % 4 == 0 ? kBytes[random() % kBytes.size()] : 'x';
    }
    std::vector<uint32_t> expected;
    std::string expected_end;
    for (const Kernel kernel : kKernels) {
      if (!json::StructureScanner::IsSupported(kernel)) {
        continue;
      }
      json::StructureScanner scanner(kernel);
      std::vector<uint32_t> found(text.size() + 64);
      found.resize(scanner.Scan(text, 0, text.size(), found.data()));
      const std::string end =
          std::to_string(scanner.problem().offset) + (scanner.in_string() ? " in" : " out");
      if (!scanner.problem() && !scanner.TakeUncheckedSeen()) {
        EXPECT_TRUE(IsUtf8(text)) << text;
      }
      if (kernel == Kernel::kPortable) {
        expected = found;
        expected_end = end;
      } else {
        EXPECT_EQ(found, expected) << text;
        EXPECT_EQ(end, expected_end) << text;
      }
    }
  }
}

/// Characters of one to four bytes, and with `broken` bytes that are none.
std::string RandomCharacters(std::mt19937& random, size_t size, bool broken) {
  static constexpr std::string_view kPieces[] = {"a", "\xC2\x80", "\xC3\xA9", "\xDF\xBF",
                                                 "\xE2\x80\x93", "\xEF\xBF\xBF", "\xE0\xA0\x80",
                                                 "\xED\x9F\xBF", "\xF0\x9F\x98\x80",
                                                 // No characters:
                                                 "\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80",
                                                 "\xE2\x80", "\xC3", "\xF4\x90\x80\x80", "\xFF"};
  constexpr size_t kValid = 9;
  std::string text;
  while (text.size() < size) {
    const size_t odds = broken && random() % 50 == 0 ? std::size(kPieces) : kValid;
    text += random() % 3 == 0 ? kPieces[random() % odds] : kPieces[0];
  }
  return text;
}

/// Whether a scan leaves bytes of a text unchecked.
bool LeavesUnchecked(Kernel kernel, std::string_view text) {
  json::StructureScanner scanner(kernel);
  std::vector<uint32_t> found(text.size() + 64);
  (void)scanner.Scan(text, 0, text.size(), found.data());
  return scanner.TakeUncheckedSeen();
}

TEST(StructureScanner, ChecksCharacters) {
  std::mt19937 random(11);
  size_t checked = 0;
  for (const Kernel kernel : kKernels) {
    if (!json::StructureScanner::IsSupported(kernel)) {
      continue;
    }
    for (int round = 0; round < 20000; ++round) {
      const std::string text = '"' + RandomCharacters(random, random() % 200, true) + '"';
      if (!LeavesUnchecked(kernel, text)) {
        ++checked;
        EXPECT_TRUE(IsUtf8(text)) << text;
      }
    }
    // The characters of most languages.
    EXPECT_EQ(
        LeavesUnchecked(kernel, "\"\xC3\xA9t\xC3\xA9 \xE2\x80\x93 \xE6\x97\xA5\xE6\x9C\xAC\""),
        kernel == Kernel::kPortable);
  }
  EXPECT_GT(checked, 1000u);
}

TEST(TokenStream, ChecksCharactersAcrossPieces) {
  std::mt19937 random(13);
  for (int round = 0; round < 400; ++round) {
    // A text is scanned in pieces of 64 KB. The first one or two end in these characters.
    const size_t before = (size_t{64} << 10) * (1 + random() % 2) - random() % 100;
    const std::string text = '"' + std::string(before, 'a') +
                             RandomCharacters(random, random() % 200, round % 2 == 0) + '"';
    EXPECT_EQ(json::Document::Parse(text).has_value(), IsUtf8(text)) << text.substr(before);
  }
}

struct Malformed {
  std::string_view text;
  uint64_t offset;
};

TEST(TokenStream, MalformedTextsHaveAnOffset) {
  static constexpr Malformed kCases[] = {
      {"", 0},
      {" ", 1},
      {"{", 1},
      {"[1,]", 3},
      {"[1 2]", 3},
      {"{\"a\" 1}", 5},
      {"{\"a\":1,}", 7},
      {"{a:1}", 1},
      {"nul", 0},
      {"01", 0},
      {"[-]", 1},
      {"[1.]", 1},
      {"[1e]", 1},
      {"\"a", 2},
      {"\"\\x\"", 1},
      {"\"\\u12g4\"", 1},
      {"\"\\u12", 1},
      {"\"a\nb\"", 2},
      {"1 2", 2},
      {"[1]]", 3},
      {"[1}", 2},
      {"\"\xff\"", 1},
      {"[\"\xc3\x28\"]", 2},
      {"\"\xed\xa0\x80\"", 1},
      {"\xef\xbb\xbf{}", 0},
      {"{\"a\":}", 5},
      {"[\"a\"b]", 4},
      {"[1\"a\"]", 2},
      {"0\"", 2},
  };
  for (const Malformed& each : kCases) {
    const std::string text(each.text);
    json::TokenStream stream(text);
    EXPECT_NE(Check(stream), "ok") << text;
    EXPECT_EQ(stream.problem().offset, each.offset) << text << ": " << stream.problem().message;
    json::TokenStream piecewise(InPieces(text, 1));
    EXPECT_NE(Check(piecewise), "ok") << text;
    EXPECT_EQ(piecewise.problem().offset, each.offset) << text;
    const auto document = json::Document::Parse(text);
    EXPECT_FALSE(document.has_value()) << text;
  }
}

TEST(TokenStream, ZeroBytesAreNoEnd) {
  const std::string text("[1]\0", 4);
  json::TokenStream stream(text);
  EXPECT_NE(Check(stream), "ok");
  EXPECT_EQ(stream.problem().offset, 3U);
}

// Runs of backslashes at all places of a block of the scanner and beyond its end.
TEST(TokenStream, EveryRunOfBackslashes) {
  for (size_t before = 0; before < 70; ++before) {
    for (size_t run = 1; run < 140; run += run < 10 ? 1 : 13) {
      const std::string start = "\"" + std::string(before, 'a') + std::string(run, '\\');
      for (const char* next : {"\"", "n\"", "q\"", "a\"", "\" 1"}) {
        const std::string text = start + next;
        const bool escaped = run % 2 != 0;
        const bool fits = *next == '"' ? !escaped && text.ends_with('"') : !escaped || *next == 'n';
        EXPECT_EQ(json::Document::Parse(text).has_value(), fits) << text;
      }
      EXPECT_EQ(json::Document::Parse(start + "\"\"").has_value(), run % 2 != 0) << start;
    }
  }
}

TEST(TokenStream, DepthIsBounded) {
  for (const char open : {'[', '{'}) {
    std::string text;
    for (size_t i = 0; i <= json::kMaxDepth; ++i) {
      text += open == '[' ? "[" : "{\"a\":";
    }
    json::TokenStream stream(text);
    EXPECT_EQ(Check(stream),
              "invalid JSON at byte " +
                  std::to_string(open == '[' ? json::kMaxDepth : json::kMaxDepth * 5) +
                  ": values are nested too deep");
    EXPECT_FALSE(json::Document::Parse(text).has_value());
  }
  std::string fits(json::kMaxDepth, '[');
  fits.append(json::kMaxDepth, ']');
  json::TokenStream stream(fits);
  EXPECT_EQ(Check(stream), "ok");
  EXPECT_TRUE(json::Document::Parse(fits).has_value());
}

/// A random value; strings are often long and full of escapes, to fall on the edges of blocks.
std::string RandomValue(std::mt19937& random, int depth) {
  const auto number = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  const auto space = [&] { return std::string(number(4) == 0 ? number(3) : 0, ' '); };
  switch (number(depth > 4 ? 4 : 6)) {
    case 0:
      return number(2) != 0 ? "true" : "null";
    case 1:
      return std::to_string(static_cast<int32_t>(random())) + (number(2) != 0 ? ".5e-3" : "");
    case 2:
    case 3: {
      static constexpr std::string_view kParts[] = {"a", "\\\\", "\\\"", "é",   "\\u00e9", "{", "]",
                                                    ":", ",",    "日",   "\\n", " ",       "𝄞"};
      std::string text = "\"";
      for (uint32_t i = number(90); i > 0; --i) {
        text += kParts[number(std::size(kParts))];
      }
      return text + "\"";
    }
    case 4: {
      std::string text = "[" + space();
      for (uint32_t i = number(6); i > 0; --i) {
        text += RandomValue(random, depth + 1) + space() + (i > 1 ? "," : "") + space();
      }
      return text + "]";
    }
    default: {
      std::string text = "{" + space();
      for (uint32_t i = number(6); i > 0; --i) {
        text += "\"" + std::string(number(70), 'k') + "\\\\" + std::to_string(i) + "\"" + space() +
                ":" + space() + RandomValue(random, depth + 1) + (i > 1 ? "," : "");
      }
      return text + "}";
    }
  }
}

/// The same value twice: as the tree has it and as the configuration's reader has it.
void ExpectSame(const json::Node& node, const JsonNode& other) {
  switch (node.kind()) {
    case json::Kind::kString:
      ASSERT_TRUE(other.is_string());
      EXPECT_EQ(node.String(), other.text());
      break;
    case json::Kind::kNumber:
      ASSERT_TRUE(other.is_number());
      EXPECT_EQ(node.text(), other.text());
      break;
    case json::Kind::kArray: {
      ASSERT_TRUE(other.is_array());
      ASSERT_EQ(node.size(), other.elements().size());
      size_t i = 0;
      for (const json::Node element : node.elements()) {
        ExpectSame(element, other.elements()[i++]);
      }
      break;
    }
    case json::Kind::kObject: {
      ASSERT_TRUE(other.is_object());
      ASSERT_EQ(node.size(), other.members().size());
      size_t i = 0;
      for (const json::Member member : node.members()) {
        EXPECT_EQ(member.name.String(), other.members()[i].name);
        ExpectSame(member.value, other.members()[i++].value);
      }
      break;
    }
    default:
      EXPECT_EQ(node.is_true(), other.boolean());
  }
}

TEST(Tree, AgreesWithTheReaderOfConfiguration) {
  std::mt19937 random(7);
  for (int i = 0; i < 400; ++i) {
    const std::string text = RandomValue(random, 0);
    const auto document = json::Document::Parse(text);
    const JsonDocument other = ParseJson(text);
    ASSERT_TRUE(document.has_value()) << text << document.error().message;
    ASSERT_TRUE(other.ok()) << text;
    ExpectSame((*document)->root(), other.root());
    // However the text arrives, it is the same tree.
    json::TokenStream stream(InPieces(text, 1 + i % 97));
    json::Tree tree;
    ASSERT_TRUE(tree.Read(stream)) << text;
    EXPECT_EQ(tree.entry_count(), (*document)->tree().entry_count());
    EXPECT_EQ(tree.text(), (*document)->tree().text());
  }
}

TEST(Tree, MarksTextsWithEscapes) {
  for (size_t size = 0; size < 150; ++size) {
    for (size_t at = 0; at <= size; ++at) {
      std::string body(size, '[');  // next to the backslash, as the bracket of the other text is
      body.insert(at, "\\n");
      const auto document =
          json::Document::Parse("[\"" + body + "\",\"" + std::string(size, ']') + "\"]");
      ASSERT_TRUE(document.has_value());
      EXPECT_TRUE((*document)->tree().entry(1).escaped);
      EXPECT_FALSE((*document)->tree().entry(2).escaped);
    }
  }
}

TEST(Tree, EveryPrefixIsRefused) {
  std::mt19937 random(11);
  for (int i = 0; i < 30; ++i) {
    const std::string text = "[" + RandomValue(random, 0) + "]";
    for (size_t size = 0; size < text.size(); size += 1 + size / 50) {
      EXPECT_FALSE(json::Document::Parse(text.substr(0, size)).has_value()) << text.substr(0, size);
    }
  }
}

TEST(Tree, LongTextsAreReadInPieces) {
  // Longer than the window, with a string that is longer than a piece.
  std::string text = "[";
  for (int i = 0; i < 200000; ++i) {
    text += "{\"id\":" + std::to_string(i) + ",\"name\":\"resource\\t" + std::to_string(i) + "\"},";
  }
  text += "\"" + std::string(3 << 20, 'x') + "\"]";
  json::TokenStream stream(InPieces(text, 100000));
  ASSERT_TRUE(stream.Take('[', ""));
  json::Tree tree;
  for (int i = 0; i < 200000; ++i) {
    ASSERT_TRUE(tree.Read(stream));
    ASSERT_EQ(tree.root().Find("id").text(), std::to_string(i));
    ASSERT_EQ(tree.root().Find("name").String(), "resource\t" + std::to_string(i));
    ASSERT_TRUE(stream.Take(',', ""));
  }
  ASSERT_TRUE(tree.Read(stream));
  EXPECT_EQ(tree.root().String().size(), size_t{3} << 20);
  EXPECT_TRUE(stream.Take(']', ""));
  EXPECT_TRUE(stream.TakeEnd());
}

TEST(Tree, RepeatedNames) {
  const auto document = *json::Document::Parse(R"({"a":{"x":1,"\u0078":2},"b":[{"y":1}],"a":3})");
  const json::Node repeated = json::Repeated(document->tree());
  ASSERT_TRUE(repeated);
  EXPECT_EQ(repeated.offset(), 12U);
  EXPECT_EQ(document->root().Find("a").text(), "3");
  std::string wide = "{";
  for (int i = 0; i < 100; ++i) {
    wide += "\"k" + std::to_string(i) + "\":1,";
  }
  EXPECT_FALSE(json::Repeated((*json::Document::Parse(wide + "\"z\":1}"))->tree()));
  EXPECT_TRUE(json::Repeated((*json::Document::Parse(wide + "\"k50\":1}"))->tree()));

  // Objects with the same names as one before are passed over, others are not.
  const auto alike = json::Document::Parse(
      R"([{"a":1,"b":2},{"a":[{"x":1,"y":2}],"b":{"x":3,"y":4}},{"x":1,"y":2},{"a":1,"a":2}])");
  ASSERT_TRUE(alike);
  EXPECT_EQ(json::Repeated((*alike)->tree()).offset(), 76U);
  EXPECT_TRUE(
      json::Repeated((*json::Document::Parse(R"([{"a":1,"b":2},{"b":1,"\u0062":2}])"))->tree()));
  EXPECT_FALSE(json::Repeated(
      (*json::Document::Parse(R"([{"a":1,"b":2},{"b":1,"a":2},{"a":1,"b":2}])"))->tree()));
}

TEST(Numbers, AreComparedExactly) {
  struct Row {
    std::string_view a, b;
    int order;
  };
  static constexpr Row kRows[] = {
      {"1", "1.0", 0},
      {"1e3", "1000", 0},
      {"0.1", "1e-1", 0},
      {"-0", "0.000e99", 0},
      {"123456789012345678901234567890", "123456789012345678901234567891", -1},
      {"1e400", "1e399", 1},
      {"-1e400", "1e-400", -1},
      {"-2", "-3", 1},
      {"9007199254740993", "9007199254740992.5", 1},
      {"1e99999999999999999999", "1", 1},
      {"1e-99999999999999999999", "0", 1},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(json::CompareNumbers(row.a, row.b), row.order) << row.a << " " << row.b;
    EXPECT_EQ(json::CompareNumbers(row.b, row.a), -row.order) << row.b << " " << row.a;
  }
}

TEST(Path, BothTextsConvertIntoEachOther) {
  std::mt19937 random(3);
  static constexpr std::string_view kNames[] = {
      "a", "", "a.b", "0", "it's", "say \"hi\"", "tab\t", "nul\x01", "\\", "é日𝄞", "]['", "$"};
  for (int i = 0; i < 500; ++i) {
    Path path;
    for (uint32_t steps = random() % 6; steps > 0; --steps) {
      if (random() % 2 != 0) {
        path.Append(std::string(kNames[random() % std::size(kNames)]));
      } else {
        path.Append(uint64_t{random() % 3 == 0 ? (uint64_t{1} << 63) - 1 : random()});
      }
    }
    const auto json = Path::FromJson(path.ToJson());
    ASSERT_TRUE(json.has_value()) << path.ToJson();
    EXPECT_EQ(*json, path);
    const auto normalized = Path::FromNormalized(path.ToNormalized());
    ASSERT_TRUE(normalized.has_value()) << path.ToNormalized() << normalized.error().message;
    EXPECT_EQ(*normalized, path) << path.ToNormalized();
  }
}

TEST(Path, Texts) {
  EXPECT_EQ(Path::FromJson(R"(["list", 1.0, 1e1, -0, "k"])")->ToNormalized(),
            "$['list'][1][10][0]['k']");
  EXPECT_EQ(Path::FromNormalized("$.a.b[3][\"c\"]")->ToJson(), R"(["a","b",3,"c"])");
  for (const char* text : {"", "{}", "[-1]", "[1.5]", "[true]", "[null]", "[[1]]",
                           "[9223372036854775808]", "[1e400]", "[1"}) {
    EXPECT_FALSE(Path::FromJson(text).has_value()) << text;
  }
  for (const char* text : {"", "a", "$.", "$[", "$['a'", "$[a]", "$[-1]", "$['a]", "$ "}) {
    EXPECT_FALSE(Path::FromNormalized(text).has_value()) << text;
  }
}

TEST(Path, MismatchesNameTheStep) {
  const auto document = *json::Document::Parse(R"({"a":[{"b":null}],"0":1})");
  struct Row {
    std::string_view path;
    std::string_view outcome;
  };
  static constexpr Row kRows[] = {
      {R"([])", R"({"a":[{"b":null}],"0":1})"},
      {R"(["a",0,"b"])", "null"},
      {R"(["0"])", "1"},
      {R"([0])", "0 not_an_array"},
      {R"(["a","0"])", "1 not_an_object"},
      {R"(["a",1])", "1 index_out_of_range"},
      {R"(["c"])", "0 key_not_found"},
      {R"(["a",0,"b","c"])", "3 not_an_object"},
      {R"(["a",0,"b",0])", "3 not_an_array"},
  };
  for (const Row& row : kRows) {
    const auto found = Path::FromJson(row.path)->Resolve(document->root());
    EXPECT_EQ(found.value
                  ? std::string(found.value.text())
                  : std::to_string(found.step) + " " + std::string(MismatchName(found.mismatch)),
              row.outcome)
        << row.path;
  }
}

/// The examples of the seed page, in one state.
TEST(Path, SeedExamples) {
  const auto document = *json::Document::Parse(R"({
    "first_name": "John", "phone_numbers": [{"mobile": "111"}, {"home": "222-222-2222"}],
    "root_map_attribute": {"example-key": "map-value"},
    "root_list_attribute": ["list-value1", "list-value2"],
    "root_set_attribute": ["set-value1", "set-value2"],
    "nested_list": [{"nested_string_attribute": "in list"}],
    "nested_map": {"example-key": {"nested_string_attribute": "in map"}},
    "nested_set": [{"nested_string_attribute": "in set"}],
    "grouped": {"nested_string_attribute": "in group"},
    "root_list_block": [{"block_string_attribute": "value1",
      "nested_list_block": [{"nested_block_string_attribute": "value2"}]}],
    "root_single_block": {"nested_single_block": {"nested_block_string_attribute": "value3"}}})");
  struct Row {
    std::string_view path, value;
  };
  static constexpr Row kRows[] = {
      {R"(["first_name"])", "John"},
      {R"(["phone_numbers",1,"home"])", "222-222-2222"},
      {R"(["root_map_attribute","example-key"])", "map-value"},
      {R"(["root_list_attribute",0])", "list-value1"},
      {R"(["root_set_attribute",1])", "set-value2"},
      {R"(["nested_list",0,"nested_string_attribute"])", "in list"},
      {R"(["nested_map","example-key","nested_string_attribute"])", "in map"},
      {R"(["nested_set",0,"nested_string_attribute"])", "in set"},
      {R"(["grouped","nested_string_attribute"])", "in group"},
      {R"(["root_list_block",0,"block_string_attribute"])", "value1"},
      {R"(["root_list_block",0,"nested_list_block",0,"nested_block_string_attribute"])", "value2"},
      {R"(["root_single_block","nested_single_block","nested_block_string_attribute"])", "value3"},
  };
  for (const Row& row : kRows) {
    const Path path = *Path::FromJson(row.path);
    const auto found = path.Resolve(document->root());
    ASSERT_TRUE(found.value) << row.path;
    EXPECT_EQ(found.value.String(), row.value);
    // A primitive has no parts; every parent path is found too.
    Path child = path;
    child.Append(uint64_t{0});
    EXPECT_EQ(child.Resolve(document->root()).mismatch, PathMismatch::kNotAnArray);
    for (size_t size = 0; size < path.steps().size(); ++size) {
      const Path parent({path.steps().begin(), path.steps().begin() + static_cast<long>(size)});
      EXPECT_TRUE(parent.Resolve(document->root()).value) << row.path;
    }
  }
}

std::string Redacted(std::string text) {
  const auto document = *json::Document::Parse(std::move(text));
  std::string out;
  AppendRedacted(out, document->root());
  return out;
}

TEST(Masks, Redaction) {
  struct Row {
    std::string_view document, redacted;
  };
  static constexpr Row kRows[] = {
      {R"j({"before":{"p":"s"},"before_sensitive":{"p":true}})j",
       R"j({"before":{"p":"(sensitive value)"},"before_sensitive":{"p":true}})j"},
      {R"j({"after_sensitive":true,"after":{"p":"s"}})j",
       R"j({"after_sensitive":true,"after":"(sensitive value)"})j"},
      {R"j({"values":{"l":[1,{"k":2}]},"sensitive_values":{"l":[false,{"k":true}]}})j",
       R"j({"values":{"l":[1,{"k":"(sensitive value)"}]},"sensitive_values":{"l":[f)j"
       R"j(alse,{"k":true}]}})j"},
      {R"j({"o":{"value":1,"sensitive":true},"q":{"value":1,"sensitive":false}})j",
       R"j({"o":{"value":"(sensitive value)","sensitive":true},"q":{"value":1,"sens)j"
       R"j(itive":false}})j"},
      {R"j({"variables":{"v":{"value":1},"w":{"value":2}},"configuration":{"root_mo)j"
       R"j(dule":{"variables":{"v":{"default":3,"sensitive":true},"w":{}}}}})j",
       R"j({"variables":{"v":{"value":"(sensitive value)"},"w":{"value":2}},"config)j"
       R"j(uration":{"root_module":{"variables":{"v":{"default":"(sensitive value)")j"
       R"j(,"sensitive":true},"w":{}}}}})j"},
      {R"j({"after":{"a":1},"after_sensitive":{"b":true}})j",
       R"j({"after":{"a":1},"after_sensitive":{"b":true}})j"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(Redacted(std::string(row.document)), row.redacted);
  }
}

TEST(Secrets, AreFoundInCopies) {
  // A copy elsewhere, a text with the secret inside, and what only looks alike.
  EXPECT_EQ(Redacted(R"j({"a":{"values":{"input":"tr0ub4dor&3","output":"tr0ub4dor&3",)j"
                     R"j("url":"https://u:tr0ub4dor&3@h","tr0ub4dor&3":1,"near":"tr0ub4dor&"},)j"
                     R"j("sensitive_values":{"input":true}},"b":["tr0ub4dor&3","x"]})j"),
            R"j({"a":{"values":{"input":"(sensitive value)","output":"(sensitive value)",)j"
            R"j("url":"(sensitive value)","tr0ub4dor&3":1,"near":"tr0ub4dor&"},)j"
            R"j("sensitive_values":{"input":true}},"b":["(sensitive value)","x"]})j");
  // Inside of masked containers, of lists and of outputs and variables.
  EXPECT_EQ(
      Redacted(R"j({"c":{"after":{"l":["one-secret",{"k":"two-secret"}],"m":["plain-text"]},)j"
               R"j("after_sensitive":{"l":[false,true]}},"d":["two-secret","plain-text"]})j"),
      R"j({"c":{"after":{"l":["one-secret","(sensitive value)"],"m":["plain-text"]},)j"
      R"j("after_sensitive":{"l":[false,true]}},"d":["(sensitive value)","plain-text"]})j");
  // Short texts say too little.
  EXPECT_EQ(
      Redacted(R"j({"o":{"sensitive":true,"value":["a","four"]},"p":["a","four","fourteen"]})j"),
      R"j({"o":{"sensitive":true,"value":"(sensitive value)"},)j"
      R"j("p":["a","(sensitive value)","fourteen"]})j");
}

TEST(MappedFile, IsReadAsAnyText) {
  // Sizes around those of a page, and a text that is no text at its end.
  for (const size_t size : {(size_t{3} << 20) - 1, size_t{3} << 20, (size_t{3} << 20) + 1}) {
    std::string text = "[";
    while (text.size() < size - 40) {
      text += R"({"a":[1,-2.5e3,true,null,"\u00e9\"x"],"é":{}},)";
    }
    text += "0";
    text.append(size - 1 - text.size(), ' ');
    text += "]";
    std::FILE* const file = std::tmpfile();
    ASSERT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
    std::fflush(file);
    std::rewind(file);
    const auto mapped = json::MappedFile::Open(fileno(file));
    if (mapped == nullptr) {
      GTEST_SKIP() << "the system cannot map files this way";
    }
    EXPECT_EQ(mapped->text(), text);
    json::TokenStream stream(*mapped);
    EXPECT_EQ(Check(stream), "ok");
    EXPECT_EQ(stream.bytes_read(), text.size());
    // What is truncated in the meantime is an error.
    ASSERT_EQ(ftruncate(fileno(file), static_cast<off_t>(size / 2)), 0);
    json::TokenStream again(*mapped);
    EXPECT_NE(Check(again).find("the text cannot be read"), std::string::npos);
    std::fclose(file);
  }
}

TEST(MappedFileDeathTest, ShortenedFileEndsTheProcess) {
  EXPECT_EXIT(
      {
        json::MappedFile::EndProcessWhenShortened();
        std::FILE* const file = std::tmpfile();
        const std::string text(size_t{2} << 20, 'x');
        (void)std::fwrite(text.data(), 1, text.size(), file);
        std::fflush(file);
        std::rewind(file);
        const auto mapped = json::MappedFile::Open(fileno(file));
        (void)!::ftruncate(fileno(file), 0);
        volatile char last = mapped->text().back();
        std::fprintf(stderr, "read %c", last);
        std::_Exit(2);
      },
      testing::ExitedWithCode(1), "A file was shortened by another program");
}

/// White space, a token or nothing, and the token without the space.
std::string RandomTokens(std::mt19937& random, std::string& compact) {
  static constexpr const char* kTokens[] = {"{", "}", "[", "]", ":", ",", "true", "-1.5e+10"};
  static constexpr const char* kParts[] = {"a",   " ", "\\\"",   "\\\\",
                                           "\\n", "{", "\u2013", "long text of no interest "};
  static constexpr const char* kSpaces[] = {"", "", " ", "\n        ", "\r\n\t", "\n"};
  const auto below = [&](size_t count) { return random() % count; };
  std::string text;
  for (size_t i = below(60); i > 0; --i) {
    text += kSpaces[below(std::size(kSpaces))];
    std::string token = kTokens[below(std::size(kTokens))];
    if (below(2) == 0) {
      token = '"';
      for (size_t k = below(12); k > 0; --k) {
        token += kParts[below(std::size(kParts))];
      }
      token += '"';
    }
    text += token;
    compact += token;
  }
  return text + kSpaces[below(std::size(kSpaces))];
}

TEST(Compact, LeavesOutWhiteSpaceBetweenTokens) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string wanted = "before ";
    const std::string text = RandomTokens(random, wanted);
    for (const bool portable : {false, true}) {
      std::string out = "before ";
      json::AppendCompact(out, text, portable);
      ASSERT_EQ(out, wanted) << text;
    }
  }
}

}  // namespace
}  // namespace kinu::tfjson
