// Measures each reader of JSON on large texts and prints throughput:
//
//   kinu_json_bench [-once] [READER...]
//
// CPU is the best of the runs; the input is made before the clock starts. With -once each reader
// reads each text once, for counting instructions:
//
//   valgrind --tool=callgrind --toggle-collect='*MeasuredWork*' kinu_json_bench -once READER
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread.h"
#include "cli/heap.h"
#include "json/reader.h"
#include "json/writer.h"
#include "cty/json.h"
#include "state/json_text.h"
#include "json/token_stream.h"
#include "json/tree.h"
#include "plan_json/stored_value.h"

namespace kinu {
namespace {

constexpr size_t kBytes = 4'000'000;
int runs = 15;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

[[gnu::noinline]] void MeasuredWork(const std::function<void()>& work) {
  work();
}

constexpr std::string_view kRowType =
    R"(["object",{"active":"bool","arn":"string","cidr_block":"string","count":"number",)"
    R"("description":"string","id":"string","ports":["list","number"],"tags":["map","string"]}])";

/// One object of a state. `hard` texts have escapes and characters beyond ASCII.
void AppendRow(std::string& out, size_t i, bool hard) {
  const std::string number = std::to_string(i);
  out += R"({"active":true,"arn":"arn:aws:ec2:eu-central-1:123456789012:subnet/subnet-)" + number;
  out += R"(","cidr_block":"10.)" + std::to_string(i % 250) + R"(.0.0/16","count":)" + number;
  out += R"(,"description":")";
  out += hard ? R"(line one\nline \"two\" \u003cb\u003e caf)"
                "\xC3\xA9 \xE2\x82\xAC"
                R"( \ud83d\ude00 C:\\dir\ttab)"
              : "Managed by a module; do not change it by hand";
  out += R"(","id":"subnet-)" + number + R"(","ports":[80,443,8080,-1],"tags":{"Environment":)";
  out += R"("production","Name":"web )" + number + R"(","Owner":null}})";
}

std::string Compact(bool hard) {
  std::string out = "[";
  for (size_t i = 1000; out.size() < kBytes; ++i) {
    out += out.size() == 1 ? "" : ",";
    AppendRow(out, i, hard);
  }
  return out + "]";
}

std::string Indented(std::string_view json) {
  std::string out;
  JsonWriter(out, {.indent = "  "}).Embed(json);
  return out;
}

struct Text {
  const char* name;
  std::string json;
  std::string values;  // an object of state attributes per element
};

void Fail(const char* reader, const char* text) {
  std::fprintf(stderr, "%s cannot read the %s text\n", reader, text);
}

struct Reader {
  const char* name;
  std::function<bool(const Text&)> read;
};

/// Walks through all containers, as readers of states do.
bool WalkAll(state::JsonCursor& cursor) {
  bool first = true;
  std::string_view key;
  switch (cursor.Peek()) {
    case '{':
      cursor.Take('{');
      while (cursor.NextMember(&first, &key)) {
        WalkAll(cursor);
      }
      break;
    case '[':
      cursor.Take('[');
      while (cursor.NextElement(&first)) {
        WalkAll(cursor);
      }
      break;
    default:
      (void)cursor.Value();
  }
  return !cursor.failed();
}

bool DecodeAll(const std::string& json) {
  state::JsonCursor cursor(json);
  size_t bytes = 0;
  for (size_t at = json.find('"'); at != std::string::npos; at = json.find('"', at)) {
    cursor.GoTo(at);
    bytes += state::DecodeStringBody(cursor.StringBody()).size();
    at = cursor.position();
  }
  return bytes > 0 && !cursor.failed();
}

std::vector<Reader> Readers() {
  const Type row = *TypeFromJson(kRowType);
  const Type rows = *TypeFromJson(R"(["object",{"rows":["list",)" + std::string(kRowType) + "]}]");
  return {
      {"tree", [](const Text& text) { return ParseJson(text.json).ok(); }},
      {"typed-value",
       [=](const Text& text) { return ValueFromJson(text.json, Type::List(row)).has_value(); }},
      {"implied-value",
       [](const Text& text) { return ImpliedValueOfJson(text.json).has_value(); }},
      {"cursor-value",
       [](const Text& text) {
         state::JsonCursor cursor(text.json);
         return !cursor.Value().empty();
       }},
      {"cursor-walk",
       [](const Text& text) {
         state::JsonCursor cursor(text.json);
         return WalkAll(cursor);
       }},
      {"cursor-decode", [](const Text& text) { return DecodeAll(text.json); }},
      {"relayout",
       [](const Text& text) {
         std::string out;
         state::AppendJson(out, text.json, 2);
         return !out.empty();
       }},
      {"stream-skip",
       [](const Text& text) {
         json::TokenStream stream(text.json);
         return stream.SkipValue();
       }},
      {"stream-tree",
       [](const Text& text) { return json::Document::Parse(text.json).has_value(); }},
      {"stream-decode",
       [](const Text& text) {
         size_t bytes = 0;
         json::TokenStream stream(text.json);
         for (; stream.Peek() != '\0'; stream.Advance()) {
           bytes += stream.Peek() == '"' ? json::DecodeString(stream.Text()).size() : 0;
         }
         return bytes > 0;
       }},
      {"stream-compact",
       [](const Text& text) {
         std::string out;
         json::AppendCompact(out, text.json);
         return !out.empty();
       }},
      {"stored-value",
       [=](const Text& text) {
         view::StoredValue stored;
         return stored.Read(text.values, rows, nullptr);
       }},
      {"embed",
       [](const Text& text) {
         std::string out;
         JsonWriter(out, {.indent = "  "}).Embed(text.json);
         return !out.empty();
       }},
      {"quote",
       [](const Text& text) {
         std::string out;
         JsonWriter::AppendQuoted(out, text.json, JsonEscape::kHtml);
         return !out.empty();
       }},
  };
}

void Run(std::span<char* const> wanted) {
  std::vector<Text> texts = {{"compact", Compact(false), {}},
                             {"indented", Indented(Compact(false)), {}},
                             {"escapes", Compact(true), {}}};
  for (Text& text : texts) {
    text.values = "{\"rows\":" + text.json + "}";
  }
  for (const Reader& reader : Readers()) {
    const std::string_view name = reader.name;
    if (!wanted.empty() && std::ranges::find(wanted, name) == wanted.end()) {
      continue;
    }
    std::printf("%-14s", reader.name);
    for (const Text& text : texts) {
      double best = 1e9;
      for (int i = 0; i < runs; ++i) {
        bool good = false;
        const double start = CpuSeconds();
        MeasuredWork([&] { good = reader.read(text); });
        best = std::min(best, CpuSeconds() - start);
        if (!good) {
          Fail(reader.name, text.name);
        }
      }
      std::printf("  %s %8.1f MB/s", text.name, static_cast<double>(text.json.size()) / best / 1e6);
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace kinu

int main(int argc, char** argv) {
  kinu::cli::PrepareHeap(kinu::cli::HeapUse::kCommand);
  std::span<char* const> wanted(argv + 1, static_cast<size_t>(argc - 1));
  if (!wanted.empty() && std::string_view(wanted[0]) == "-once") {
    kinu::runs = 1;
    wanted = wanted.subspan(1);
  }
  kinu::RunOnBigStack([&] { kinu::Run(wanted); });
  return 0;
}
