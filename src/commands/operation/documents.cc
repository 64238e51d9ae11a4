#include "operation/documents.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "json/mapped_file.h"
#include "json/writer.h"
#include "operation/cloud_plan.h"
#include "operation/document_text.h"
#include "operation/plan_schemas.h"
#include "operation/saved_plan.h"
#include "plan_json/documents.h"
#include "plan_json/plan_file.h"
#include "session/load.h"
#include "session/open_workspace.h"
#include "session/provider_set.h"
#include "state/large_file.h"
#include "tfjson/format.h"
#include "view/source_schemas.h"

namespace kinu::operation {
namespace {

int64_t ReadSome(int fd, char* buffer, size_t size) {
  for (;;) {
    const ssize_t got = ::read(fd, buffer, size);
    if (got >= 0 || errno != EINTR) {
      return got;
    }
  }
}

}  // namespace

OpenedDocument::~OpenedDocument() {
  tokens.reset();
  if (fd > STDIN_FILENO) {
    ::close(fd);
  }
}

std::optional<std::string> PlanJson(const session::Workspace& workspace, const plan::PlanFile& file,
                                    Diagnostics& diags, const PlanJsonOptions& options) {
  const auto read = ReadPlanContent(workspace, file, diags);
  if (!read) {
    return std::nullopt;
  }
  if (options.visit) {
    options.visit(*read->content->config);
  }
  return view::PlanFileDocument(*read->content, *read->schemas,
                                {.positions = options.positions, .parts = options.parts}, diags);
}

Result<state::State> ReadStateFile(const std::string& path, const state::Sealer& sealer) {
  const int fd = sealer.configured() ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    auto state = state::ReadLargeState(std::make_shared<Program>(), fd);
    ::close(fd);
    if (state) {
      return *std::move(state);
    }
  }
  KINU_TRY(std::string bytes, ReadFile(path));
  KINU_TRY(bytes, WithoutMark(std::move(bytes)));
  Result<state::Sealer::Opened> opened = sealer.Open(std::move(bytes));
  if (!opened) {
    // What cannot be decrypted need not be a state.
    return Fail(ErrorCode::kUnsupported, std::move(opened).error().message);
  }
  return state::ReadGivenState(std::make_shared<Program>(), std::move(opened->document));
}

std::optional<std::string> StateJson(const session::Workspace& workspace, const state::State& state,
                                     Diagnostics& diags) {
  auto providers = session::ProviderSet::Open(workspace, diags);
  if (!providers->RequirePackages(session::ProviderSet::Missing::kList, diags) ||
      !providers->RequireForState(state, diags)) {
    return std::nullopt;
  }
  return StateJson(*providers, state, diags);
}

std::optional<std::string> StateJson(session::ProviderSet& providers, const state::State& state,
                                     Diagnostics& diags) {
  view::SourceSchemas schemas(providers.source());
  std::string document;
  if (state.buffer != nullptr || state.mapped != nullptr) {
    // Address space, not memory.
    document.reserve(state.buffer != nullptr ? state.buffer->size() : state.mapped->text().size());
  }
  JsonWriter out(document);
  auto written = view::WriteState(out, state, schemas);
  if (!written) {
    view::AddUnwritten("Failed to marshal state to json", written.error(), diags);
    return std::nullopt;
  }
  document += '\n';
  return document;
}

std::optional<std::string> ConfigurationJson(const session::Workspace& workspace,
                                             std::span<const config::VariableArgument> variables,
                                             bool positions, Diagnostics& diags) {
  if (!config::IsConfigDir(".")) {
    diags.Error("No configuration files",
                "This directory contains no OpenTofu configuration files.");
    return std::nullopt;
  }
  session::OpenWorkspace open(workspace);
  (void)open.LoadModules({.variables = variables}, diags);
  if (!open.OpenProviders(diags) ||
      !open.providers->RequirePackages(session::ProviderSet::Missing::kList, diags)) {
    return std::nullopt;
  }
  (void)open.providers->LoadSchemas(*open.loaded.config, nullptr,
                                    session::ProviderSet::Provisioners::kRequired, diags);
  if (diags.has_errors()) {
    return std::nullopt;
  }
  const view::SourceSchemas schemas(open.providers->source());
  std::string document;
  JsonWriter out(document);
  if (auto written = view::WriteConfig(out, *open.loaded.config, schemas, positions); !written) {
    view::AddUnwritten("Failed to marshal configuration to JSON", written.error(), diags);
    return std::nullopt;
  }
  return document;
}

