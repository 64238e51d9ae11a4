#include "addrs/version.h"

#include <algorithm>
#include <charconv>

namespace kinu {
namespace {

using Operator = VersionConstraints::Operator;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
/// Characters of the dotted parts behind the numbers, by the lenient grammar.
bool IsExtra(char c) {
  return IsDigit(c) || IsLetter(c) || c == '-' || c == '~';
}

std::string_view TrimSpace(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && IsSpace(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

bool ReadNumber(std::string_view digits, int64_t* out) {
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *out);
  return error == std::errc() && end == digits.data() + digits.size();
}

/// Length of `part(.part)*` at the start of `text`, each part at least one IsExtra character.
size_t DottedLength(std::string_view text) {
  size_t at = 0;
  size_t good = 0;
  while (at < text.size() && IsExtra(text[at])) {
    while (at < text.size() && IsExtra(text[at])) {
      ++at;
    }
    good = at;
    if (at < text.size() && text[at] == '.') {
      ++at;
    }
  }
  return good;
}

std::strong_ordering CompareIdentifiers(std::string_view a, std::string_view b) {
  bool a_number = std::all_of(a.begin(), a.end(), IsDigit);
  bool b_number = std::all_of(b.begin(), b.end(), IsDigit);
  if (a_number != b_number) {
    return a_number ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (a_number) {
    auto strip = [](std::string_view text) {
      size_t zeros = std::min(text.find_first_not_of('0'), text.size());
      return text.substr(zeros);
    };
    a = strip(a);
    b = strip(b);
    if (a.size() != b.size()) {
      return a.size() <=> b.size();
    }
  }
  return a <=> b;
}

std::strong_ordering ComparePrerelease(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) {
    return a.empty() <=> b.empty();
  }
  while (true) {
    size_t a_dot = a.find('.');
    size_t b_dot = b.find('.');
    auto order = CompareIdentifiers(a.substr(0, a_dot), b.substr(0, b_dot));
    if (order != 0) {
      return order;
    }
    if (a_dot == a.npos || b_dot == b.npos) {
      return (a_dot != a.npos) <=> (b_dot != b.npos);
    }
    a.remove_prefix(a_dot + 1);
    b.remove_prefix(b_dot + 1);
  }
}

int64_t NumberAt(const Version& version, size_t i) {
  return i < version.numbers().size() ? version.numbers()[i] : 0;
}

std::strong_ordering CompareNumbers(const Version& a, const Version& b) {
  size_t count = std::max(a.numbers().size(), b.numbers().size());
  for (size_t i = 0; i < count; ++i) {
    if (auto order = NumberAt(a, i) <=> NumberAt(b, i); order != 0) {
      return order;
    }
  }
  return std::strong_ordering::equal;
}

/// What is said of an operator whose two characters are swapped.
std::string_view SwappedHint(std::string_view symbol) {
  if (symbol == "=<") {
    return "; did you mean \"<=\"?";
  }
  return symbol == "=>" ? "; did you mean \">=\"?" : "";
}

struct OperatorText {
  std::string_view text;
  Operator op;
};
constexpr OperatorText kOperators[] = {
    {"<=", Operator::kLessEqual}, {">=", Operator::kGreaterEqual},
    {"!=", Operator::kNotEqual},  {"~>", Operator::kPessimisticMinor},
    {"<", Operator::kLess},       {">", Operator::kGreater},
    {"=", Operator::kEqual},
};

std::string_view TextOf(Operator op) {
  switch (op) {
    case Operator::kGreater:
      return "> ";
    case Operator::kGreaterEqual:
      return ">= ";
    case Operator::kEqual:
      return "";
    case Operator::kPessimisticPatch:
    case Operator::kPessimisticMinor:
      return "~> ";
    case Operator::kLessEqual:
      return "<= ";
    case Operator::kLess:
      return "< ";
    case Operator::kNotEqual:
      return "!= ";
  }
  return "";
}

bool IsPessimistic(Operator op) {
  return op == Operator::kPessimisticPatch || op == Operator::kPessimisticMinor;
}

std::string InQuotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + '"';
}

/// Pre-releases by the rules of configuration: only where the condition names the same numbers.
bool PrereleaseFits(const Version& version, const Version& boundary) {
  if (version.prerelease().empty()) {
    return true;
  }
  return !boundary.prerelease().empty() && CompareNumbers(version, boundary) == 0;
}

bool MeetsInConfiguration(const VersionConstraints::Term& term, const Version& version) {
  const Version& boundary = term.version;
  auto order = Version::Compare(version, boundary);
  switch (term.op) {
    case Operator::kEqual:
      return order == 0;
    case Operator::kNotEqual:
      return order != 0;
    case Operator::kGreater:
      return PrereleaseFits(version, boundary) && order > 0;
    case Operator::kGreaterEqual:
      return PrereleaseFits(version, boundary) && order >= 0;
    case Operator::kLess:
      return PrereleaseFits(version, boundary) && order < 0;
    case Operator::kLessEqual:
      return PrereleaseFits(version, boundary) && order <= 0;
    case Operator::kPessimisticPatch:
    case Operator::kPessimisticMinor:
      break;
  }
  if (!PrereleaseFits(version, boundary) ||
      (!boundary.prerelease().empty() && version.prerelease().empty()) || order < 0 ||
      boundary.numbers().size() > version.numbers().size()) {
    return false;
  }
  for (size_t i = 0; i + 1 < boundary.written_numbers(); ++i) {
    if (version.numbers()[i] != boundary.numbers()[i]) {
      return false;
    }
  }
  size_t last = boundary.numbers().size() - 1;
  return boundary.numbers()[last] <= version.numbers()[last];
}

bool MeetsForProviders(const VersionConstraints::Term& term, const Version& version) {
  const Version& boundary = term.version;
  auto order = Version::Compare(version, boundary);
  switch (term.op) {
    case Operator::kEqual:
      return order == 0 && version.metadata() == boundary.metadata();
    case Operator::kNotEqual:
      return order != 0 || version.metadata() != boundary.metadata();
    case Operator::kGreater:
      return order > 0;
    case Operator::kGreaterEqual:
      return order >= 0;
    case Operator::kLess:
      return order < 0;
    case Operator::kLessEqual:
      return order <= 0;
    case Operator::kPessimisticMinor:
      return order >= 0 && version.numbers()[0] == boundary.numbers()[0];
    case Operator::kPessimisticPatch:
      return order >= 0 && version.numbers()[0] == boundary.numbers()[0] &&
             version.numbers()[1] == boundary.numbers()[1];
  }
  return false;
}

}  // namespace

Result<Version> Version::Parse(std::string_view text) {
  auto malformed = [&] {
    return Fail(ErrorCode::kInvalid, "malformed version: " + std::string(text));
  };
  std::string_view rest = text;
  if (rest.starts_with('v')) {
    rest.remove_prefix(1);
  }
  Version version;
  version.numbers_.clear();
  while (true) {
    size_t length = 0;
    while (length < rest.size() && IsDigit(rest[length])) {
      ++length;
    }
    if (length == 0) {
      return malformed();
    }
    int64_t number = 0;
    if (!ReadNumber(rest.substr(0, length), &number)) {
      return Fail(ErrorCode::kUnsupported, "error parsing version: strconv.ParseInt: parsing " +
                                               InQuotes(rest.substr(0, length)) +
                                               ": value out of range");
    }
    version.numbers_.push_back(number);
    rest.remove_prefix(length);
    if (rest.size() > 1 && rest[0] == '.' && IsDigit(rest[1])) {
      rest.remove_prefix(1);
      continue;
    }
    break;
  }
  version.written_ = version.numbers_.size();
  if (version.numbers_.size() < 3) {
    version.numbers_.resize(3, 0);
  }
  // A pre-release follows a dash, or begins directly with a letter.
  if (!rest.empty() && rest[0] != '+') {
    if (rest[0] == '-') {
      rest.remove_prefix(1);
    } else if (!IsLetter(rest[0]) && rest[0] != '~') {
      return malformed();
    }
    size_t length = DottedLength(rest);
    if (length == 0) {
      return malformed();
    }
    version.prerelease_ = rest.substr(0, length);
    rest.remove_prefix(length);
  }
  if (rest.starts_with('+')) {
    rest.remove_prefix(1);
    size_t length = DottedLength(rest);
    if (length == 0) {
      return malformed();
    }
    version.metadata_ = rest.substr(0, length);
    rest.remove_prefix(length);
  }
  if (!rest.empty()) {
    return malformed();
  }
  return version;
}

Result<Version> Version::ParseExact(std::string_view text) {
  constexpr size_t kNumbers = 3;
  auto version = Parse(text);
  std::string full(text);
  for (size_t i = version ? version->written_ : kNumbers; i < kNumbers; ++i) {
    full.insert(std::min(full.find_first_of("-+"), full.size()), ".0");
  }
  if (!version || text.starts_with('v') || version->written_ > kNumbers ||
      version->ToText() != full) {
    return Fail(ErrorCode::kInvalid, "invalid version " + InQuotes(text) +
                                         ": up to three numbers separated by dots are needed");
  }
  return version;
}

std::string Version::ToText() const {
  std::string out;
  for (int64_t number : numbers_) {
    if (!out.empty()) {
      out += '.';
    }
    out += std::to_string(number);
  }
  if (!prerelease_.empty()) {
    out += '-' + prerelease_;
  }
  if (!metadata_.empty()) {
    out += '+' + metadata_;
  }
  return out;
}

std::strong_ordering Version::Compare(const Version& a, const Version& b) {
  if (auto order = CompareNumbers(a, b); order != 0) {
    return order;
  }
  return ComparePrerelease(a.prerelease_, b.prerelease_);
}

Result<VersionConstraints> VersionConstraints::Parse(std::string_view text) {
  VersionConstraints constraints;
  while (true) {
    size_t comma = text.find(',');
    std::string_view single = text.substr(0, comma);
    std::string_view rest = TrimSpace(single);
    Term term{.op = Operator::kEqual, .version = {}, .text = std::string(single)};
    for (const OperatorText& candidate : kOperators) {
      if (rest.starts_with(candidate.text)) {
        term.op = candidate.op;
        rest = TrimSpace(rest.substr(candidate.text.size()));
        break;
      }
    }
    auto version = Version::Parse(rest);
    if (!version) {
      if (version.error().code == ErrorCode::kInvalid) {
        return Fail(ErrorCode::kInvalid, "malformed constraint: " + std::string(single));
      }
      return std::unexpected(version.error());
    }
    term.version = *std::move(version);
    if (IsPessimistic(term.op) && term.version.written_ >= 3) {
      term.op = Operator::kPessimisticPatch;
    }
    constraints.terms_.push_back(std::move(term));
    if (comma == text.npos) {
      return constraints;
    }
    text.remove_prefix(comma + 1);
  }
}

Result<VersionConstraints> VersionConstraints::ParseForProviders(std::string_view text) {
  VersionConstraints constraints;
  std::string_view rest = TrimSpace(text);
  while (!rest.empty()) {
    size_t comma = rest.find(',');
    std::string_view single = TrimSpace(rest.substr(0, comma));
    auto invalid = [&](const std::string& why) {
      return Fail(ErrorCode::kInvalid, "invalid specification " + InQuotes(single) + ": " + why);
    };
    std::string_view version = single;
    size_t operator_length = 0;
    while (operator_length < version.size() && !IsDigit(version[operator_length]) &&
           !IsLetter(version[operator_length]) && !IsSpace(version[operator_length]) &&
           version[operator_length] != '.' && version[operator_length] != '*') {
      ++operator_length;
    }
    std::string_view symbol = version.substr(0, operator_length);
    version.remove_prefix(operator_length);
    Term term{.op = Operator::kEqual, .version = {}, .text = std::string(single)};
    bool known = symbol.empty();
    for (const OperatorText& candidate : kOperators) {
      if (symbol == candidate.text) {
        term.op = candidate.op;
        known = true;
      }
    }
    if (!known) {
      return invalid("invalid constraint operator " + InQuotes(symbol) +
                     std::string(SwappedHint(symbol)));
    }
    if (version.starts_with(' ')) {
      version.remove_prefix(1);
    }
    if (!version.empty() && IsSpace(version[0])) {
      return invalid("only one space is expected after the operator " + InQuotes(symbol));
    }
    if (version.starts_with('v')) {
      return invalid("a \"v\" prefix should not be used when specifying versions");
    }
    auto parsed = Version::Parse(version);
    if (!parsed) {
      return invalid("invalid version " + InQuotes(version));
    }
    term.version = *std::move(parsed);
    if (term.version.written_ > 3) {
      return invalid("too many numbered portions; only three are allowed (major, minor, patch)");
    }
    if (IsPessimistic(term.op) && term.version.written_ == 3) {
      term.op = Operator::kPessimisticPatch;
    }
    constraints.terms_.push_back(std::move(term));
    if (comma == rest.npos) {
      break;
    }
    rest = TrimSpace(rest.substr(comma + 1));
  }
  return constraints;
}

bool VersionConstraints::Allows(const Version& version) const {
  return std::all_of(terms_.begin(), terms_.end(),
                     [&](const Term& term) { return MeetsInConfiguration(term, version); });
}

bool VersionConstraints::AllowsProvider(const Version& version) const {
  if (version.ToText() == "0.0.0") {
    return false;  // stands for no version
  }
  bool asked_for = version.prerelease().empty();
  for (const Term& term : terms_) {
    if (!MeetsForProviders(term, version)) {
      return false;
    }
    asked_for = asked_for || term.op == Operator::kEqual;  // it met the term, so it is this version
  }
  return asked_for;
}

std::string VersionConstraints::ToCanonicalText() const {
  std::vector<const Term*> order;
  for (const Term& term : terms_) {
    order.push_back(&term);
  }
  auto compare = [](const Term& a, const Term& b) {
    if (auto o = Version::Compare(a.version, b.version); o != 0) {
      return o;
    }
    if (auto o = a.version.metadata_ <=> b.version.metadata_; o != 0) {
      return o;
    }
    return static_cast<int>(a.op) <=> static_cast<int>(b.op);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Term* a, const Term* b) { return compare(*a, *b) < 0; });
  std::string out;
  const Term* previous = nullptr;
  for (const Term* term : order) {
    if (previous != nullptr && compare(*previous, *term) == 0) {
      continue;
    }
    if (previous != nullptr) {
      out += ", ";
    }
    previous = term;
    out += TextOf(term->op);
    size_t count = term->op == Operator::kPessimisticMinor ? 2 : 3;
    for (size_t i = 0; i < count; ++i) {
      out += i == 0 ? "" : ".";
      out += std::to_string(term->version.numbers_[i]);
    }
    if (!term->version.prerelease_.empty()) {
      out += '-' + term->version.prerelease_;
    }
    if (!term->version.metadata_.empty()) {
      out += '+' + term->version.metadata_;
    }
  }
  return out;
}

void VersionConstraints::Append(const VersionConstraints& more) {
  terms_.insert(terms_.end(), more.terms_.begin(), more.terms_.end());
}

}  // namespace kinu
