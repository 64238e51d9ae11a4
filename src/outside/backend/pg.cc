// The backend "pg": states in the rows of a PostgreSQL table, locked by advisory locks of the
// session. Ref: opentofu internal/backend/remote-state/pg.
#include "backend/pg.h"

#include <algorithm>
#include <utility>

#include "backend/lock_wait.h"
#include "backend/new_workspace.h"
#include "backend/remote_store.h"
#include "backend/specs.h"
#include "base/module.h"
#include "cloud/settings.h"

extern char** environ;

namespace kinu::backend {
namespace {

constexpr std::string_view kSequence = "public.global_states_id_seq";

/// A name as SQL writes it, whatever its characters.
std::string QuotedName(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    out += c == '"' ? "\"\"" : std::string(1, c);
  }
  return out + '"';
}

/// The table with the states. All clients of a backend share the connection: a lock belongs to it.
struct PgTable {
  std::unique_ptr<PgConnection> connection;
  std::string schema;
  std::string table;

  std::string Name() const { return QuotedName(schema) + '.' + QuotedName(table); }
  Result<PgRows> Query(const std::string& statement,
                       const std::vector<std::string>& values = {}) const {
    return connection->Query(statement, values);
  }
  /// The advisory lock of whoever adds a row: the negated FNV-1 hash of both names.
  std::string CreationLock() const {
    uint32_t hash = 2166136261U;
    for (const char c : schema + '\0' + table) {
      hash = (hash * 16777619U) ^ static_cast<unsigned char>(c);
    }
    return std::to_string(-static_cast<int64_t>(hash));
  }
};

bool IsTrue(const std::optional<std::string>& field) {
  return field == "t";
}

class PgClient final : public RemoteClient {
 public:
  PgClient(std::shared_ptr<const PgTable> table, std::string_view workspace)
      : table_(std::move(table)), workspace_(workspace) {}

  Result<std::optional<std::string>> Get() override {
    KINU_TRY(PgRows rows, table_->Query("SELECT data FROM " + table_->Name() + " WHERE name = $1",
                                        {workspace_}));
    return rows.empty() ? std::nullopt : std::optional(std::move(rows[0][0]).value_or(""));
  }
  Result<void> Put(std::string_view bytes) override {
    return Run("INSERT INTO " + table_->Name() +
                   " (name, data) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET data = $2",
               {workspace_, std::string(bytes)});
  }
  Result<void> Delete() override {
    return Run("DELETE FROM " + table_->Name() + " WHERE name = $1", {workspace_});
  }
  Result<std::string> Lock(const state::LockInfo& info) override {
    return WaitForHolder([&] { return TryLock(info); });
  }
  Result<void> Unlock(std::string_view id) override {
    return held_.empty() ? EndHolder(id) : Release(std::exchange(held_, {}));
  }

 private:
  Result<std::string> TryLock(const state::LockInfo& info);
  /// The session that has an advisory lock, as the server knows it.
  Result<std::optional<state::LockInfo>> HolderOf(const std::string& lock) const;
  /// The failure for an advisory lock that another session has.
  std::unexpected<Error> HeldBy(const std::string& lock, std::string_view why) const;
  /// Ends the session that holds the workspace's lock, if it has that id.
  Result<void> EndHolder(std::string_view id) const;
  Result<void> Run(const std::string& statement, const std::vector<std::string>& values) const {
    const Result<PgRows> rows = table_->Query(statement, values);
    return rows ? Result<void>() : std::unexpected(rows.error());
  }
  Result<void> Release(const std::string& lock) const {
    return Run("SELECT pg_advisory_unlock($1::bigint)", {lock});
  }