std::optional<std::string> ModuleJson(const session::Workspace& workspace,
                                      const std::string& directory,
                                      std::span<const config::VariableArgument> variables,
                                      bool positions, Diagnostics& diags) {
  session::OpenWorkspace open(workspace);
  if (!open.LoadModules({.intent = session::LoadIntent::kRootModule,
                         .variables = variables,
                         .directory = directory,
                         .despite_inputs = true},
                        diags)) {
    return std::nullopt;
  }
  std::string document;
  JsonWriter out(document);
  view::WriteSingleModule(out, *open.loaded.config, positions);
  return document;
}

namespace {

enum class FileKind : uint8_t { kJson, kPlanFile, kStateFile, kCloudPlan };

/// What the beginning of a file tells.
struct Head {
  FileKind kind = FileKind::kJson;
  std::optional<std::string> format_version;  ///< of an object that has one
};

/// An archive; an object whose first members, as far as they are no containers, are those of a
/// state file or tell its format; or else some JSON.
Head ReadHead(const std::string& text) {
  Head head;
  if (text.starts_with("PK\x03\x04")) {
    head.kind = FileKind::kPlanFile;
    return head;
  }
  json::TokenStream tokens(text);
  if (!tokens.Take('{', "")) {
    return head;
  }
  bool version = false;
  bool lineage = false;
  while (tokens.Peek() == '"') {
    const std::string_view name = tokens.Text();
    if (name == "\"format_version\"") {
      tokens.Advance();
      if (tokens.Take(':', "") && tokens.Peek() == '"') {
        head.format_version = json::DecodeString(tokens.Text());
      }
      return head;
    }
    if ((name == "\"meta\"" || name == "\"encrypted_data\"") &&
        text.contains("\"encrypted_data\"")) {
      // An encrypted state has its lineage in the clear, an encrypted plan nothing.
      head.kind = lineage ? FileKind::kStateFile : FileKind::kPlanFile;
      return head;
    }
    if (name == "\"remote_plan_format\"") {
      head.kind = FileKind::kCloudPlan;
      return head;
    }
    version = version || name == "\"version\"";
    lineage = lineage || name == "\"lineage\"";
    tokens.Advance();
    if (!tokens.Take(':', "") || tokens.Peek() == '{' || tokens.Peek() == '[' ||
        !tokens.SkipValue() || !tokens.Take(',', "")) {
      break;
    }
  }
  head.kind = version && lineage ? FileKind::kStateFile : FileKind::kJson;
  return head;
}

/// The first bytes of an open file, and of these in `taken` what is not there any more (of a pipe).
std::string FirstBytes(int fd, std::string& taken) {
  constexpr size_t kHead = 4096;
  std::string text(kHead, '\0');
  int64_t got = ::pread(fd, text.data(), text.size(), 0);
  const bool pipe = got < 0 && errno == ESPIPE;
  if (pipe) {
    got = ReadSome(fd, text.data(), text.size());
  }
  text.resize(static_cast<size_t>(std::max<int64_t>(got, 0)));
  if (pipe) {
    taken = text;
  }
  return text;
}

/// The document of a plan that a file names.
std::optional<std::string> Fetched(const session::Workspace& workspace, const std::string& path,
                                   Diagnostics& diags) {
  const std::optional<CloudPlan> named = ReadCloudPlan(path);
  auto plan = named ? FetchCloudPlan(workspace, {}, *named, /*redacted=*/false)
                    : Fail(ErrorCode::kInvalid, path + " does not name a saved plan");
  if (!plan) {
    diags.Error("Failed to read saved cloud plan", plan.error().message + ".");
    return std::nullopt;
  }
  return std::move(plan->document) + '\n';
}

/// The document that a plan or state file stands for.
std::optional<std::string> Converted(const session::Workspace& workspace, const std::string& path,
                                     FileKind kind, const DocumentOptions& options,
                                     Diagnostics& diags) {
  if (kind == FileKind::kCloudPlan) {
    return Fetched(workspace, path, diags);
  }
  const auto encryption = session::LoadEncryption(workspace, {}, diags);
  if (!encryption) {
    return std::nullopt;
  }
  if (kind == FileKind::kPlanFile) {
    const auto file = plan::PlanFile::Open(path, *(*encryption)->plan());
    if (!file) {
      diags.Error("Failed to read the given file as a plan file", file.error().message);
      return std::nullopt;
    }
    return PlanJson(workspace, *file, diags,
                    {.positions = options.positions, .parts = options.parts});
  }
  const auto state = ReadStateFile(path, *(*encryption)->state());
  if (!state) {
    diags.Error("Failed to read the given file as a state file", state.error().message);
    return std::nullopt;
  }
  return StateJson(workspace, *state, diags);
}

}  // namespace

