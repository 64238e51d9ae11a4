#include "trace/trace.h"

#include <thread>

#include <gtest/gtest.h>

#include "trace/chrome.h"
#include "trace/critical_path.h"
#include "trace/parent.h"

namespace kinu::trace {
namespace {

const Record* Find(const std::vector<Record>& records, std::string_view name) {
  for (const Record& record : records) {
    if (record.name == name) {
      return &record;
    }
  }
  return nullptr;
}

// The first test: nothing has turned tracing on yet.
TEST(ATraceThatIsOff, HasNoSpans) {
  EXPECT_FALSE(On());
  {
    const Span span("part", "step");
    EXPECT_FALSE(span.on());
    EXPECT_EQ(span.id(), 0U);
    EXPECT_EQ(Current(), 0U);
  }
  EXPECT_TRUE(Take().empty());
}

TEST(BSpans, KnowTheirParents) {
  Start(Detail::kSpans);
  EXPECT_TRUE(On());
  EXPECT_FALSE(Detailed());
  SpanId phase_id = 0;
  {
    const Span root("part", "root");
    {
      const Span phase("part", "phase");
      phase_id = phase.id();
      EXPECT_EQ(Current(), phase_id);
      std::thread([phase_id] {
        EXPECT_EQ(Current(), 0U);
        Span row("part", "row", Kind::kObject, phase_id);
        row.Set("key", std::string("value"));
        row.Fail("broken");
        const Span call("part", "call", Kind::kCall);
      }).join();
    }
    EXPECT_EQ(Current(), root.id());
  }
  EXPECT_EQ(Current(), 0U);
  const std::vector<Record> records = Take();
  ASSERT_EQ(records.size(), 4U);
  const Record& root = *Find(records, "root");
  const Record& row = *Find(records, "row");
  EXPECT_EQ(root.parent, 0U);
  EXPECT_EQ(Find(records, "phase")->parent, root.id);
  EXPECT_EQ(row.parent, phase_id);
  EXPECT_EQ(Find(records, "call")->parent, row.id);
  EXPECT_TRUE(row.failed);
  EXPECT_EQ(row.failure, "broken");
  EXPECT_EQ(std::get<std::string>(row.attributes.at(0).value), "value");
  EXPECT_NE(row.thread, root.thread);
  EXPECT_LE(root.start, row.start);
  EXPECT_LE(row.end, root.end);
  EXPECT_EQ(records[0].name, "root");
  EXPECT_TRUE(Take().empty());
}

TEST(BSpans, OfOtherThreadsBelongToTheRun) {
  Start(Detail::kSpans);
  SpanId id = 0;
  {
    const Span root("part", "root");
    id = root.id();
    std::thread([] { const Span background("part", "background"); }).join();
  }
  const std::vector<Record> records = Take();
  EXPECT_EQ(Find(records, "root")->parent, 0U);
  EXPECT_EQ(Find(records, "background")->parent, id);
}

TEST(BSpans, HaveDifferentIds) {
  Start(Detail::kSpans);
  std::vector<SpanId> ids;
  for (int i = 0; i < 1000; ++i) {
    const Span span("part", "step");
    ids.push_back(span.id());
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  EXPECT_EQ(Take().size(), 1000U);
}

TEST(TraceParent, IsRead) {
  const auto parent = ParseTraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  ASSERT_TRUE(parent);
  EXPECT_EQ(parent->trace[0], 0x0A);
  EXPECT_EQ(parent->trace[15], 0x9C);
  EXPECT_EQ(parent->span, 0xb7ad6b7169203331U);
  EXPECT_EQ(parent->flags, 1);
  // A later version may have more.
  EXPECT_TRUE(ParseTraceParent("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff-more"));
  EXPECT_EQ(ParseTraceParent("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff")->flags, 3);
}

TEST(TraceParent, IsRefused) {
  for (const std::string_view text : {
           "",
           "00",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-04",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
           "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
           "00-00000000000000000000000000000000-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
           "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
           "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
       }) {
    EXPECT_FALSE(ParseTraceParent(text)) << text;
  }
}

TEST(TraceState, IsChecked) {
  EXPECT_EQ(ParseTraceState("a=1, b@c=2 ,,0d@e=x y"), "a=1,b@c=2,0d@e=x y");
  for (const std::string_view text :
       {"", "a", "A=1", "0a=1", "a=", "a=1,a=2", "a=b=c", "a@=1", "a@0=1", "a=\x7f"}) {
    EXPECT_EQ(ParseTraceState(text), "") << text;
  }
  std::string many;
  for (int i = 0; i < 33; ++i) {
    many += "k" + std::to_string(i) + "=v,";
  }
  EXPECT_EQ(ParseTraceState(many), "");
}

Record At(SpanId id, Kind kind, std::string object, int64_t start, int64_t end) {
  Record record;
  record.id = id;
  record.parent = 1;
  record.kind = kind;
  record.name = "step";
  record.object = std::move(object);
  record.start = start * 1'000'000;
  record.end = end * 1'000'000;
  return record;
}

/// A walk from 0 to 100: the block `a` with two objects that run after one another, then `b`, then
/// `c` while `b` still runs.
std::vector<Record> SomeWalk() {
  Record walk = At(1, Kind::kStep, "", 0, 100);
  walk.name = "Walk";
  walk.parent = 0;
  Record a = At(2, Kind::kNode, "a", 0, 30);
  Record a0 = At(3, Kind::kObject, "a[0]", 1, 10);
  a0.node = 2;
  Record a1 = At(4, Kind::kObject, "a[1]", 10, 30);
  a1.node = 2;
  Record b = At(5, Kind::kNode, "b", 30, 80);
  b.after = 2;
  Record c = At(6, Kind::kNode, "c", 35, 100);
  c.after = 2;
  return {walk, a, a0, a1, b, c};
}

TEST(CriticalPath, FollowsWhatEndedLast) {
  const std::vector<CriticalPath> paths = CriticalPaths(SomeWalk());
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0].walk, "Walk");
  EXPECT_EQ(paths[0].length, 100'000'000);
  ASSERT_EQ(paths[0].steps.size(), 2U);
  EXPECT_EQ(paths[0].steps[0].object, "a[1]");
  EXPECT_EQ(paths[0].steps[0].wait, 10'000'000);
  EXPECT_EQ(paths[0].steps[0].own, 20'000'000);
  EXPECT_EQ(paths[0].steps[1].object, "c");
  EXPECT_EQ(paths[0].steps[1].wait, 5'000'000);
  EXPECT_EQ(paths[0].steps[1].own, 65'000'000);
}

TEST(CriticalPath, FollowsRows) {
  std::vector<Record> records = SomeWalk();
  records[5].kind = Kind::kObject;  // c began when the row a[0] had ended
  records[5].after = 3;
  const std::vector<CriticalPath> paths = CriticalPaths(records);
  ASSERT_EQ(paths[0].steps.size(), 2U);
  EXPECT_EQ(paths[0].steps[0].object, "a[0]");
  EXPECT_EQ(paths[0].steps[1].wait, 25'000'000);
}

TEST(CriticalPath, BeginsWithWhatComesBeforeTheObjects) {
  std::vector<Record> records = SomeWalk();
  records[1].start += 400'000;
  records[3].start = records[1].start;
  const std::vector<CriticalPath> paths = CriticalPaths(records);
  ASSERT_EQ(paths[0].steps.size(), 3U);
  EXPECT_EQ(paths[0].steps[0].object, "(schemas, graph)");
  EXPECT_EQ(paths[0].steps[0].own, 400'000);
  EXPECT_EQ(paths[0].steps[1].wait, 0);
  EXPECT_EQ(paths[0].length, 100'000'000);
}

TEST(CriticalPath, EndsWithWhatComesAfterTheObjects) {
  std::vector<Record> records = SomeWalk();
  records[0].end += 7'000'000;
  const std::vector<CriticalPath> paths = CriticalPaths(records);
  ASSERT_EQ(paths[0].steps.size(), 3U);
  EXPECT_EQ(paths[0].steps[2].object, "(result)");
  EXPECT_EQ(paths[0].steps[2].own, 7'000'000);
  EXPECT_EQ(paths[0].length, 107'000'000);
}

TEST(CriticalPath, IsBesideThePartsOfTheRun) {
  EXPECT_EQ(RenderParts({}), "");
  std::vector<Record> records = SomeWalk();
  for (Record& record : records) {
    record.parent = record.kind == Kind::kStep ? 9 : record.parent;
  }
  records.push_back(At(9, Kind::kStep, "", 0, 120));
  records.back().parent = 0;
  EXPECT_EQ(RenderParts(records), "\nThe run took 0.120 s: Walk 0.100, the rest 0.020\n");
}

TEST(CriticalPath, IsATable) {
  EXPECT_EQ(RenderCriticalPaths(CriticalPaths(SomeWalk())),
            "\nCritical path of: Walk (0.100 s)\n\n"
            "     own s   waited s   object\n"
            "     0.020      0.010   a[1]\n"
            "     0.065      0.005   c\n");
}

TEST(CriticalPath, ListsTheLongestSteps) {
  std::vector<Record> records = SomeWalk();
  records.resize(1);
  for (int64_t i = 0; i < 40; ++i) {
    records.push_back(At(static_cast<SpanId>(i) + 2, Kind::kNode, "n" + std::to_string(i), i * 100,
                         i * 100 + 50 + i));
    records.back().after = i == 0 ? 0 : static_cast<SpanId>(i) + 1;
  }
  const std::string text = RenderCriticalPaths(CriticalPaths(records));
  EXPECT_TRUE(text.contains("   n39\n")) << text;
  EXPECT_TRUE(text.contains("shorter)\n")) << text;
  EXPECT_FALSE(text.contains("   n0\n")) << text;
}

TEST(ChromeTrace, HasOneEventPerSpan) {
  std::vector<Record> records = SomeWalk();
  records.resize(2);
  records[1].attributes.push_back({"flag", true});
  records[1].failed = true;
  records[1].failure = "broken";
  EXPECT_EQ(ChromeTrace(records),
            "{\"traceEvents\":["
            "{\"name\":\"Walk\",\"cat\":\"step\",\"ph\":\"X\",\"ts\":0.000,\"dur\":100000.000,"
            "\"pid\":1,\"tid\":0,\"args\":{}}\n"
            ",{\"name\":\"a\",\"cat\":\"node\",\"ph\":\"X\",\"ts\":0.000,\"dur\":30000.000,"
            "\"pid\":1,\"tid\":0,\"args\":{\"step\":\"step\",\"flag\":true,\"error\":\"broken\"}}\n"
            "],\"displayTimeUnit\":\"ms\"}\n");
  EXPECT_EQ(ChromeTrace({}), "{\"traceEvents\":[],\"displayTimeUnit\":\"ms\"}\n");
}

TEST(TraceParent, TellsProgramsTheirSpan) {
  Start(Detail::kSpans);
  EXPECT_EQ(TraceParentOfChildren(), "");  // nobody has named the trace
  TraceId trace{};
  trace[0] = 0xAB;
  trace[15] = 1;
  NameTrace(trace, 1);
  EXPECT_EQ(TraceParentOfChildren(), "");  // there is no span
  {
    const Span span("part", "step");
    const std::string text = TraceParentOfChildren();
    const auto parent = ParseTraceParent(text);
    ASSERT_TRUE(parent) << text;
    EXPECT_EQ(parent->trace, trace);
    EXPECT_EQ(parent->span, span.id());
    EXPECT_EQ(parent->flags, 1);
  }
  (void)Take();
}

}  // namespace
}  // namespace kinu::trace
