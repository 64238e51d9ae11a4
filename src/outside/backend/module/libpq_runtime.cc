// The PostgreSQL module: libpq.
#include <cstdlib>
#include <memory>

#include <libpq-fe.h>

#include "backend/pg_runtime.h"

namespace kinu::backend {
namespace {

struct ConnectionDeleter {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct AnswerDeleter {
  void operator()(PGresult* answer) const { PQclear(answer); }
};
struct OptionsDeleter {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

/// A message of libpq in one line.
std::string MessageOf(const char* message) {
  std::string out = message == nullptr ? "" : message;
  while (out.ends_with('\n')) {
    out.pop_back();
  }
  return "pq: " + out;
}

class LibpqConnection final : public PgConnection {
 public:
  explicit LibpqConnection(PGconn* connection) : connection_(connection) {
    // What exists already is no news.
    PQsetNoticeProcessor(connection, [](void*, const char*) {}, nullptr);
  }

  Result<PgRows> Query(const std::string& statement,
                       const std::vector<std::string>& values) override {
    std::vector<const char*> texts;
    for (const std::string& value : values) {
      texts.push_back(value.c_str());
    }
    const std::unique_ptr<PGresult, AnswerDeleter> answer(
        PQexecParams(connection_.get(), statement.c_str(), static_cast<int>(texts.size()), nullptr,
                     texts.data(), nullptr, nullptr, 0));
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
      const char* primary = PQresultErrorField(answer.get(), PG_DIAG_MESSAGE_PRIMARY);
      return Fail(ErrorCode::kUnavailable,
                  MessageOf(primary != nullptr ? primary : PQerrorMessage(connection_.get())));
    }
    PgRows rows;
    for (int row = 0; row < PQntuples(answer.get()); ++row) {
      auto& fields = rows.emplace_back();
      for (int field = 0; field < PQnfields(answer.get()); ++field) {
        if (PQgetisnull(answer.get(), row, field) != 0) {
          fields.emplace_back(std::nullopt);
        } else {
          fields.emplace_back(
              std::string(PQgetvalue(answer.get(), row, field),
                          static_cast<size_t>(PQgetlength(answer.get(), row, field))));
        }
      }
    }
    return rows;
  }

 private:
  std::unique_ptr<PGconn, ConnectionDeleter> connection_;
};

/// Whether the settings say how a connection is encrypted. Fails if they cannot be read.
Result<bool> NamesSslMode(const std::string& settings) {
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, OptionsDeleter> options(
      PQconninfoParse(settings.c_str(), &problem));
  if (options == nullptr) {
    const std::string why = MessageOf(problem == nullptr ? "out of memory" : problem);
    PQfreemem(problem);
    return Fail(ErrorCode::kInvalid, why);
  }
  if (std::getenv("PGSSLMODE") != nullptr) {  // NOLINT(concurrency-mt-unsafe): no thread sets any
    return true;
  }
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (std::string_view(option->keyword) == "sslmode" && option->val != nullptr) {
      return true;
    }
  }
  return false;
}

class LibpqRuntime final : public PgRuntime {
 public:
  Result<std::unique_ptr<PgConnection>> Connect(const std::string& settings,
                                                const std::string& name) override {
    KINU_TRY(const bool named, NamesSslMode(settings));
    const char* const keywords[] = {"dbname", "fallback_application_name",
                                    named ? nullptr : "sslmode", nullptr};
    const char* const values[] = {settings.c_str(), name.c_str(), named ? nullptr : "require",
                                  nullptr};
    PGconn* connection = PQconnectdbParams(keywords, values, 1);
    if (PQstatus(connection) != CONNECTION_OK) {
      const std::string why = MessageOf(PQerrorMessage(connection));
      PQfinish(connection);
      return Fail(ErrorCode::kUnavailable, why);
    }
    return std::make_unique<LibpqConnection>(connection);
  }
};

}  // namespace
}  // namespace kinu::backend

extern "C" __attribute__((visibility("default"))) kinu::backend::PgRuntime* kinu_pg_runtime(
    int version) {
  static kinu::backend::LibpqRuntime runtime;
  return version == kinu::backend::kPgVersion ? &runtime : nullptr;
}