  std::shared_ptr<const PgTable> table_;
  std::string workspace_;
  std::string held_;  // the advisory lock; empty: none
};

Result<std::optional<state::LockInfo>> PgClient::HolderOf(const std::string& lock) const {
  KINU_TRY(
      const PgRows rows,
      table_->Query(
          "SELECT a.pid, a.application_name, a.usename || coalesce('@' || host(a.client_addr), "
          "''), to_char(a.backend_start AT TIME ZONE 'UTC', "
          "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM pg_locks l JOIN pg_stat_activity a USING "
          "(pid) WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND l.database "
          "= (SELECT oid FROM pg_database WHERE datname = current_database()) AND "
          "((l.classid::bigint << 32) | l.objid::bigint) = $1::bigint",
          {lock}));
  if (rows.empty()) {
    return std::nullopt;
  }
  const std::vector<std::optional<std::string>>& session = rows[0];
  state::LockInfo holder;
  holder.id = session[0].value_or("");
  holder.path = table_->Name();
  holder.who = session[1].value_or("");
  if (holder.who.empty()) {
    holder.who = session[2].value_or("");
  }
  holder.created = session[3].value_or("");
  holder.info = "PostgreSQL session: " + holder.id;
  return holder;
}

std::unexpected<Error> PgClient::HeldBy(const std::string& lock, std::string_view why) const {
  const auto holder = HolderOf(lock);
  if (!holder) {
    return std::unexpected(holder.error());
  }
  const std::string text = std::string(why) + workspace_;
  return *holder ? Fail(ErrorCode::kExists, text + '\n' + (*holder)->ToText())
                 : Fail(ErrorCode::kNotFound, text);  // it has been released meanwhile
}

Result<void> PgClient::EndHolder(std::string_view id) const {
  KINU_TRY(const PgRows rows,
           table_->Query("SELECT id FROM " + table_->Name() + " WHERE name = $1", {workspace_}));
  KINU_TRY(const std::optional<state::LockInfo> holder,
           HolderOf(rows.empty() ? table_->CreationLock() : rows[0][0].value_or("")));
  if (!holder) {
    return {};  // the lock ended with its session
  }
  if (holder->id != id) {
    return Fail(ErrorCode::kInvalid, "lock id \"" + std::string(id) +
                                         "\" does not match existing lock\n" + holder->ToText());
  }
  return Run("SELECT pg_terminate_backend($1::int)", {holder->id});
}

Result<std::string> PgClient::TryLock(const state::LockInfo& info) {
  const std::string creation = table_->CreationLock();
  KINU_TRY(const PgRows rows,
           table_->Query("SELECT id, pg_try_advisory_lock(id), pg_try_advisory_lock($1::bigint) "
                         "FROM " +
                             table_->Name() + " WHERE name = $2",
                         {creation, workspace_}));
  if (rows.empty()) {
    KINU_TRY(const PgRows locked,
             table_->Query("SELECT pg_try_advisory_lock($1::bigint)", {creation}));
    if (locked.empty() || !IsTrue(locked[0][0])) {
      return HeldBy(creation, "Already locked for workspace creation: ");
    }
    held_ = creation;
    return info.id;
  }
  const std::string row = rows[0][0].value_or("");
  const bool has_row = IsTrue(rows[0][1]);
  const bool may_create = IsTrue(rows[0][2]);
  if (may_create) {
    (void)Release(creation);
  }
  if (!has_row) {
    return HeldBy(row, "Workspace is already locked: ");
  }
  if (!may_create) {
    (void)Release(row);
    return HeldBy(creation, "Cannot lock workspace; already locked for workspace creation: ");
  }
  held_ = row;
  return info.id;
}

class PgBackend final : public Backend {
 public:
  explicit PgBackend(PgRuntime* runtime) : runtime_(runtime) {}

  void Configure(const Value& settings, provider::Problems& problems) override {
    if (Result<void> ready = Prepare(settings); !ready) {
      cloud::AddFailure(problems, ready.error().message);
    }
  }
  Result<std::vector<std::string>> Workspaces() override;
  Result<void> DeleteWorkspace(std::string_view name) override {
    if (name.empty() || name == kDefaultWorkspace) {
      return Fail(ErrorCode::kInvalid, "can't delete default state");
    }
    return PgClient(table_, name).Delete();
  }
  Result<std::unique_ptr<state::Store>> Open(std::string_view workspace,
                                             std::shared_ptr<Program> program,
                                             Opening opening) override;

 private:
  Result<void> Prepare(const Value& settings);

  PgRuntime* runtime_;
  std::shared_ptr<const PgTable> table_;
};

/// Creates what the table needs. `IF NOT EXISTS` alone would ask for the right to create schemas.
Result<void> CreateTable(const PgTable& table, const Value& settings) {
  if (!cloud::SettingFlag(settings, "skip_schema_creation")) {
    KINU_TRY(const PgRows found,
             table.Query("SELECT 1 FROM information_schema.schemata WHERE schema_name = $1",
                         {table.schema}));
    if (found.empty()) {
      KINU_TRY(PgRows none, table.Query("CREATE SCHEMA IF NOT EXISTS " + QuotedName(table.schema)));
    }
  }
  if (!cloud::SettingFlag(settings, "skip_table_creation")) {
    // One sequence for all tables: an advisory lock is known by its number in the whole database.
    const std::string sequence(kSequence);
    KINU_TRY(PgRows made, table.Query("CREATE SEQUENCE IF NOT EXISTS " + sequence + " AS bigint"));
    KINU_TRY(PgRows none, table.Query("CREATE TABLE IF NOT EXISTS " + table.Name() +
                                      " (id bigint NOT NULL DEFAULT nextval('" + sequence +
                                      "') PRIMARY KEY, name text UNIQUE, data text)"));
  }
  if (!cloud::SettingFlag(settings, "skip_index_creation")) {
    const std::string index = cloud::SettingOr(settings, "index_name", "states_by_name");
    KINU_TRY(PgRows none, table.Query("CREATE UNIQUE INDEX IF NOT EXISTS " + QuotedName(index) +
                                      " ON " + table.Name() + " (name)"));
  }
  return {};
}

/// The settings of a connection, whose session has a name unless they give it one.
Result<PgSettings> ConnectionSettings(const std::string& text) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.emplace_back(*entry);
  }
  KINU_TRY(PgSettings out, ReadPgSettings(text, environment));
  constexpr std::string_view kName = "fallback_application_name";
  if (std::ranges::find(out, kName, &PgSettings::value_type::first) == out.end()) {
    out.emplace_back(kName, state::NewLockInfo("connect").who);
  }
  return out;
}

