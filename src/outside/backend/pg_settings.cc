#include "backend/pg_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <random>

#include <arpa/inet.h>
#include <unistd.h>

#include "base/environment.h"
#include "net/authority_file.h"
#include "net/url.h"
#include "text/parse_bool.h"
#include "text/quote.h"

namespace kinu::backend {
namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

/// What a value must be.
enum class Form : uint8_t { kText, kPorts, kAddresses, kSeconds, kFlag, kChoice };
/// What becomes of a keyword.
enum class Use : uint8_t { kPass, kIgnore, kRead };

/// A keyword of the driver, in the order in which it judges them.
struct Keyword {
  std::string_view name;
  std::string_view variable;  ///< of the environment; empty: none
  Form form = Form::kText;
  Use use = Use::kPass;  ///< kRead: the Finisher decides
  std::span<const std::string_view> choices = {};
};

constexpr std::string_view kSslModes[] = {"disable", "require", "verify-full", "verify-ca"};
constexpr std::string_view kNegotiations[] = {"postgres", "direct"};
constexpr std::string_view kSessions[] = {"any",     "read-write", "read-only",
                                          "primary", "standby",    "prefer-standby"};
constexpr std::string_view kBalances[] = {"disable", "random"};

constexpr Keyword kKeywords[] = {
    {"host", "PGHOST", Form::kText, Use::kRead},
    {"hostaddr", "PGHOSTADDR", Form::kAddresses, Use::kRead},
    {"port", "PGPORT", Form::kPorts, Use::kRead},
    {"dbname", "PGDATABASE"},
    {"user", "PGUSER", Form::kText, Use::kRead},
    {"password", "PGPASSWORD"},
    {"passfile", "PGPASSFILE"},
    {"options", "PGOPTIONS", Form::kText, Use::kRead},
    {"application_name", "PGAPPNAME"},
    {"fallback_application_name", ""},
    {"sslmode", "PGSSLMODE", Form::kChoice, Use::kRead, kSslModes},
    {"sslnegotiation", "PGSSLNEGOTIATION", Form::kChoice, Use::kRead, kNegotiations},
    {"sslcert", "PGSSLCERT"},
    {"sslkey", "PGSSLKEY"},
    {"sslrootcert", "PGSSLROOTCERT", Form::kText, Use::kRead},
    {"sslsni", "PGSSLSNI", Form::kFlag},
    {"sslinline", "", Form::kFlag, Use::kRead},
    {"krbsrvname", "PGKRBSRVNAME"},
    {"krbspn", "", Form::kText, Use::kIgnore},
    {"connect_timeout", "PGCONNECT_TIMEOUT", Form::kSeconds},
    {"binary_parameters", "", Form::kFlag, Use::kIgnore},
    {"disable_prepared_binary_result", "", Form::kFlag, Use::kIgnore},
    {"client_encoding", "PGCLIENTENCODING", Form::kText, Use::kRead},
    {"datestyle", "PGDATESTYLE", Form::kText, Use::kRead},
    {"tz", "PGTZ", Form::kText, Use::kIgnore},
    {"geqo", "PGGEQO", Form::kText, Use::kIgnore},
    {"target_session_attrs", "PGTARGETSESSIONATTRS", Form::kChoice, Use::kPass, kSessions},
    {"load_balance_hosts", "PGLOADBALANCEHOSTS", Form::kChoice, Use::kRead, kBalances},
};

/// Variables that libpq knows and the driver of the reference refuses.
constexpr std::string_view kRefusedVariables[] = {"PGREQUIREAUTH",
                                                  "PGCHANNELBINDING",
                                                  "PGSERVICE",
                                                  "PGSERVICEFILE",
                                                  "PGREALM",
                                                  "PGSSLCERTMODE",
                                                  "PGREQUIRESSL",
                                                  "PGSSLCOMPRESSION",
                                                  "PGSSLCRL",
                                                  "PGREQUIREPEER",
                                                  "PGSYSCONFDIR",
                                                  "PGLOCALEDIR",
                                                  "PGSSLCRLDIR",
                                                  "PGGSSENCMODE",
                                                  "PGGSSDELEGATION",
                                                  "PGGSSLIB",
                                                  "PGSSLMINPROTOCOLVERSION",
                                                  "PGSSLMAXPROTOCOLVERSION",
                                                  "PGMINPROTOCOLVERSION",
                                                  "PGMAXPROTOCOLVERSION"};

std::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalid, std::move(message));
}

bool IsSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Reads "key=value" pairs, whose values may stand in single quotes.
class PairReader {
 public:
  explicit PairReader(std::string_view text) : text_(text) {}

