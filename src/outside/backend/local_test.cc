#include "backend/local.h"

#include <csignal>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/state_file.h"
#include "backend/test_sealer.h"
#include "base/file_replacement.h"
#include "base/files.h"

namespace kinu::backend {
namespace {

using std::chrono::milliseconds;

/// Each test has a directory of its own.
class LocalTest : public testing::Test {
 protected:
  LocalTest() : dir_((std::filesystem::temp_directory_path() / ("kinu-" + RandomUuid())).string()) {
    std::filesystem::create_directories(dir_);
  }
  ~LocalTest() override { std::filesystem::remove_all(dir_); }

  std::string In(std::string_view name) const { return JoinPath(dir_, name); }
  std::string Text(std::string_view name) const { return ReadFile(In(name)).value_or("<missing>"); }
  void Put(std::string_view name, std::string_view text) const {
    ASSERT_TRUE(ReplaceFile(In(name), text));
  }
  StateFiles Paths() const {
    return {.read = In("s.tfstate"), .write = In("s.tfstate"), .backup = In("s.tfstate.backup")};
  }
  std::unique_ptr<LocalStore> Store() const {
    return std::make_unique<LocalStore>(Paths(), program_, state::NoSealing());
  }
  /// A state whose one output is `content`.
  state::State WithOutput(int64_t content) const {
    state::State state;
    state.program = program_;
    state.outputs.push_back(state::OutputValue{.name = "o", .value = Value::Int(content)});
    return state;
  }
  state::ObjectRecord Stored(std::string_view address) const {
    state::ObjectRecord record;
    EXPECT_TRUE(program_->ParseResourceInstance(address, &record.address));
    record.provider.provider = program_->Intern("h/n/t");
    record.object.attributes = "{}";
    return record;
  }

