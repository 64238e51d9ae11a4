#include "backend/journal.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "backend/test_sealer.h"
#include "base/files.h"

namespace kinu::backend {
namespace {

using state::ObjectRecord;
using Step = ObjectRecord::Step;

/// A directory that goes with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory()
      : path_((std::filesystem::temp_directory_path() / ("kinu-" + RandomUuid())).string()) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  std::string operator/(std::string_view name) const { return JoinPath(path_, name); }

 private:
  std::string path_;
};

state::State EmptyState(std::shared_ptr<Program> program) {
  state::State state;
  state.program = std::move(program);
  return state;
}

ObjectRecord MakeRecord(Program& program, Step step, std::string_view address,
                        std::string_view attributes = {}, std::string deposed = {}) {
  ObjectRecord record;
  record.step = step;
  EXPECT_TRUE(program.ParseResourceInstance(address, &record.address));
  EXPECT_TRUE(program.ParseProviderConfig("module.m.provider[\"h/n/t\"].west[\"k\"]",
                                          &record.provider, &record.provider_key));
  record.deposed = std::move(deposed);
  state::Object view;
  view.attributes = attributes;
  record.object = state::Detach(view);
  return record;
}

TEST(Journal, ReplayGivesBackEveryField) {
  TemporaryDirectory dir;
  auto program = std::make_shared<Program>();
  Journal journal = *Journal::Open(dir / "j", {7, "lineage"}, *state::NoSealing());
  ObjectRecord record =
      MakeRecord(*program, Step::kStore, "module.m[\"a b\"].t.n[\"k\"]", "{\"id\":\"x\"}");
  record.object.status = state::ObjectStatus::kTainted;
  record.object.create_before_destroy = true;
  record.object.skip_destroy = true;
  record.object.schema_version = 12;
  record.object.private_data = std::string("\0\xFF", 2);
  record.object.identity = "{\"i\":1}";
  record.object.identity_schema_version = 0;
  record.object.sensitive.push_back(Path().Attribute("id").Index(3));
  ConfigResource dependency;
  ASSERT_TRUE(program->ParseConfigResource("module.m.t.other", &dependency));
  record.object.dependencies =
      std::make_shared<const std::vector<ConfigResource>>(std::vector{dependency});
  journal.Append(*program, record);
  ASSERT_TRUE(journal.Commit());

  auto other = std::make_shared<Program>();
  state::State state = EmptyState(other);
  state.lineage = "lineage";
  state.serial = 7;
  Result<Journal::Replayed> replayed = Journal::Replay(dir / "j", state, *state::NoSealing());
  ASSERT_TRUE(replayed.has_value());
  EXPECT_EQ(replayed->outcome, Journal::Outcome::kReplayed);
  EXPECT_EQ(replayed->records, 1U);

  state::State wanted = EmptyState(program);
  state::Apply(record, wanted);
  EXPECT_EQ(state::WriteState(state, state::Layout::kIndented, "", 0),
            state::WriteState(wanted, state::Layout::kIndented, "", 0));
}

TEST(Journal, NothingIsWrittenBeforeCommit) {
  TemporaryDirectory dir;
  Program program;
  Journal journal = *Journal::Open(dir / "j", {1, "l"}, *state::NoSealing());
  journal.Append(program, MakeRecord(program, Step::kStore, "t.n", "{}"));
  EXPECT_FALSE(FileExists(dir / "j"));
  ASSERT_TRUE(journal.Commit());
  EXPECT_TRUE(FileExists(dir / "j"));
  ASSERT_TRUE(journal.Remove());
  EXPECT_FALSE(FileExists(dir / "j"));
}

struct BaseCase {
  const char* lineage;
  uint64_t serial;
  Journal::Outcome outcome;
};

TEST(Journal, ReplaysOnlyOntoItsOwnSnapshot) {
  TemporaryDirectory dir;
  auto program = std::make_shared<Program>();
  Journal journal = *Journal::Open(dir / "j", {3, "l"}, *state::NoSealing());
  journal.Append(*program, MakeRecord(*program, Step::kStore, "t.n", "{}"));
  journal.AppendSnapshot(4);
  ASSERT_TRUE(journal.Commit());
  using Outcome = Journal::Outcome;
  for (const BaseCase& base :
       {BaseCase{"l", 3, Outcome::kReplayed}, BaseCase{"l", 4, Outcome::kStored},
        BaseCase{"l", 5, Outcome::kForeign}, BaseCase{"l", 2, Outcome::kForeign},
        BaseCase{"other", 3, Outcome::kForeign}, BaseCase{"other", 4, Outcome::kForeign},
        BaseCase{"", 0, Outcome::kForeign}}) {
    state::State state = EmptyState(program);
    state.lineage = base.lineage;
    state.serial = base.serial;
    Result<Journal::Replayed> replayed = Journal::Replay(dir / "j", state, *state::NoSealing());
    ASSERT_TRUE(replayed.has_value());
    EXPECT_EQ(replayed->outcome, base.outcome) << base.lineage << base.serial;
    EXPECT_EQ(state.empty(), base.outcome != Outcome::kReplayed);
  }
}

TEST(Journal, FirstRunHasNoSnapshotYet) {
  TemporaryDirectory dir;
  auto program = std::make_shared<Program>();
  Journal journal = *Journal::Open(dir / "j", {0, "fresh"}, *state::NoSealing());
  journal.Append(*program, MakeRecord(*program, Step::kStore, "t.n", "{}"));
  ASSERT_TRUE(journal.Commit());
  state::State state = EmptyState(program);
  EXPECT_EQ(Journal::Replay(dir / "j", state, *state::NoSealing())->outcome,
            Journal::Outcome::kReplayed);
  EXPECT_EQ(state.lineage, "fresh");
}

TEST(Journal, MissingOrForeignFile) {
  TemporaryDirectory dir;
  state::State state = EmptyState(std::make_shared<Program>());
  EXPECT_EQ(Journal::Replay(dir / "none", state, *state::NoSealing())->outcome,
            Journal::Outcome::kNothing);
  EXPECT_EQ(Journal::ReplayBytes("PK\x03\x04 something else", state, *state::NoSealing()).outcome,
            Journal::Outcome::kNothing);
}

TEST(Journal, RecordsOfAnEncryptedStateAreEncrypted) {
  TemporaryDirectory dir;
  auto program = std::make_shared<Program>();
  const auto sealer = std::make_shared<TestSealer>("a");
  Journal journal = *Journal::Open(dir / "j", {1, "l"}, *sealer);
  journal.Append(*program, MakeRecord(*program, Step::kStore, "t.n", R"({"password":"hunter2"})"));
  ASSERT_TRUE(journal.Commit());
  const std::string bytes = ReadFile(dir / "j").value();
  for (const std::string_view readable : {"hunter2", "password", "t.n", "h/n/t", "journal_key"}) {
    EXPECT_EQ(bytes.find(readable), std::string::npos) << readable;
  }

  auto replay = [&](const state::SealerRef& with) {
    state::State state = EmptyState(program);
    state.lineage = "l";
    state.serial = 1;
    const Journal::Replayed replayed = Journal::ReplayBytes(bytes, state, *with);
    EXPECT_EQ(replayed.records, 1U);
    EXPECT_EQ(state.empty(), replayed.outcome != Journal::Outcome::kReplayed);
    return replayed;
  };
  EXPECT_EQ(replay(sealer).outcome, Journal::Outcome::kReplayed);
  EXPECT_EQ(replay(state::NoSealing()).outcome, Journal::Outcome::kSealed);
  const Journal::Replayed other = replay(std::make_shared<TestSealer>("b"));
  EXPECT_EQ(other.outcome, Journal::Outcome::kSealed);
  EXPECT_EQ(other.problem, "not the key of b");
}

TEST(Journal, RecordsInTheClearCountWhereAStateInTheClearDoes) {
  // Encryption was configured after the run ended.
  TemporaryDirectory dir;
  auto program = std::make_shared<Program>();
  Journal journal = *Journal::Open(dir / "j", {1, "l"}, *state::NoSealing());
  journal.Append(*program, MakeRecord(*program, Step::kStore, "t.n", "{}"));
  ASSERT_TRUE(journal.Commit());
  state::State state = EmptyState(program);
  state.lineage = "l";
  state.serial = 1;
  const Journal::Replayed refused = *Journal::Replay(dir / "j", state, TestSealer("a"));
  EXPECT_EQ(refused.outcome, Journal::Outcome::kSealed);
  EXPECT_EQ(refused.records, 1U);
  EXPECT_TRUE(state.empty());
  EXPECT_EQ(Journal::Replay(dir / "j", state, MigratingSealer())->outcome,
            Journal::Outcome::kReplayed);
}

/// None, or one that encrypts.
state::SealerRef AnySealer() {
  return *rc::gen::arbitrary<bool>() ? state::SealerRef(std::make_shared<TestSealer>("a"))
                                     : state::NoSealing();
}

/// Records of a random run over a few addresses.
std::vector<ObjectRecord> RandomRecords(Program& program) {
  auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000));
  std::vector<ObjectRecord> records;
  for (int step : steps) {
    static constexpr const char* kAddresses[] = {"t.n", "t.m[0]", "t.m[1]", "module.a[\"x\"].t.n"};
    static constexpr const char* kKeys[] = {"", "aaaaaaaa", "bbbbbbbb"};
    records.push_back(MakeRecord(program, static_cast<Step>(1 + step % 4), kAddresses[step / 4 % 4],
                                 "{\"v\":" + std::to_string(step) + "}", kKeys[step / 16 % 3]));
  }
  return records;
}