  Result<Texts> Run() {
    Texts out;
    while (SkipSpaces()) {
      const std::string key = Key();
      if (!SkipSpaces() || text_[at_] != '=') {
        return Invalid("missing \"=\" after " + text::GoQuote(key) +
                       " in connection info string\"");
      }
      ++at_;
      if (!SkipSpaces()) {
        out[key] = "";
        break;
      }
      KINU_TRY(out[key], text_[at_] == '\'' ? Quoted() : Plain());
    }
    return out;
  }

 private:
  bool SkipSpaces() {
    while (at_ < text_.size() && IsSpace(text_[at_])) {
      ++at_;
    }
    return at_ < text_.size();
  }

  std::string Key() {
    const size_t begin = at_;
    while (at_ < text_.size() && !IsSpace(text_[at_]) && text_[at_] != '=') {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<std::string> Plain() {
    std::string out;
    for (; at_ < text_.size() && !IsSpace(text_[at_]); ++at_) {
      at_ += text_[at_] == '\\' ? 1 : 0;
      if (at_ == text_.size()) {
        return Invalid("missing character after backslash");
      }
      out += text_[at_];
    }
    return out;
  }

  Result<std::string> Quoted() {
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\'') {
        ++at_;
        return out;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
      }
      out += text_[at_];
    }
    return Invalid("unterminated quoted string literal in connection string");
  }

  std::string_view text_;
  size_t at_ = 0;
};

/// The pairs of a URL. Of a key that is there twice, the value that sorts last counts.
Result<Texts> ReadUrl(std::string_view text) {
  KINU_TRY(const net::Url url, net::Url::Parse(text));
  Texts out;
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) {
      std::string& place = out[std::string(key)];
      place = std::max(place, value);
    }
  };
  const size_t colon = url.user.find(':');
  add("user", net::PercentDecode(url.user.substr(0, colon)));
  if (colon != std::string::npos) {
    add("password", net::PercentDecode(url.user.substr(colon + 1)));
  }
  const std::string host = url.HostName();
  add("host", host.starts_with('[') ? host.substr(1, host.size() - 2) : host);
  if (const size_t port = url.host.rfind(':');
      port != std::string::npos && !url.host.ends_with(']')) {
    add("port", url.host.substr(port + 1));
  }
  add("dbname", url.path.empty() ? "" : net::PercentDecode(url.path.substr(1)));
  Texts seen;
  for (const auto& [key, value] : net::ParseQuery(url.query)) {
    if (seen.emplace(key, value).second) {
      add(key, value);
    }
  }
  return out;
}