  /// A run that is killed after it has recorded one object.
  void KilledRun(std::string_view address, bool lock) const {
    const pid_t child = ::fork();
    if (child == 0) {
      auto store = Store();
      const bool ok = (!lock || store->Lock(request_).has_value()) &&
                      store->Read(program_).has_value() &&
                      store->Record(Stored(address)).has_value() && store->Flush().has_value();
      ::kill(::getpid(), ok ? SIGKILL : SIGTERM);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(WTERMSIG(status), SIGKILL);
  }

  std::string dir_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  state::LockRequest request_{.operation = "test"};
};

// --- Paths and workspaces. ---

struct PathCase {
  LocalOptions options;
  const char* workspace;
  const char* read;
  const char* write;
  const char* backup;
};

TEST(LocalFiles, FollowFlagsAndWorkspace) {
  const PathCase cases[] = {
      {{}, "default", "terraform.tfstate", "terraform.tfstate", "terraform.tfstate.backup"},
      {{}, "", "terraform.tfstate", "terraform.tfstate", "terraform.tfstate.backup"},
      {{},
       "w",
       "terraform.tfstate.d/w/terraform.tfstate",
       "terraform.tfstate.d/w/terraform.tfstate",
       "terraform.tfstate.d/w/terraform.tfstate.backup"},
      {{.path = "p/x", .workspace_dir = "d"}, "default", "p/x", "p/x", "p/x.backup"},
      {{.path = "p/x", .workspace_dir = "d"},
       "w",
       "d/w/terraform.tfstate",
       "d/w/terraform.tfstate",
       "d/w/terraform.tfstate.backup"},
      {{.flags = {.state = "a"}}, "w", "a", "a", "a.backup"},
      {{.flags = {.state = "a", .state_out = "b"}}, "default", "a", "b", "b.backup"},
      {{.flags = {.state_out = "b", .backup = "c"}}, "default", "terraform.tfstate", "b", "c"},
      {{.flags = {.backup = "-"}}, "default", "terraform.tfstate", "terraform.tfstate", ""},
  };
  for (const PathCase& c : cases) {
    StateFiles paths = *LocalBackend(c.options).Files(c.workspace);
    EXPECT_EQ(paths.read, c.read);
    EXPECT_EQ(paths.write, c.write);
    EXPECT_EQ(paths.backup, c.backup);
  }
}

TEST_F(LocalTest, Workspaces) {
  LocalBackend backend({.workspace_dir = In("ws")});
  EXPECT_EQ(backend.Workspaces().value(), std::vector<std::string>{"default"});
  ASSERT_TRUE(backend.Open("b", program_).has_value());
  ASSERT_TRUE(backend.Open("a", program_).has_value());
  ASSERT_TRUE(backend.Open("default", program_).has_value());
  ASSERT_TRUE(backend.Open("seen", program_, Opening::kLook).has_value());
  Put("ws/file", "not a workspace");
  EXPECT_EQ(backend.Workspaces().value(), (std::vector<std::string>{"default", "a", "b"}));
  ASSERT_TRUE(backend.DeleteWorkspace("a"));
  EXPECT_EQ(backend.Workspaces().value(), (std::vector<std::string>{"default", "b"}));
  EXPECT_FALSE(backend.DeleteWorkspace("default").has_value());
  EXPECT_FALSE(backend.DeleteWorkspace("").has_value());
}

// --- Reading and writing. ---

TEST_F(LocalTest, FirstWriteMakesLineageAndSerial) {
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  EXPECT_EQ(Text("s.tfstate"), "");  // there, and empty, as long as nothing is written
  EXPECT_TRUE(store->Read(program_)->empty());
  state::State state = WithOutput(1);
  ASSERT_TRUE(store->Write(state));
  EXPECT_EQ(state.serial, 1U);
  EXPECT_EQ(state.lineage.size(), 36U);
  ASSERT_TRUE(store->Unlock());
  EXPECT_EQ(Text("s.tfstate"), state::WriteState(state, state::Layout::kIndented));
  EXPECT_EQ(Text("s.tfstate.backup"), "<missing>");
  EXPECT_EQ(Text(".s.tfstate.lock.info"), "<missing>");
}

TEST_F(LocalTest, EmptyFileOfTheLockIsRemoved) {
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  ASSERT_TRUE(store->Unlock());
  EXPECT_EQ(Text("s.tfstate"), "<missing>");
  EXPECT_TRUE(ListDirectory(dir_)->empty());
}

TEST_F(LocalTest, BackupIsTheFirstContentOnce) {
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  state::State same = *store->Read(program_);
  ASSERT_TRUE(store->Write(same));
  EXPECT_EQ(same.serial, 1U);
  EXPECT_EQ(Text("s.tfstate.backup"), "<missing>");
  state::State second = WithOutput(2);
  ASSERT_TRUE(store->Write(second));
  EXPECT_EQ(second.serial, 2U);
  EXPECT_EQ(second.lineage, first.lineage);
  std::string backup = Text("s.tfstate.backup");
  EXPECT_EQ(backup, state::WriteState(first, state::Layout::kCompact));
  state::State third = WithOutput(3);
  ASSERT_TRUE(store->Write(third));
  EXPECT_EQ(third.serial, 3U);
  EXPECT_EQ(Text("s.tfstate.backup"), backup);
}

TEST_F(LocalTest, StateOutLeavesTheInputAlone) {
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  std::string input = Text("s.tfstate");
  LocalStore store({.read = In("s.tfstate"), .write = In("out/o.tfstate"), .backup = In("b")},
                   program_, state::NoSealing());
  ASSERT_TRUE(store.Lock(request_));
  state::State second = *store.Read(program_);
  second.outputs[0].value = Value::Int(2);
  ASSERT_TRUE(store.Write(second));
  EXPECT_EQ(second.serial, 2U);
  EXPECT_EQ(Text("s.tfstate"), input);
  EXPECT_EQ(Text("out/o.tfstate"), state::WriteState(second, state::Layout::kIndented));
  EXPECT_EQ(Text("b"), "<missing>");
}

TEST_F(LocalTest, ReplaceKeepsTheRules) {
  state::State first = WithOutput(1);
  first.lineage = "a";
  first.serial = 5;
  ASSERT_TRUE(Store()->Replace(first, false));
  EXPECT_EQ(first.serial, 6U);  // as the reference: content that differs raises the serial
  state::State other = WithOutput(2);
  other.lineage = "b";
  other.serial = 9;
  EXPECT_FALSE(Store()->Replace(other, false).has_value());
  EXPECT_TRUE(Store()->Replace(other, true).has_value());
  EXPECT_EQ(other.serial, 11U) << "content that differs from a stored state counts twice";
  EXPECT_EQ(Store()->Read(program_)->lineage, "b");
}

TEST_F(LocalTest, CorruptStateIsRefusedAtLocking) {
  Put("s.tfstate", "{\"version\":4,");
  Result<void> locked = Store()->Lock(request_);
  ASSERT_FALSE(locked.has_value());
  EXPECT_EQ(locked.error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(locked.error().message.starts_with("failed to write backup file: 2 problems:"))
      << locked.error().message;
  EXPECT_TRUE(Store()->Lock(request_).error().code == ErrorCode::kInvalid);  // not held
}

TEST_F(LocalTest, LinksAndModesSurvive) {
  state::State first = WithOutput(1);
  Put("real.tfstate", "");
  std::filesystem::create_symlink("real.tfstate", In("s.tfstate"));
  ASSERT_EQ(::chmod(In("real.tfstate").c_str(), 0640), 0);
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  ASSERT_TRUE(store->Write(first));
  EXPECT_TRUE(std::filesystem::is_symlink(In("s.tfstate")));
  struct stat info{};
  ASSERT_EQ(::stat(In("real.tfstate").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640U);
  EXPECT_EQ(Text("real.tfstate"), state::WriteState(first, state::Layout::kIndented));
}

// --- Locks. ---

/// Runs `body` in another process; its result is the exit status.
template <typename F>
int InProcess(F body) {
  pid_t child = ::fork();
  if (child == 0) {
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The lock as OpenTofu takes it: of the process, on the file that has the name.
int ForeignLock(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return ::fcntl(fd, F_SETLK, &lock) == 0 ? fd : -1;
}

TEST_F(LocalTest, OneHolderAtATime) {
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  auto attempt = [&] {
    Result<void> second = Store()->Lock({.operation = "other"});
    if (second) {
      return 0;
    }
    return second.error().code == ErrorCode::kExists ? 1 : 2;
  };
  EXPECT_EQ(InProcess(attempt), 1);
  EXPECT_EQ(attempt(), 1);  // in the same process as well
  EXPECT_EQ(InProcess([&] { return ForeignLock(In("s.tfstate")) < 0 ? 1 : 0; }), 1);
  Result<void> second = Store()->Lock({.operation = "other"});
  EXPECT_TRUE(second.error().message.starts_with(
      "resource temporarily unavailable\nLock Info:\n  ID:        "))
      << second.error().message;
  EXPECT_NE(second.error().message.find("\n  Operation: test\n"), std::string::npos);

  // Replacing the file keeps it locked, under its new identity too.
  state::State state = WithOutput(1);
  ASSERT_TRUE(store->Write(state));
  EXPECT_EQ(InProcess(attempt), 1);
  EXPECT_EQ(InProcess([&] { return ForeignLock(In("s.tfstate")) < 0 ? 1 : 0; }), 1);
  // Reading the file elsewhere in this process does not drop the lock.
  EXPECT_TRUE(ReadFile(In("s.tfstate")).has_value());
  EXPECT_EQ(InProcess(attempt), 1);
  ASSERT_TRUE(store->Unlock());
  EXPECT_EQ(InProcess(attempt), 0);
}

TEST_F(LocalTest, AForeignHolderKeepsUsOut) {
  int ready[2];
  int done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  pid_t child = ::fork();
  if (child == 0) {
    char c = ForeignLock(In("s.tfstate")) >= 0 ? 'y' : 'n';
    (void)!::write(ready[1], &c, 1);
    (void)!::read(done[0], &c, 1);
    ::_exit(0);
  }
  char c = 0;
  ASSERT_EQ(::read(ready[0], &c, 1), 1);
  ASSERT_EQ(c, 'y');
  Result<void> locked = Store()->Lock(request_);
  ASSERT_FALSE(locked.has_value());
  EXPECT_EQ(locked.error().code, ErrorCode::kExists);
  EXPECT_EQ(locked.error().message,
            "2 errors occurred:\n\t* resource temporarily unavailable\n\t* open " +
                In(".s.tfstate.lock.info") + ": no such file or directory\n\n");
  ASSERT_EQ(::write(done[1], &c, 1), 1);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(Store()->Lock(request_).has_value());
}

TEST_F(LocalTest, WaitingEndsWithTheTimeout) {
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  bool slow = false;
  auto start = std::chrono::steady_clock::now();
  Result<void> second = Store()->Lock(
      {.operation = "x", .timeout = milliseconds(600), .on_slow = [&] { slow = true; }});
  auto waited = std::chrono::steady_clock::now() - start;
  EXPECT_FALSE(second.has_value());
  EXPECT_TRUE(slow);
  EXPECT_GE(waited, milliseconds(600));
  EXPECT_LT(waited, milliseconds(5000));
  EXPECT_FALSE(Store()
                   ->Lock({.operation = "x",
                           .timeout = std::chrono::hours(1),
                           .cancelled = [] { return true; }})
                   .has_value());
}

TEST_F(LocalTest, AWaiterGetsTheNewFile) {
  state::State state = WithOutput(1);
  ASSERT_TRUE(Store()->Write(state));
  int go[2];
  ASSERT_EQ(::pipe(go), 0);
  // Forked before locking: a lock belongs to the open file, which a child would share.
  pid_t child = ::fork();
  if (child == 0) {
    char c = 0;
    (void)!::read(go[0], &c, 1);
    auto waiter = Store();
    Result<void> locked = waiter->Lock({.operation = "w", .timeout = milliseconds(20000)});
    Result<state::State> read = waiter->Read(program_);
    ::_exit(locked && read && read->serial == 2 ? 0 : 1);
  }
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  ASSERT_EQ(::write(go[1], "x", 1), 1);
  std::this_thread::sleep_for(milliseconds(200));
  state::State second = WithOutput(2);
  ASSERT_TRUE(store->Write(second));
  ASSERT_TRUE(store->Unlock());
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(LocalTest, AForeignWaiterOnTheOldFileCannotUseIt) {
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  int old_file = ::open(In("s.tfstate").c_str(), O_RDWR | O_CLOEXEC);
  state::State second = WithOutput(2);
  ASSERT_TRUE(store->Write(second));
  ASSERT_TRUE(store->Unlock());
  char text[512] = {};
  ASSERT_GT(::pread(old_file, text, sizeof(text) - 1, 0), 0);
  EXPECT_FALSE(state::ReadState(program_, std::string(text)).has_value());
  ::close(old_file);
  EXPECT_EQ(Store()->Read(program_)->serial, 2U);
}

// --- Journal and kills. ---

TEST_F(LocalTest, AKilledRunIsRecovered) {
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  EXPECT_EQ(InProcess([&] {
              auto store = Store();
              bool ok = store->Lock(request_).has_value() && store->Read(program_).has_value() &&
                        store->Record(Stored("t.n")).has_value() && store->Flush().has_value() &&
                        store->Record(Stored("t.lost")).has_value();
              ::kill(::getpid(), ok ? SIGKILL : SIGTERM);
              return 0;
            }),
            -1);
  // Where the state cannot be locked, the records are seen, but stay in the journal.
  int holder = ::open(In("s.tfstate").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_TRUE(LockWholeFile(holder));
  auto reader = Store();
  EXPECT_EQ(reader->Read(program_)->resources.size(), 1U);
  EXPECT_FALSE(reader->recovery_note().empty());
  EXPECT_TRUE(FileExists(In(".s.tfstate.journal")));
  EXPECT_EQ(state::ReadState(program_, Text("s.tfstate"))->resources.size(), 0U);
  ::close(holder);
  reader.reset();
  // With the lock they become part of the state.
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  state::State recovered = *store->Read(program_);
  EXPECT_EQ(recovered.resources.size(), 1U);
  EXPECT_EQ(recovered.serial, 2U);
  EXPECT_EQ(recovered.lineage, first.lineage);
  EXPECT_FALSE(FileExists(In(".s.tfstate.journal")));
  EXPECT_EQ(state::ReadState(program_, Text("s.tfstate"))->resources.size(), 1U);
}

TEST_F(LocalTest, WhoLooksAtAKilledRunWritesTheState) {
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  KilledRun("t.n", true);
  EXPECT_EQ(Store()->View(program_)->resources.size(), 1U);
  EXPECT_FALSE(FileExists(In(".s.tfstate.journal")));
  EXPECT_EQ(state::ReadState(program_, Text("s.tfstate"))->resources.size(), 1U);
}

TEST_F(LocalTest, WhoOnlyLooksWritesNothing) {
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  KilledRun("t.n", true);
  auto store = Store();
  store->LookOnly();
  EXPECT_EQ(store->Read(program_)->resources.size(), 1U);
  EXPECT_TRUE(FileExists(In(".s.tfstate.journal")));
  EXPECT_EQ(state::ReadState(program_, Text("s.tfstate"))->resources.size(), 0U);
  // Nor does it keep others from doing so.
  EXPECT_TRUE(Store()->Lock(request_));
}

TEST_F(LocalTest, KilledRunsWithoutALockLoseNothing) {
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  for (int i = 0; i < 4; ++i) {
    KilledRun("t.n" + std::to_string(i), i == 2);
  }
  EXPECT_EQ(Store()->Read(program_)->resources.size(), 4U);
}

TEST_F(LocalTest, RecordsOfAHeldStateAreWrittenBeforeNewOnes) {
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  KilledRun("t.n", true);
  int holder = ::open(In("s.tfstate").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_TRUE(LockWholeFile(holder));
  auto store = Store();
  EXPECT_EQ(store->Read(program_)->resources.size(), 1U);
  ASSERT_TRUE(store->StartRecording());
  EXPECT_EQ(state::ReadState(program_, Text("s.tfstate"))->resources.size(), 1U);
  ::close(holder);
}

TEST_F(LocalTest, ARunWithoutALockKeepsOthersOut) {
  auto store = Store();
  ASSERT_TRUE(store->Record(Stored("t.n")));
  ASSERT_TRUE(store->Flush());
  auto second = Store();
  const Result<void> locked = second->Lock(request_);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().code, ErrorCode::kExists);
  EXPECT_NE(locked.error().message.find("without a lock"), std::string::npos);
  EXPECT_EQ(second->Read(program_)->resources.size(), 1U);
  EXPECT_EQ(second->StartRecording().error().code, ErrorCode::kExists);
  store.reset();
  EXPECT_EQ(Store()->Read(program_)->resources.size(), 1U);
}

TEST_F(LocalTest, ARunWithoutALockDoesNotUndoAnother) {
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  auto store = Store();
  state::State state = *store->Read(program_);
  state::State theirs = WithOutput(2);
  auto other = Store();
  ASSERT_TRUE(other->Read(program_));
  ASSERT_TRUE(other->Write(theirs));
  // Writing what was read changes nothing; anything else would take back what the other run did.
  EXPECT_TRUE(store->Write(state));
  EXPECT_EQ(store->StartRecording().error().code, ErrorCode::kExists);
  state.outputs[0].value = Value::Int(3);
  EXPECT_EQ(store->Write(state).error().code, ErrorCode::kExists);
  EXPECT_EQ(Text("s.tfstate"), state::WriteState(theirs, state::Layout::kIndented));
}

TEST_F(LocalTest, AJournalBesideAStateThatIsOnlyWrittenGoesIntoIt) {
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  const StateFiles paths{.read = In("s.tfstate"), .write = In("o.tfstate"), .backup = In("b")};
  EXPECT_EQ(InProcess([&] {
              LocalStore store(paths, program_, state::NoSealing());
              bool ok = store.Lock(request_).has_value() && store.Read(program_).has_value() &&
                        store.Record(Stored("t.n")).has_value() && store.Flush().has_value();
              ::kill(::getpid(), ok ? SIGKILL : SIGTERM);
              return 0;
            }),
            -1);
  LocalStore store(paths, program_, state::NoSealing());
  ASSERT_TRUE(store.Lock(request_));
  state::State state = *store.Read(program_);
  state.outputs[0].value = Value::Int(7);
  ASSERT_TRUE(store.Write(state));
  EXPECT_EQ(state::ReadState(program_, Text("b"))->resources.size(), 1U);
  EXPECT_FALSE(FileExists(In(".o.tfstate.journal")));
}

TEST_F(LocalTest, PlantedLinksAreNotFollowed) {
  ASSERT_TRUE(ReplaceFile(In("victim"), "untouched"));
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  for (const char* name : {".s.tfstate.journal", ".s.tfstate.lock.info", ".s.tfstate.new",
                           ".s.tfstate.00000000.new"}) {
    ASSERT_EQ(::symlink(In("victim").c_str(), In(name).c_str()), 0);
  }
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  state::State state = *store->Read(program_);
  ASSERT_TRUE(store->Record(Stored("t.n")));
  ASSERT_TRUE(store->Flush());
  state::Apply(Stored("t.n"), state);
  ASSERT_TRUE(store->Write(state));
  struct stat info{};
  ASSERT_EQ(::lstat(In("s.tfstate").c_str(), &info), 0);
  EXPECT_TRUE(S_ISREG(info.st_mode));
  EXPECT_EQ(Text("victim"), "untouched");
}

TEST_F(LocalTest, ALinkToNothingGetsItsTarget) {
  ASSERT_TRUE(MakeDirectories(In("d")));
  ASSERT_EQ(::symlink("d/real", In("s.tfstate").c_str()), 0);
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  struct stat info{};
  ASSERT_EQ(::lstat(In("s.tfstate").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  EXPECT_EQ(Text("d/real"), state::WriteState(first, state::Layout::kIndented));
}

TEST_F(LocalTest, AFirstRunIsRecoveredToo) {
  EXPECT_EQ(InProcess([&] {
              auto store = Store();
              bool ok = store->Lock(request_).has_value() && store->Read(program_).has_value() &&
                        store->Record(Stored("t.n")).has_value() && store->Flush().has_value();
              ::kill(::getpid(), ok ? SIGKILL : SIGTERM);
              return 0;
            }),
            -1);
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  state::State recovered = *store->Read(program_);
  EXPECT_EQ(recovered.resources.size(), 1U);
  EXPECT_EQ(recovered.serial, 1U);
}

TEST_F(LocalTest, AJournalOfAnotherHistoryIsSetAside) {
  state::State first = WithOutput(1);
  ASSERT_TRUE(Store()->Write(first));
  {
    Journal journal =
        *Journal::Open(LocalStore::JournalPath(In("s.tfstate")), {1, "other"}, *state::NoSealing());
    journal.Append(*program_, Stored("t.n"));
    ASSERT_TRUE(journal.Commit());
  }
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  EXPECT_TRUE(store->Read(program_)->resources.empty());
  EXPECT_NE(store->recovery_note().find("were not applied"), std::string::npos);
  EXPECT_FALSE(FileExists(In(".s.tfstate.journal")));
}

TEST_F(LocalTest, AFullSnapshotEndsTheJournal) {
  auto store = Store();
  ASSERT_TRUE(store->Lock(request_));
  state::State state = *store->Read(program_);
  state::ObjectRecord record = Stored("t.n");
  ASSERT_TRUE(store->Record(record));
  ASSERT_TRUE(store->Flush());
  EXPECT_TRUE(FileExists(In(".s.tfstate.journal")));
  state::Apply(record, state);
  ASSERT_TRUE(store->Write(state));
  EXPECT_FALSE(FileExists(In(".s.tfstate.journal")));
  ASSERT_TRUE(store->Record(Stored("t.m")));
  ASSERT_TRUE(store->Flush());
  EXPECT_TRUE(FileExists(In(".s.tfstate.journal")));
}

TEST_F(LocalTest, KillsDuringWritingKeepOldOrNew) {
  state::State first = WithOutput(0);
  ASSERT_TRUE(Store()->Write(first));
  uint64_t serial = first.serial;
  for (int round = 0; round < 40; ++round) {
    pid_t child = ::fork();
    if (child == 0) {
      auto store = Store();
      if (!store->Lock({.operation = "w", .timeout = milliseconds(1000)})) {
        ::_exit(1);
      }
      for (int64_t i = 1;; ++i) {
        state::State next = WithOutput(i);
        next.outputs[0].value = Value::String(std::string(static_cast<size_t>(i) * 4096, 'x'));
        if (!store->Write(next)) {
          ::_exit(2);
        }
      }
    }
    ::usleep(static_cast<useconds_t>(1500 + round * 1700));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    auto store = Store();
    Result<void> locked = store->Lock(request_);
    ASSERT_TRUE(locked.has_value()) << locked.error().message;
    Result<state::State> state = store->Read(program_);
    ASSERT_TRUE(state.has_value()) << state.error().message;
    EXPECT_GE(state->serial, serial);
    EXPECT_EQ(state->lineage, first.lineage);
    serial = state->serial;
  }
  EXPECT_GT(serial, first.serial);
  // The next run has removed what was not finished.
  EXPECT_EQ(ListDirectory(dir_).value(),
            (std::vector<std::string>{"s.tfstate", "s.tfstate.backup"}));
}

TEST_F(LocalTest, AStateThatIsEncryptedIsNotReplacedByOneInTheClear) {
  {
    LocalStore sealed(Paths(), program_, std::make_shared<TestSealer>("a"));
    state::State first = WithOutput(1);
    ASSERT_TRUE(sealed.Write(first));
  }
  const std::string stored = Text("s.tfstate");
  state::State next = WithOutput(2);
  next.lineage = "other";
  EXPECT_FALSE(Store()->Write(next));
  EXPECT_FALSE(Store()->Adopt(next));
  EXPECT_FALSE(Store()->Replace(next, true));
  EXPECT_FALSE(Store()->Record(Stored("t.n")));
  EXPECT_EQ(Text("s.tfstate"), stored);
  EXPECT_EQ(ListDirectory(dir_).value(), (std::vector<std::string>{"s.tfstate"}));
}

TEST_F(LocalTest, ErroredStateHasItsOwnFile) {
  std::string before = WorkingDirectory();
  ASSERT_EQ(::chdir(dir_.c_str()), 0);
  state::State state = WithOutput(1);
  state.lineage = "l";
  state.serial = 4;
  EXPECT_TRUE(WriteErroredState(state, state::NoSealing()));
  ASSERT_EQ(::chdir(before.c_str()), 0);
  EXPECT_EQ(Text("errored.tfstate"), state::WriteState(state, state::Layout::kIndented));
  EXPECT_EQ(state.serial, 5U);
}

}  // namespace
}  // namespace kinu::backend