RC_GTEST_PROP(Journal, AnyCutReplaysAPrefix, ()) {
  auto program = std::make_shared<Program>();
  TemporaryDirectory dir;
  std::vector<ObjectRecord> records = RandomRecords(*program);
  const state::SealerRef sealer = AnySealer();
  Journal journal = *Journal::Open(dir / "j", {1, "l"}, *sealer);
  for (const ObjectRecord& record : records) {
    journal.Append(*program, record);
  }
  RC_ASSERT(journal.Commit().has_value());
  std::string bytes = ReadFile(dir / "j").value();
  size_t cut = *rc::gen::inRange<size_t>(0, bytes.size() + 1);
  std::string torn = bytes.substr(0, cut);
  if (*rc::gen::arbitrary<bool>()) {
    torn += *rc::gen::string<std::string>();  // whatever stood on the disk
  }
  state::State state = EmptyState(program);
  state.lineage = "l";
  state.serial = 1;
  size_t count = Journal::ReplayBytes(torn, state, *sealer).records;
  RC_ASSERT(count <= records.size());
  RC_ASSERT(cut < bytes.size() || count == records.size());
  state::State wanted = EmptyState(program);
  for (size_t i = 0; i < count; ++i) {
    state::Apply(records[i], wanted);
  }
  RC_ASSERT(state::SameContent(state, wanted));
}