std::vector<std::string> Split(std::string_view list) {
  std::vector<std::string> out{""};
  for (const char c : list) {
    if (c == ',') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

std::string Joined(const std::vector<std::string>& list) {
  std::string out;
  for (size_t i = 0; i < list.size(); ++i) {
    out += (i == 0 ? "" : ",") + list[i];
  }
  return out;
}

/// What is wrong with a number; nothing if it fits.
template <typename T>
std::optional<std::string> NumberProblem(std::string_view function, std::string_view text) {
  T value{};
  const bool plus = text.starts_with('+') && std::is_signed_v<T>;
  const std::string_view digits = plus ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) {
    return std::nullopt;
  }
  const bool whole =
      error == std::errc::result_out_of_range && end == digits.data() + digits.size();
  return "strconv." + std::string(function) + ": parsing " + text::GoQuote(text) +
         (whole ? ": value out of range" : ": invalid syntax");
}

bool IsAddress(std::string text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  if (::inet_pton(AF_INET, text.c_str(), address.data()) == 1) {
    return true;
  }
  text.resize(std::min(text.find('%'), text.size()));
  return ::inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

std::optional<bool> FlagOf(std::string_view text) {
  if (text == "yes" || text == "on") {
    return true;
  }
  return text == "no" || text == "off" ? std::optional(false) : text::ParseBool(text);
}

std::optional<std::string> PortsProblem(std::string_view text) {
  std::vector<std::string> ports = Split(text);
  // The first one is judged last, and only the others may be empty.
  std::ranges::rotate(ports, ports.begin() + 1);
  for (size_t i = 0; i < ports.size(); ++i) {
    if (i + 1 < ports.size() && ports[i].empty()) {
      continue;
    }
    if (auto problem = NumberProblem<uint16_t>("ParseUint", ports[i])) {
      return problem;
    }
  }
  return std::nullopt;
}

std::optional<std::string> AddressesProblem(std::string_view text) {
  const std::vector<std::string> addresses = Split(text);
  for (size_t i = 0; i < addresses.size(); ++i) {
    if ((i == 0 || !addresses[i].empty()) && !IsAddress(addresses[i])) {
      return "ParseAddr(" + text::GoQuote(addresses[i]) + "): unable to parse IP";
    }
  }
  return std::nullopt;
}

std::optional<std::string> ChoiceProblem(const Keyword& keyword, std::string_view text) {
  if (std::ranges::find(keyword.choices, text) != keyword.choices.end()) {
    return std::nullopt;
  }
  std::string out = text::GoQuote(text) + " is not supported; supported values are ";
  for (size_t i = 0; i < keyword.choices.size(); ++i) {
    out += (i == 0 ? "" : ", ");
    out += (i + 1 == keyword.choices.size() ? "or " : "");
    out += keyword.choices[i];
  }
  return out;
}

std::optional<std::string> ProblemOf(const Keyword& keyword, std::string_view text) {
  switch (keyword.form) {
    case Form::kText:
      return std::nullopt;
    case Form::kPorts:
      return PortsProblem(text);
    case Form::kAddresses:
      return AddressesProblem(text);
    case Form::kSeconds:
      return NumberProblem<int64_t>("ParseInt", text);
    case Form::kFlag:
      return FlagOf(text) ? std::nullopt
                          : std::optional("strconv.ParseBool: parsing " + text::GoQuote(text) +
                                          ": invalid syntax");
    case Form::kChoice:
      return ChoiceProblem(keyword, text);
  }
  return std::nullopt;
}

/// The keywords that the environment sets.
Result<Texts> FromEnvironment(std::span<const std::string> environment) {
  Texts variables;
  for (const std::string& entry : environment) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      continue;
    }
    const std::string name = entry.substr(0, equals);
    if (std::ranges::find(kRefusedVariables, name) != std::end(kRefusedVariables)) {
      return Invalid("pq: environment variable $" + name + " is not supported");
    }
    if (name == "PGKRBSRVNAME") {
      return Invalid("pq: environment variable $" + name +
                     " is not supported as Kerberos is not enabled");
    }
    variables[name] = entry.substr(equals + 1);
  }
  Texts out;
  for (const Keyword& keyword : kKeywords) {
    const auto found = variables.find(keyword.variable);
    if (keyword.variable.empty() || found == variables.end()) {
      continue;
    }
    if (const auto problem = ProblemOf(keyword, found->second)) {
      return Invalid("pq: wrong value for $" + found->first + ": " + *problem);
    }
    out[std::string(keyword.name)] = found->second;
  }
  return out;
}

/// Moves the keywords among the pairs into `known`. What is left are parameters of the server.
Result<void> TakeKeywords(Texts& pairs, Texts& known) {
  for (const Keyword& keyword : kKeywords) {
    const auto found = pairs.find(keyword.name);
    if (found == pairs.end()) {
      continue;
    }
    if (const auto problem = ProblemOf(keyword, found->second)) {
      return Invalid("pq: wrong value for " + text::GoQuote(keyword.name) + ": " + *problem);
    }
    known[found->first] = found->second;
    pairs.erase(found);
  }
  if (const auto database = pairs.find("database"); database != pairs.end()) {
    known["dbname"] = database->second;
    pairs.erase(database);
  }
  return {};
}

