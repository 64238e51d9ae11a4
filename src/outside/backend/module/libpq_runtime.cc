// The PostgreSQL module: libpq.
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
      return Fail(ErrorCode::kUnavailable, ProblemOf(answer.get()));
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
  /// The server's message and its code, or that of libpq where the server said nothing.
  std::string ProblemOf(const PGresult* answer) const {
    const char* primary = PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
    const char* code = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    if (primary == nullptr) {
      return MessageOf(PQerrorMessage(connection_.get()));
    }
    return MessageOf(primary) + (code == nullptr ? "" : " (" + std::string(code) + ")");
  }

  std::unique_ptr<PGconn, ConnectionDeleter> connection_;
};

class LibpqRuntime final : public PgRuntime {
 public:
  Result<std::unique_ptr<PgConnection>> Connect(const PgSettings& settings) override {
    std::vector<const char*> keywords;
    std::vector<const char*> values;
    for (const auto& [keyword, value] : settings) {
      keywords.push_back(keyword.c_str());
      values.push_back(value.c_str());
    }
    keywords.push_back(nullptr);
    values.push_back(nullptr);
    PGconn* connection = PQconnectdbParams(keywords.data(), values.data(), 0);
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