namespace {

/// Whether these first bytes are those of a document, whatever another program put before it.
bool BeginDocument(const std::string& first) {
  const std::string text = WithoutMark(first).value_or("");
  const std::string_view object = FindLineBefore(text) ? FromObject(text) : text;
  return ReadHead(std::string(object)).format_version.has_value();
}

bool ReportUnread(const std::string& path, const std::string& why, Diagnostics& diags) {
  diags.Error("Failed to read document", path + ": " + why + ".");
  return false;
}

bool ReportOtherLine(const std::string& path, std::string_view where, const OtherLine& other,
                     Diagnostics& diags) {
  diags.Error("Failed to read document", "invalid JSON at byte " + std::to_string(other.offset) +
                                             ": there is a line " + std::string(where) +
                                             " the document " + path + ", \"" + other.line + "\".");
  return false;
}

/// Opens the file of a document and looks at its first bytes. False after an error.
bool OpenFile(OpenedDocument& document, const std::string& path, std::string& first,
              Diagnostics& diags) {
  document.fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (document.fd < 0) {
    diags.Error("Failed to read document", "open " + path + ": " + SystemMessage(errno) + ".");
    return false;
  }
  struct stat status{};
  if (::fstat(document.fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    return ReportUnread(path, SystemMessage(EISDIR), diags);
  }
  first = FirstBytes(document.fd, document.ahead);
  return true;
}

/// The whole text of a document that is open. Nothing when it fails.
std::optional<std::string> RestOf(OpenedDocument& document, const std::string& path,
                                  Diagnostics& diags) {
  constexpr size_t kPiece = size_t{1} << 16;
  std::string text = std::move(document.text);
  if (!text.empty()) {
    return text;
  }
  text = document.ahead;
  struct stat status{};
  size_t expected = kPiece;
  if (::fstat(document.fd, &status) == 0 && S_ISREG(status.st_mode)) {
    expected = static_cast<size_t>(status.st_size) + 1;
  }
  text.reserve(text.size() + expected + kPiece);
  for (size_t size = text.size();;) {
    int64_t got = 0;
    text.resize_and_overwrite(size + expected, [&](char* data, size_t) {
      got = ReadSome(document.fd, data + size, expected);
      return size + static_cast<size_t>(std::max<int64_t>(got, 0));
    });
    if (got < 0) {
      diags.Error("Failed to read document", path + ": " + SystemMessage(errno) + ".");
      return std::nullopt;
    }
    if (got == 0) {
      return text;
    }
    size += static_cast<size_t>(got);
    expected = kPiece;
  }
}

/// Reads and decodes a document whose text has a byte order mark; `first` is then decoded too.
/// False after an error.
bool DecodeMarked(OpenedDocument& document, const std::string& path, std::string& first,
                  Diagnostics& diags) {
  if (!HasMark(first)) {
    return true;
  }
  auto text = RestOf(document, path, diags);
  if (!text) {
    return false;
  }
  auto decoded = WithoutMark(*std::move(text));
  if (!decoded) {
    return ReportUnread(path, "its byte order mark says UTF-16, and it has something else", diags);
  }
  document.text = *std::move(decoded);
  first = document.text.substr(0, first.size());
  return true;
}

/// The error about lines of a wrapper that do not belong to the document. False if there are any.
bool RequireNoOtherLines(const OpenedDocument& document, const std::string& path,
                         const std::string& first, Diagnostics& diags) {
  if (first.starts_with("PK")) {
    return true;  // a plan file
  }
  if (const auto line = FindLineBefore(first)) {
    return ReportOtherLine(path, "before", *line, diags);
  }
  char last = 0;
  struct stat status{};
  const bool is_file = ::fstat(document.fd, &status) == 0 && S_ISREG(status.st_mode);
  if (!is_file || !document.ahead.empty()) {
    return true;
  }
  // A document ends with a bracket and at most one line end.
  for (off_t at = status.st_size; at > std::max<off_t>(status.st_size - 2, 0) && last != '}';) {
    if (::pread(document.fd, &last, 1, --at) != 1) {
      break;
    }
  }
  const auto text = last == '}' || path == "-" ? Result<std::string>("") : ReadFile(path);
  const auto line = FindLineBehind(!document.text.empty() ? document.text : text.value_or(""));
  return !line || ReportOtherLine(path, "behind", *line, diags);
}

}  // namespace

bool IsDocument(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return false;
  }
  struct stat status{};
  std::string taken;
  const bool is =
      ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && BeginDocument(FirstBytes(fd, taken));
  ::close(fd);
  return is;
}