Result<void> PgBackend::Prepare(const Value& settings) {
  KINU_TRY(const PgSettings connection,
           ConnectionSettings(cloud::SettingText(settings, "conn_str")));
  if (runtime_ == nullptr) {
    KINU_TRY(runtime_, LoadModuleRuntime<PgRuntime>("kinu-pg.so", kPgSymbol, kPgVersion,
                                                    "that keeps states in PostgreSQL"));
  }
  auto table = std::make_shared<PgTable>();
  table->schema = cloud::SettingOr(settings, "schema_name", "terraform_remote_state");
  table->table = cloud::SettingOr(settings, "table_name", "states");
  KINU_TRY(table->connection, runtime_->Connect(connection));
  table_ = table;
  return CreateTable(*table, settings);
}

Result<std::vector<std::string>> PgBackend::Workspaces() {
  KINU_TRY(const PgRows rows, table_->Query("SELECT name FROM " + table_->Name() +
                                            " WHERE name != 'default' ORDER BY name"));
  std::vector<std::string> names{std::string(kDefaultWorkspace)};
  for (const auto& row : rows) {
    names.push_back(row[0].value_or(""));
  }
  return names;
}

Result<std::unique_ptr<state::Store>> PgBackend::Open(std::string_view workspace,
                                                      std::shared_ptr<Program> program,
                                                      Opening opening) {
  auto store = std::make_unique<RemoteStore>(std::make_unique<PgClient>(table_, workspace),
                                             StoringOf(workspace));
  KINU_TRY(const std::vector<std::string> names, Workspaces());
  if (opening == Opening::kMake && std::ranges::find(names, workspace) == names.end()) {
    if (Result<void> made = StartWorkspace(*store, std::move(program), "Postgres"); !made) {
      return std::unexpected(std::move(made).error());
    }
  }
  return store;
}

constexpr std::string_view kConnectionEnv[] = {"PG_CONN_STR"};
constexpr std::string_view kIndexEnv[] = {"PG_INDEX_NAME"};
constexpr std::string_view kSchemaEnv[] = {"PG_SCHEMA_NAME"};
constexpr std::string_view kSkipIndexEnv[] = {"PG_SKIP_INDEX_CREATION"};
constexpr std::string_view kSkipSchemaEnv[] = {"PG_SKIP_SCHEMA_CREATION"};
constexpr std::string_view kSkipTableEnv[] = {"PG_SKIP_TABLE_CREATION"};
constexpr std::string_view kTableEnv[] = {"PG_TABLE_NAME"};

constexpr Setting kSettings[] = {
    {.name = "conn_str",
     .docs = "The server and database: a URL, or key=value pairs.",
     .environment = kConnectionEnv},
    {.name = "index_name",
     .docs = "The index of the table. Default: states_by_name.",
     .environment = kIndexEnv},
    {.name = "schema_name",
     .docs = "The schema of the table. Default: terraform_remote_state.",
     .environment = kSchemaEnv},
    {.name = "skip_index_creation",
     .docs = "The index exists already.",
     .type = SettingType::kBool,
     .environment = kSkipIndexEnv,
     .form = EnvironmentForm::kBool},
    {.name = "skip_schema_creation",
     .docs = "The schema exists already.",
     .type = SettingType::kBool,
     .environment = kSkipSchemaEnv,
     .form = EnvironmentForm::kBool},
    {.name = "skip_table_creation",
     .docs = "The table exists already.",
     .type = SettingType::kBool,
     .environment = kSkipTableEnv,
     .form = EnvironmentForm::kBool},
    {.name = "table_name",
     .docs = "The table of the states. Default: states.",
     .environment = kTableEnv}};

std::unique_ptr<Backend> MakePg(const StateFlags&) {
  return MakePgBackend(nullptr);
}

}  // namespace

std::unique_ptr<Backend> MakePgBackend(PgRuntime* runtime) {
  return std::make_unique<PgBackend>(runtime);
}

constexpr BackendSpec kPg{.type = "pg",
                          .docs = "States in a PostgreSQL database.",
                          .settings = kSettings,
                          .make = MakePg};

}  // namespace kinu::backend
