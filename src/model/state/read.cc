// Reads the header, outputs and check results of a state file, and reports its errors.
#include <algorithm>
#include <charconv>
#include <utility>

#include "addrs/version.h"
#include "compatibility/features.h"
#include "cty/json.h"
#include "json/syntax_problem.h"
#include "state/reader.h"
#include "state/upgrade.h"
#include "text/ascii_case.h"
#include "text/quote.h"

namespace kinu::state {
namespace {

std::string_view KindName(char first) {
  switch (first) {
    case '{':
      return "object";
    case '[':
      return "array";
    case '"':
      return "string";
    case 't':
    case 'f':
      return "bool";
    default:
      return "number";
  }
}

/// What the reference says of a text that is no JSON; of what only this reader refuses, where.
std::string SyntaxProblem(std::string_view text, size_t offset) {
  std::string problem = json::SyntaxProblem(text);
  return problem.empty() ? "it cannot be read from byte " + std::to_string(offset) + " on"
                         : problem;
}

std::string JoinProblems(const std::vector<std::string>& problems) {
  if (problems.size() == 1) {
    return problems[0];
  }
  std::string all = std::to_string(problems.size()) + " problems:\n";
  for (const std::string& problem : problems) {
    all += "\n- " + problem;
  }
  return all;
}

}  // namespace

std::vector<StateProblem> ProblemsOf(const Error& error) {
  constexpr std::string_view kItem = "\n- ";
  std::vector<StateProblem> out;
  std::string_view rest = error.message;
  const size_t first = rest.find(" problems:\n\n- ");
  const bool several =
      first != std::string_view::npos &&
      rest.substr(0, first).find_first_not_of("0123456789") == std::string_view::npos;
  if (several) {
    rest.remove_prefix(rest.find(kItem) + kItem.size());
  }
  for (bool more = true; more;) {
    const size_t end = several ? rest.find(kItem) : std::string_view::npos;
    const std::string_view problem = rest.substr(0, end);
    const size_t colon = problem.find(": ");
    out.push_back({std::string(problem.substr(0, colon)),
                   std::string(colon == std::string_view::npos ? "" : problem.substr(colon + 2))});
    more = end != std::string_view::npos;
    rest.remove_prefix(more ? end + kItem.size() : rest.size());
  }
  return out;
}

std::vector<StateProblem> ReadProblemsOf(const Error& error) {
  if (error.code == ErrorCode::kUnsupported) {
    return ProblemsOf(error);
  }
  return {{error.message, ""}};
}

std::string QuotedText(std::string_view text) {
  std::string out;
  JsonWriter::AppendQuoted(out, text, JsonEscape::kPlain);
  return out;
}

StateReader::StateReader(std::shared_ptr<Program> program, std::shared_ptr<const std::string> text,
                         Way way)
    : in_(way == Way::kScanned ? Cursor(Cursor::Scanned{*text}) : Cursor(*text)) {
  state_.program = std::move(program);
  state_.buffer = std::move(text);
}

StateReader::StateReader(std::shared_ptr<Program> program, std::shared_ptr<json::MappedFile> file,
                         const StatePart& part)
    : part_(part), in_(*file) {
  state_.program = std::move(program);
  state_.mapped = std::move(file);
  if (part_.one != nullptr) {
    wanted_type_ = state_.program->Text(part_.one->resource.type);
    wanted_name_ = state_.program->Text(part_.one->resource.name);
  }
}

std::string_view StateReader::Text(std::string_view body) {
  bool plain = std::all_of(body.begin(), body.end(),
                           [](char c) { return c != '\\' && static_cast<uint8_t>(c) < 0x80; });
  if (plain) {
    return body;
  }
  decoded_.push_back(DecodeStringBody(body));
  return decoded_.back();
}

void StateReader::TypeError(std::string_view field, std::string_view raw) {
  if (!type_error_.empty() || raw.empty()) {
    return;
  }
  type_error_ = std::string(kInvalidFormat) + ": The state file field \"" + std::string(field) +
                "\" has invalid value " + std::string(KindName(raw[0]));
  if (KindName(raw[0]) == "number") {
    type_error_ += " " + std::string(raw.substr(0, 40));
  }
}

void StateReader::Problem(std::string_view summary, std::string detail) {
  problems_.push_back(std::string(summary) + ": " + std::move(detail));
}

void StateReader::ReadString(std::string_view field, std::string_view* out) {
  if (in_.Peek() == '"') {
    *out = in_.StringBody();
    return;
  }
  std::string_view raw = in_.Value();
  if (raw != "null") {
    TypeError(field, raw);
  }
}

void StateReader::ReadText(std::string_view field, std::string* out) {
  std::string_view body;
  ReadString(field, &body);
  if (body.data() != nullptr) {
    *out = Text(body);
  }
}

void StateReader::ReadUint(std::string_view field, uint64_t* out) {
  std::string_view raw = in_.Value();
  if (raw == "null" || raw.empty()) {
    return;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error != std::errc() || end != raw.data() + raw.size()) {
    TypeError(field, raw);
    return;
  }
  *out = value;
}

void StateReader::ReadBool(std::string_view field, bool* out) {
  std::string_view raw = in_.Value();
  if (raw == "true" || raw == "false") {
    *out = raw == "true";
  } else if (raw != "null") {
    TypeError(field, raw);
  }
}

bool StateReader::Open(std::string_view field, char bracket) {
  if (in_.Take(bracket)) {
    return true;
  }
  std::string_view raw = in_.Value();
  if (raw != "null") {
    TypeError(field, raw);
  }
  return false;
}

void StateReader::ReadVersion() {
  std::string_view raw = in_.Value();
  if (raw == "null" || raw.empty()) {
    return;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error == std::errc() && end == raw.data() + raw.size()) {
    version_ = value;
    return;
  }
  version_problem_ = std::string(kUnsupportedFormat) + ": The version in the state file is " +
                     std::string(KindName(raw[0]));
  if (KindName(raw[0]) == "number") {
    version_problem_ += " " + std::string(raw.substr(0, 40));
  }
  version_problem_ += ". A positive whole number is required.";
}

/// The name by which a state has a member: names are read in any case.
std::string_view MemberName(std::string_view key) {
  constexpr std::string_view kNames[] = {"version",       "terraform_version", "serial",
                                         "lineage",       "outputs",           "resources",
                                         "check_results", "encryption_version"};
  for (const std::string_view name : kNames) {
    if (text::IsSameInAnyCase(key, name)) {
      return name;
    }
  }
  return key;
}

void StateReader::ReadTop() {
  if (!in_.Take('{')) {
    std::string_view raw = in_.Value();
    if (!raw.empty() && raw != "null") {
      const std::string summary = std::string(kUnsupportedFormat) + ": The ";
      version_problem_ = JoinProblems(
          {summary + "version in the state file is " + std::string(KindName(raw[0])) +
               ". A positive whole number is required.",
           summary +
               "state file can not be checked for presence of encryption: json: "
               "cannot unmarshal " +
               std::string(KindName(raw[0])) + " into Go value of type encryption.basedata"});
    }
    return;
  }
  bool first = true;
  std::string_view key;
  while (in_.NextMember(&first, &key)) {
    key = MemberName(key);
    // Only format 4 has these fields in this form. In other formats they are skipped.
    bool known = !version_ || *version_ == 4;
    if (key == "version") {
      ReadVersion();
    } else if (key == "terraform_version" && known) {
      ReadString(key, &terraform_version_);
    } else if (key == "serial" && known) {
      ReadUint(key, &state_.serial);
    } else if (key == "lineage" && known) {
      ReadText(key, &state_.lineage);
    } else if (key == "outputs" && known) {
      ReadOutputs();
    } else if (key == "resources" && part_.resources == StatePart::Resources::kNone) {
      (void)in_.Value();
    } else if (key == "resources" && version_ == 4) {
      ReadResources();
    } else if (key == "resources" && known) {
      resources_before_version_ = in_.Value();
    } else if (key == "check_results" && known) {
      ReadChecks();
    } else if (key == "terraform_version" && in_.Peek() == '"') {
      terraform_version_ = in_.StringBody();
    } else if (key == "encryption_version" && in_.Peek() == '"') {
      encryption_version_ = in_.StringBody();
    } else {
      (void)in_.Value();
    }
  }
}

void StateReader::ReadOutputs() {
  if (!Open("outputs", '{')) {
    return;
  }
  bool first = true;
  std::string_view key;
  while (in_.NextMember(&first, &key)) {
    std::string_view value_json;
    std::string_view type_json;
    OutputValue output;
    output.name = Text(key);
    if (!Open("outputs", '{')) {
      continue;
    }
    bool first_field = true;
    std::string_view field;
    while (in_.NextMember(&first_field, &field)) {
      if (field == "value") {
        value_json = in_.Value();
      } else if (field == "type") {
        type_json = in_.Value();
      } else if (field == "sensitive") {
        ReadBool("outputs.sensitive", &output.sensitive);
      } else if (field == "deprecated") {
        ReadText("outputs.deprecated", &output.deprecated);
      } else {
        (void)in_.Value();
      }
    }
    if (in_.failed()) {
      return;
    }
    ValueResult<Type> type = TypeFromJson(type_json);
    if (!type) {
      Problem("Invalid output value type in state",
              "The state file has an invalid type specification for output \"" + output.name +
                  "\": " + type.error().ToText() + ".");
      continue;
    }
    ValueResult<Value> value = ValueFromJson(value_json, *type);
    if (!value) {
      Problem("Invalid output value saved in state",
              "The state file has an invalid value for output \"" + output.name +
                  "\": " + value.error().ToText() + ".");
      continue;
    }
    output.value = *std::move(value);
    state_.outputs.push_back(std::move(output));
  }
}

/// The texts of one entry of check_results.
struct StateReader::CheckText {
  struct Object {
    std::string address;
    CheckStatus status = CheckStatus::kUnknown;
    std::vector<std::string> messages;
  };
  std::string kind;
  std::string address;
  CheckStatus status = CheckStatus::kUnknown;
  std::vector<Object> objects;
};

void StateReader::ReadChecks() {
  if (!Open("check_results", '[')) {
    return;
  }
  state_.has_checks = true;
  bool first = true;
  while (in_.NextElement(&first)) {
    if (!Open("check_results", '{')) {
      continue;
    }
    CheckText check;
    bool first_field = true;
    std::string_view field;
    while (in_.NextMember(&first_field, &field)) {
      if (field == "object_kind") {
        ReadText("check_results.object_kind", &check.kind);
      } else if (field == "config_addr") {
        ReadText("check_results.config_addr", &check.address);
      } else if (field == "status") {
        ReadCheckStatus("check_results.status", &check.status);
      } else if (field == "objects") {
        ReadCheckObjects(check);
      } else {
        (void)in_.Value();
      }
    }
    AddCheck(std::move(check));
  }
}

void StateReader::ReadCheckObjects(CheckText& check) {
  if (!Open("check_results.objects", '[')) {
    return;
  }
  bool first = true;
  while (in_.NextElement(&first)) {
    if (!Open("check_results.objects", '{')) {
      continue;
    }
    CheckText::Object& object = check.objects.emplace_back();
    bool first_member = true;
    std::string_view member;
    while (in_.NextMember(&first_member, &member)) {
      if (member == "object_addr") {
        ReadText("check_results.objects.object_addr", &object.address);
      } else if (member == "status") {
        ReadCheckStatus("check_results.objects.status", &object.status);
      } else if (member == "failure_messages") {
        if (!Open("check_results.objects.failure_messages", '[')) {
          continue;
        }
        bool first_message = true;
        while (in_.NextElement(&first_message)) {
          ReadText("check_results.objects.failure_messages", &object.messages.emplace_back());
        }
      } else {
        (void)in_.Value();
      }
    }
  }
}

void StateReader::ReadCheckStatus(std::string_view field, CheckStatus* out) {
  std::string_view text;
  ReadString(field, &text);
  *out = FindCheckStatus(text).value_or(CheckStatus::kUnknown);
}

void StateReader::AddCheck(CheckText check) {
  // Kinds of later releases are dropped. Ref: decodeCheckResultsV4.
  const std::optional<CheckableKind> kind = FindCheckableKind(check.kind);
  if (!kind) {
    return;
  }
  constexpr const char* kInvalid = "Invalid checkable address";
  CheckResult result{.status = check.status, .has_objects = !check.objects.empty()};
  if (!ParseConfigCheckable(*state_.program, *kind, check.address, &result.block)) {
    Problem(kInvalid, "\"" + check.address + "\" is not the address of a block.");
    return;
  }
  for (CheckText::Object& object : check.objects) {
    Checkable address;
    if (!ParseCheckable(*state_.program, *kind, object.address, &address)) {
      Problem(kInvalid, "\"" + object.address + "\" is not the address of an object.");
      continue;
    }
    result.objects.push_back({address.object, object.status, std::move(object.messages)});
  }
  state_.checks.push_back(std::move(result));
}

std::string StateReader::VersionProblem() {
  if (!version_problem_.empty()) {
    return version_problem_;
  }
  std::string summary = std::string(kUnsupportedFormat) + ": ";
  if (!version_) {
    if (!encryption_version_.empty()) {
      return summary +
             "This state file is encrypted and can not be read without an encryption configuration";
    }
    return summary +
           "The state file does not have a \"version\" attribute, which is required to identify "
           "the "
           "format version.";
  }
  if (*version_ == 4) {
    return {};
  }
  if (*version_ == 0) {
    return summary +
           "The state file uses JSON syntax but has a version number of zero. There was never a "
           "JSON-based state format zero, so this state file is invalid and cannot be processed.";
  }
  std::string number = std::to_string(*version_);
  std::string out = summary + "The state file uses format version " + number +
                    ", which is not supported by OpenTofu " +
                    std::string(compatibility::Release()) + ". ";
  std::string_view creator = Text(terraform_version_);
  if (!creator.empty() && creator[0] >= '0' && creator[0] <= '9') {
    return out + "This state file was created by OpenTofu " + std::string(creator) + ".";
  }
  return out + "This state file may have been created by a newer version of OpenTofu.";
}

Result<State> StateReader::Read() {
  const std::string_view text = in_.text();
  if (text.empty()) {
    state_.buffer = nullptr;
    return std::move(state_);
  }
  if (text.starts_with("tfstate") && !compatibility::Has(compatibility::Feature::kNoLegacyStates)) {
    return Fail(ErrorCode::kUnsupported,
                std::string(kUnsupportedFormat) +
                    ": The state is stored in the binary format of Terraform before v0.7. Upgrade "
                    "it first with Terraform 0.6.16 or earlier.");
  }
  ReadTop();
  if (!in_.failed() && !in_.AtEnd()) {
    in_.Fail();
  }
  if (in_.failed()) {
    const std::string summary = std::string(kUnsupportedFormat) + ": The state file ";
    return Fail(
        ErrorCode::kUnsupported,
        JoinProblems({summary + "could not be parsed as JSON: syntax error at byte offset " +
                          std::to_string(in_.error_offset()) + ".",
                      summary + "can not be checked for presence of encryption: " +
                          SyntaxProblem(text, in_.error_offset())}));
  }
  const bool older = version_problem_.empty() && version_ && *version_ >= 1 && *version_ < 4 &&
                     !compatibility::Has(compatibility::Feature::kNoLegacyStates);
  if (older && state_.mapped == nullptr) {
    Result<std::string> upgraded = UpgradeText(text, *version_);
    if (!upgraded) {
      return std::unexpected(std::move(upgraded).error());
    }
    return ReadState(state_.program, *std::move(upgraded));
  }
  if (std::string problem = VersionProblem(); !problem.empty()) {
    // A version number that is not supported is reported like an invalid file.
    return Fail(version_ ? ErrorCode::kInvalid : ErrorCode::kUnsupported, std::move(problem));
  }
  if (!resources_before_version_.empty()) {
    if (state_.mapped != nullptr) {
      return Fail(ErrorCode::kUnsupported, "the resources stand in front of the version");
    }
    in_ = Cursor(resources_before_version_);
    ReadResources();
  }
  state_.terraform_version = Text(terraform_version_);
  if (!state_.terraform_version.empty() && !Version::Parse(state_.terraform_version)) {
    Problem("Invalid OpenTofu version string",
            "State file claims to have been written by OpenTofu version " +
                text::GoQuote(state_.terraform_version) + ", which is not a valid version string.");
  }
  if (!type_error_.empty()) {
    return Fail(ErrorCode::kInvalid, std::move(type_error_));
  }
  if (!problems_.empty()) {
    return Fail(ErrorCode::kInvalid, JoinProblems(problems_));
  }
  auto by_name = [](const OutputValue& a, const OutputValue& b) { return a.name < b.name; };
  std::stable_sort(state_.outputs.begin(), state_.outputs.end(), by_name);
  // The last of several outputs with one name counts.
  auto last =
      std::unique(state_.outputs.rbegin(), state_.outputs.rend(),
                  [](const OutputValue& a, const OutputValue& b) { return a.name == b.name; });
  state_.outputs.erase(state_.outputs.begin(), last.base());
  state_.is_stored = true;
  return std::move(state_);
}

Result<State> ReadState(std::shared_ptr<Program> program, std::string bytes) {
  return ReadState(std::move(program), std::make_shared<const std::string>(std::move(bytes)));
}

Result<State> ReadGivenState(std::shared_ptr<Program> program, std::string bytes) {
  if (bytes.empty()) {
    return Fail(ErrorCode::kUnsupported, "no state");
  }
  return ReadState(std::move(program), std::move(bytes));
}

Result<State> ReadState(std::shared_ptr<Program> program, std::shared_ptr<const std::string> text) {
  constexpr size_t kLarge = size_t{64} << 10;
  if (text->size() >= kLarge) {
    if (auto state = StateReader(program, text, StateReader::Way::kScanned).Read()) {
      return state;
    }
  }
  return StateReader(std::move(program), std::move(text), StateReader::Way::kExact).Read();
}

namespace {

/// Reads a part of a large file. `names`, if not null, receives the instance addresses.
std::optional<State> ReadPart(std::shared_ptr<Program> program, int fd, const StatePart& part,
                              StateNames* names = nullptr) {
  std::shared_ptr<json::MappedFile> file = json::MappedFile::Open(fd);
  if (file == nullptr) {
    return std::nullopt;
  }
  StateReader reader(std::move(program), std::move(file), part);
  Result<State> state = reader.Read();
  if (!state) {
    return std::nullopt;
  }
  if (names != nullptr) {
    *names = reader.TakeNames();
  }
  return *std::move(state);
}

}  // namespace

std::optional<State> ReadLargeState(std::shared_ptr<Program> program, int fd) {
  return ReadPart(std::move(program), fd, {});
}

std::optional<State> ReadStateOutputs(std::shared_ptr<Program> program, int fd) {
  return ReadPart(std::move(program), fd, {.resources = StatePart::Resources::kNone});
}

std::optional<StateNames> ReadStateNames(std::shared_ptr<Program> program, int fd) {
  StateNames names;
  if (!ReadPart(std::move(program), fd, {.resources = StatePart::Resources::kNames}, &names)) {
    return std::nullopt;
  }
  return names;
}

std::optional<State> ReadStateResource(std::shared_ptr<Program> program, int fd,
                                       const AbsResource& address) {
  return ReadPart(std::move(program), fd,
                  {.resources = StatePart::Resources::kOne, .one = &address});
}

std::optional<State> ReadStateResources(std::shared_ptr<Program> program, int fd,
                                        std::span<const ConfigResource> addresses) {
  return ReadPart(std::move(program), fd,
                  {.resources = StatePart::Resources::kSome, .some = addresses});
}

void CountReadBytes(const State& state, size_t bytes) {
  if (state.mapped != nullptr) {
    state.mapped->Passed(bytes);
  }
}

}  // namespace kinu::state