std::unique_ptr<OpenedDocument> OpenDocument(const session::Workspace& workspace,
                                             const std::string& path,
                                             const DocumentOptions& options, Diagnostics& diags) {
  auto document = std::make_unique<OpenedDocument>();
  std::string first;
  if (!OpenFile(*document, path, first, diags) || !DecodeMarked(*document, path, first, diags) ||
      !RequireNoOtherLines(*document, path, first, diags)) {
    return nullptr;
  }
  if (!options.as_is || first.starts_with("PK")) {
    const Head head = ReadHead(first);
    if (head.kind != FileKind::kJson && path != "-") {
      auto text = Converted(workspace, path, head.kind, options, diags);
      if (!text) {
        return nullptr;
      }
      document->text = *std::move(text);
      document->tokens = std::make_unique<json::TokenStream>(document->text);
      return document;
    }
    if (head.format_version) {
      const auto understood = tfjson::ParseFormatVersion(*head.format_version);
      if (!understood && understood.error().code == ErrorCode::kUnsupported) {
        diags.Error("Unsupported document format", "The document " + path + " cannot be read: " +
                                                       understood.error().message + ".");
        return nullptr;
      }
    }
  }
  if (!document->text.empty()) {
    document->tokens = std::make_unique<json::TokenStream>(document->text);
    return document;
  }
  if (document->ahead.empty()) {
    document->mapped = json::MappedFile::Open(document->fd);
  }
  if (document->mapped != nullptr) {
    document->tokens = std::make_unique<json::TokenStream>(*document->mapped);
    return document;
  }
  document->tokens = std::make_unique<json::TokenStream>(
      [fd = document->fd, ahead = std::string_view(document->ahead)](char* buffer,
                                                                     size_t size) mutable {
        if (ahead.empty()) {
          return ReadSome(fd, buffer, size);
        }
        const size_t amount = std::min(size, ahead.size());
        ahead.copy(buffer, amount);
        ahead.remove_prefix(amount);
        return static_cast<int64_t>(amount);
      });
  return document;
}

std::optional<std::string> ReadDocument(const session::Workspace& workspace,
                                        const std::string& path, const DocumentOptions& options,
                                        Diagnostics& diags) {
  const auto document = OpenDocument(workspace, path, options, diags);
  return document == nullptr ? std::nullopt : RestOf(*document, path, diags);
}

std::unique_ptr<json::Document> ReadTree(const session::Workspace& workspace,
                                         const std::string& path, const DocumentOptions& options,
                                         const json::Shape& shape, Diagnostics& diags) {
  const auto opened = OpenDocument(workspace, path, options, diags);
  if (opened == nullptr) {
    return nullptr;
  }
  Result<std::unique_ptr<json::Document>> document;
  opened->tokens.reset();
  if (opened->mapped != nullptr) {
    document = json::Document::Parse(std::move(opened->mapped), shape);
  } else if (auto text = RestOf(*opened, path, diags)) {
    document = json::Document::Parse(*std::move(text), shape);
  } else {
    return nullptr;
  }
  if (!document) {
    diags.Error("Failed to read document",
                document.error().message + ".\n\nThe document is " + path + ".");
    return nullptr;
  }
  return *std::move(document);
}

}  // namespace kinu::operation