// The end of the frame that begins at `at`.
size_t EndOfFrame(std::string_view bytes, size_t at) {
  size_t length = 0;
  for (size_t i = 4; i-- > 0;) {
    length = length << 8 | static_cast<uint8_t>(bytes[at + i]);
  }
  return at + 12 + length;
}

TEST(Journal, ANewerFormatIsRefused) {
  auto program = std::make_shared<Program>();
  TemporaryDirectory dir;
  Journal journal = *Journal::Open(dir / "j", {1, "l"}, *state::NoSealing());
  journal.Append(*program, MakeRecord(*program, Step::kStore, "t.n", "{}"));
  ASSERT_TRUE(journal.Commit());
  std::string bytes = ReadFile(dir / "j").value();
  bytes[7] = '2';
  ASSERT_TRUE(ReplaceFile(dir / "newer", bytes, 0600));
  state::State state = EmptyState(program);
  const auto replayed = Journal::Replay(dir / "newer", state, *state::NoSealing());
  ASSERT_FALSE(replayed);
  EXPECT_TRUE(state.empty());
  EXPECT_NE(replayed.error().message.find("has format 2, and this version of kinu reads format 1"),
            std::string::npos);
}

RC_GTEST_PROP(Journal, ABrokenByteCostsOneRecord, ()) {
  auto program = std::make_shared<Program>();
  TemporaryDirectory dir;
  std::vector<ObjectRecord> records = RandomRecords(*program);
  RC_PRE(!records.empty());
  const state::SealerRef sealer = AnySealer();
  Journal journal = *Journal::Open(dir / "j", {1, "l"}, *sealer);
  for (const ObjectRecord& record : records) {
    journal.Append(*program, record);
  }
  RC_ASSERT(journal.Commit().has_value());
  std::string bytes = ReadFile(dir / "j").value();
  size_t at = *rc::gen::inRange<size_t>(0, bytes.size());
  bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
  const std::string whole = ReadFile(dir / "j").value();
  const size_t header_end = EndOfFrame(whole, 8);
  const bool is_last = at >= header_end && [&] {
    size_t start = header_end;
    while (EndOfFrame(whole, start) <= at) {
      start = EndOfFrame(whole, start);
    }
    return EndOfFrame(whole, start) == whole.size();
  }();
  state::State state = EmptyState(program);
  state.lineage = "l";
  state.serial = 1;
  const Journal::Replayed replayed = Journal::ReplayBytes(bytes, state, *sealer);
  if (at < header_end) {
    RC_ASSERT(replayed.outcome == Journal::Outcome::kNoHeader);
    RC_ASSERT(state.empty());
  } else {
    RC_ASSERT(replayed.records == records.size() - 1);
    RC_ASSERT((replayed.damaged > 0) == !is_last);
  }
}

}  // namespace
}  // namespace kinu::backend