/// A parameter of the server as an option of its command line.
std::string AsOption(std::string_view name, std::string_view value) {
  std::string out = "-c ";
  for (const char c : std::string(name) + '=' + std::string(value)) {
    if (IsSpace(c) || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

/// The settings of libpq from those of the driver.
class Finisher {
 public:
  Finisher(Texts known, const Texts& parameters)
      : known_(std::move(known)), parameters_(parameters) {}

  Result<PgSettings> Run() {
    for (const Keyword& keyword : kKeywords) {
      if (const std::string* value = Find(keyword.name); value != nullptr) {
        if (keyword.use == Use::kPass) {
          Add(keyword.name, *value);
        }
      }
    }
    for (const auto step : {&Finisher::AddHosts, &Finisher::CheckTexts, &Finisher::AddEncryption}) {
      if (Result<void> done = (this->*step)(); !done) {
        return std::unexpected(std::move(done).error());
      }
    }
    AddUser();
    AddOptions();
    return std::move(out_);
  }

 private:
  const std::string* Find(std::string_view name) const {
    const auto found = known_.find(name);
    return found == known_.end() ? nullptr : &found->second;
  }
  std::string TextOf(std::string_view name) const {
    const std::string* value = Find(name);
    return value == nullptr ? "" : *value;
  }
  void Add(std::string_view name, std::string value) { out_.emplace_back(name, std::move(value)); }

  Result<void> AddHosts() {
    std::vector<std::string> hosts = Split(TextOf("host"));
    std::vector<std::string> addresses = Split(TextOf("hostaddr"));
    std::vector<std::string> ports = Split(TextOf("port"));
    const bool by_address = Find("hostaddr") != nullptr;
    if (by_address && !TextOf("host").empty() && hosts.size() != addresses.size()) {
      return Invalid("pq: could not match " + std::to_string(hosts.size()) + " host names to " +
                     std::to_string(addresses.size()) + " hostaddr values");
    }
    const size_t count = std::max(hosts.size(), addresses.size());
    if (count > 1 && ports.size() > 1 && ports.size() != count) {
      return Invalid("pq: could not match " + std::to_string(ports.size()) + " port numbers to " +
                     std::to_string(count) + " hosts");
    }
    std::ranges::replace(hosts, "", "localhost");
    if (TextOf("load_balance_hosts") == "random") {
      std::mt19937 random{std::random_device{}()};
      for (size_t i = count; i > 1; --i) {
        const size_t j = std::uniform_int_distribution<size_t>(0, i - 1)(random);
        for (std::vector<std::string>* list : {&hosts, &addresses, &ports}) {
          if (list->size() == count) {
            std::swap((*list)[i - 1], (*list)[j]);
          }
        }
      }
    }
    is_local_ = !by_address && (hosts[0].starts_with('/') || hosts[0].starts_with('@'));
    if (!by_address || Find("host") != nullptr) {
      Add("host", Joined(hosts));
    }
    if (by_address) {
      Add("hostaddr", Joined(addresses));
    }
    if (Find("port") != nullptr) {
      Add("port", Joined(ports));
    }
    return {};
  }

  /// The encoding and the form of dates: the driver has only one of each.
  Result<void> CheckTexts() {
    if (const std::string* encoding = Find("client_encoding")) {
      std::string letters;
      for (const char c : *encoding) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        letters += (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')
                       ? std::string(1, lower)
                       : "";
      }
      if (letters != "utf8" && letters != "unicode") {
        return Invalid("pq: unsupported client_encoding " + text::GoQuote(*encoding) +
                       ": must be absent or \"UTF8\"");
      }
    }
    if (const std::string* style = Find("datestyle"); style != nullptr && *style != "ISO, MDY") {
      return Invalid("pq: unsupported datestyle " + text::GoQuote(*style) +
                     ": must be absent or \"ISO, MDY\"");
    }
    Add("client_encoding", "UTF8");
    return {};
  }

  Result<void> AddEncryption() {
    if (FlagOf(TextOf("sslinline")).value_or(false)) {
      return Invalid("pq: sslinline is not supported: sslcert, sslkey and sslrootcert name files");
    }
    if (TextOf("sslnegotiation") == "direct") {
      return Invalid("pq: sslnegotiation=direct is not supported");
    }
    const std::string chosen = TextOf("sslmode");
    const std::string usual = chosen.empty() ? "require" : chosen;
    const std::string mode = is_local_ ? "disable" : usual;
    Add("sslmode", mode);
    std::string authorities = TextOf("sslrootcert");
    const bool verifies = mode.starts_with("verify-");
    if (authorities.empty() && verifies) {
      authorities = net::SystemAuthorityFile();
    }
    // Encryption alone checks the server only with a file that exists.
    if (!authorities.empty() && (verifies || ::access(authorities.c_str(), F_OK) == 0)) {
      Add("sslrootcert", authorities);
    }
    return {};
  }

  /// Without a user it is $USER, then the account of the process.
  void AddUser() {
    const std::string* user = Find("user");
    if (user != nullptr || !user_variable_.empty()) {
      Add("user", user != nullptr ? *user : std::string(user_variable_));
    }
  }

  void AddOptions() {
    std::string options = TextOf("options");
    for (const auto& [name, value] : parameters_) {
      options += (options.empty() ? "" : " ") + AsOption(name, value);
    }
    if (!options.empty()) {
      Add("options", std::move(options));
    }
  }

  Texts known_;
  const Texts& parameters_;
  std::string_view user_variable_ = Environment("USER");
  bool is_local_ = false;
  PgSettings out_;
};

}  // namespace

Result<PgSettings> ReadPgSettings(std::string_view connection,
                                  std::span<const std::string> environment) {
  KINU_TRY(Texts known, FromEnvironment(environment));
  const bool is_url =
      connection.starts_with("postgres://") || connection.starts_with("postgresql://");
  KINU_TRY(Texts pairs, is_url ? ReadUrl(connection) : PairReader(connection).Run());
  if (Result<void> taken = TakeKeywords(pairs, known); !taken) {
    return std::unexpected(std::move(taken).error());
  }
  return Finisher(std::move(known), pairs).Run();
}

}  // namespace kinu::backend
