#include "backend/pg_settings.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace kinu::backend {
namespace {

using Environment = std::vector<std::string>;

/// The settings that do not depend on the process, as "key=value" texts in the order of the keys;
/// the error otherwise.
std::vector<std::string> Read(std::string_view connection, const Environment& environment = {}) {
  const auto settings = ReadPgSettings(connection, environment);
  if (!settings) {
    return {settings.error().message};
  }
  std::vector<std::string> out;
  for (const auto& [key, value] : *settings) {
    const bool usual = key == "client_encoding" || (key == "user" && value != "u");
    if (!usual) {
      out.push_back(key + '=' + value);
    }
  }
  std::ranges::sort(out);
  return out;
}

using Strings = std::vector<std::string>;

TEST(PgSettings, UrlsAndPairsMeanTheSame) {
  const Strings wanted = {"dbname=d b", "host=db.example", "password=p'w",
                          "port=1234",  "sslmode=disable", "user=u"};
  EXPECT_EQ(Read("postgres://u:p%27w@db.example:1234/d%20b?sslmode=disable"), wanted);
  EXPECT_EQ(Read("user=u password=p\\'w  host = db.example port=1234 dbname='d b' sslmode=disable"),
            wanted);
  EXPECT_EQ(
      Read("user=u password='p\\'w' host=db.example database='d b' port=1234 sslmode=disable"),
      wanted);
}

TEST(PgSettings, EncryptionIsTheRule) {
  EXPECT_EQ(Read(""), (Strings{"host=localhost", "sslmode=require"}));
  EXPECT_EQ(Read("host=''"), (Strings{"host=localhost", "sslmode=require"}));
  EXPECT_EQ(Read("host=/run/pg sslmode=require"), (Strings{"host=/run/pg", "sslmode=disable"}));
  EXPECT_EQ(
      Read("sslmode=prefer"),
      Strings{"pq: wrong value for \"sslmode\": \"prefer\" is not supported; supported values "
              "are disable, require, verify-full, or verify-ca"});
  EXPECT_EQ(Read("", {"PGSSLMODE=allow"})[0].substr(0, 36),
            "pq: wrong value for $PGSSLMODE: \"all");
  EXPECT_EQ(Read("sslmode=verify-full sslrootcert=/nowhere"),
            (Strings{"host=localhost", "sslmode=verify-full", "sslrootcert=/nowhere"}));
  EXPECT_EQ(Read("sslmode=require sslrootcert=/nowhere"),
            (Strings{"host=localhost", "sslmode=require"}));
}

TEST(PgSettings, OtherKeysAreParametersOfTheServer) {
  EXPECT_EQ(Read("postgres:///d?search_path=a%20b%2Cc&options=-c%20x%3D1&binary_parameters=yes"),
            (Strings{"dbname=d", "host=localhost", "options=-c x=1 -c search_path=a\\ b,c",
                     "sslmode=require"}));
}

TEST(PgSettings, TheEnvironmentFillsIn) {
  EXPECT_EQ(Read("port=2", {"PGHOST=h", "PGPORT=1", "PGAPPNAME=n", "PGTZ=UTC", "PATH=/"}),
            (Strings{"application_name=n", "host=h", "port=2", "sslmode=require"}));
  EXPECT_EQ(Read("", {"PGSERVICE=s"}),
            Strings{"pq: environment variable $PGSERVICE is not supported"});
}

TEST(PgSettings, SeveralHosts) {
  EXPECT_EQ(Read("host=a,,c port=1,2,3"),
            (Strings{"host=a,localhost,c", "port=1,2,3", "sslmode=require"}));
  EXPECT_EQ(Read("host=a,b port=1,2,3"), Strings{"pq: could not match 3 port numbers to 2 hosts"});
  EXPECT_EQ(Read("host=a,b hostaddr=::1"),
            Strings{"pq: could not match 2 host names to 1 hostaddr values"});
}

TEST(PgSettings, BadTextsAreReported) {
  const std::pair<const char*, const char*> cases[] = {
      {"nope", "missing \"=\" after \"nope\" in connection info string\""},
      {"a b=c", "missing \"=\" after \"a\" in connection info string\""},
      {"a='b", "unterminated quoted string literal in connection string"},
      {"a=b\\", "missing character after backslash"},
      {"port=x", "pq: wrong value for \"port\": strconv.ParseUint: parsing \"x\": invalid syntax"},
      {"port=65536",
       "pq: wrong value for \"port\": strconv.ParseUint: parsing \"65536\": value out of range"},
      {"hostaddr=x", "pq: wrong value for \"hostaddr\": ParseAddr(\"x\"): unable to parse IP"},
      {"connect_timeout=1s",
       "pq: wrong value for \"connect_timeout\": strconv.ParseInt: parsing \"1s\": invalid syntax"},
      {"sslsni=maybe",
       "pq: wrong value for \"sslsni\": strconv.ParseBool: parsing \"maybe\": invalid syntax"},
      {"client_encoding=latin1",
       "pq: unsupported client_encoding \"latin1\": must be absent or \"UTF8\""},
      {"datestyle=ISO", "pq: unsupported datestyle \"ISO\": must be absent or \"ISO, MDY\""},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(Read(text), Strings{message}) << text;
  }
}

}  // namespace
}  // namespace kinu::backend
