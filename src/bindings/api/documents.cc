// Implements include/kinu/tfjson.h as a thin layer over tfjson, query and check.
#include <algorithm>
#include <charconv>

#include <fcntl.h>
#include <kinu/tfjson.h>
#include <unistd.h>

#include "api/diagnostics.h"
#include "api/plan_document.h"
#include "base/files.h"
#include "check/run.h"
#include "query/output.h"
#include "query/summary.h"
#include "tfjson/format.h"
#include "tfjson/path.h"

namespace kinu::v1 {

struct Document::Impl {
  std::string text;  ///< the text of `tree`, if the document has it (streams)
  json::Tree tree;
  std::unique_ptr<json::Document> document;  ///< null if the value is in `tree`

  json::Node root() const { return document != nullptr ? document->root() : tree.root(); }
};

namespace {

/// No node for a document without content.
template <typename Impl>
json::Node RootOf(const Impl* impl) {
  return impl == nullptr ? json::Node() : impl->root();
}

/// Whether there is content; reports it when there is none.
bool HasContent(const Document& document, Diagnostics& problems) {
  if (!document) {
    problems.push_back(
        {.summary = "Empty document", .detail = "The document has no content: reading it failed."});
  }
  return static_cast<bool>(document);
}

void Report(Diagnostics& problems, std::string summary, const std::string& detail) {
  problems.push_back({.summary = std::move(summary), .detail = detail + "."});
}

/// The content of a document that was read; null, and a problem, if it was not.
template <typename Impl>
std::shared_ptr<Impl> ContentOf(Result<std::unique_ptr<json::Document>> parsed,
                                Diagnostics& problems) {
  if (!parsed) {
    Report(problems, "Invalid JSON document", parsed.error().message);
    return nullptr;
  }
  auto impl = std::make_shared<Impl>();
  impl->document = *std::move(parsed);
  return impl;
}

}  // namespace

Document Document::Parse(std::string text, Diagnostics& problems) {
  Document document;
  if (!api::ReadPlanFile(text, problems)) {
    return document;
  }
  document.impl_ = ContentOf<Impl>(json::Document::Parse(std::move(text)), problems);
  return document;
}

Document Document::View(std::string_view text, Diagnostics& problems) {
  if (api::IsPlanFile(text)) {
    return Parse(std::string(text), problems);
  }
  Document document;
  auto impl = std::make_shared<Impl>();
  // The zero byte is for a value that is no container.
  json::TokenStream stream(json::TokenStream::Container{text});
  impl->tree.Expect(text.size());
  if (impl->tree.Read(stream) && stream.TakeEnd()) {
    document.impl_ = std::move(impl);
  } else {
    Report(problems, "Invalid JSON document", json::DescribeProblem(stream.problem()));
  }
  return document;
}

Document Document::Open(const std::string& path, Diagnostics& problems) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::unique_ptr<json::MappedFile> mapped;
  if (fd >= 0) {
    mapped = json::MappedFile::Open(fd);
    ::close(fd);
  }
  if (mapped == nullptr || api::IsPlanFile(mapped->text())) {
    Result<std::string> text = ReadFile(path);
    if (!text) {
      Report(problems, "Unreadable document", text.error().message);
      return {};
    }
    return Parse(*std::move(text), problems);
  }
  static constexpr json::Shape kWhole;
  Document document;
  document.impl_ = ContentOf<Impl>(json::Document::Parse(std::move(mapped), kWhole), problems);
  return document;
}

std::optional<std::string> Document::AtPath(std::string_view path, Diagnostics& problems) const {
  if (!HasContent(*this, problems)) {
    return std::nullopt;
  }
  const auto steps = tfjson::Path::FromJson(path);
  if (!steps) {
    Report(problems, "Invalid path", steps.error().message);
    return std::nullopt;
  }
  const auto found = steps->Resolve(RootOf(impl_.get()));
  if (!found.value) {
    Report(problems, "Nothing at the path", tfjson::DescribeMismatch(*steps, found));
    return std::nullopt;
  }
  std::string out;
  json::AppendCompact(out, found.value.text());
  return out;
}

std::optional<std::vector<Document::Found>> Document::Select(std::string_view selector,
                                                             SelectOptions options,
                                                             Diagnostics& problems) const {
  if (!HasContent(*this, problems)) {
    return std::nullopt;
  }
  const auto parsed = query::ParseSelector(selector);
  if (!parsed) {
    Report(problems, "Invalid selector",
           parsed.error().message + ", at byte " + std::to_string(parsed.error().offset));
    return std::nullopt;
  }
  std::vector<Found> all;
  const json::Node root = RootOf(impl_.get());
  const tfjson::Secrets secrets =
      options.show_sensitive ? tfjson::Secrets() : tfjson::Secrets(root);
  query::Evaluator evaluator(root);
  evaluator.Run(parsed->segments, root,
                [&](json::Node node, std::span<const tfjson::TrailStep> trail) {
                  tfjson::MaskCursor cursor(tfjson::MaskCursor::Sort::kSensitive);
                  size_t depth = options.show_sensitive ? trail.size() : 0;
                  while (depth < trail.size() && !cursor.whole()) {
                    cursor = cursor.Into(trail[depth++]);
                  }
                  Found& found = all.emplace_back();
                  found.path = query::NormalizedPath(trail.first(depth));
                  if (options.show_sensitive) {
                    json::AppendCompact(found.value, node.text());
                  } else {
                    tfjson::AppendRedacted(found.value, node, cursor, secrets);
                  }
                  return true;
                });
  if (evaluator.problem()) {
    Report(problems, "Invalid JSON document", json::DescribeProblem(*evaluator.problem()));
    return std::nullopt;
  }
  return all;
}

std::optional<std::string> Document::Summary(size_t bytes, Diagnostics& problems) const {
  const Shape plan = {"a plan", true, {"planned_values", "resource_changes"}};
  if (!Check(plan, problems)) {
    return std::nullopt;
  }
  return query::SummarizePlan(RootOf(impl_.get()), bytes);
}

std::string Document::Redacted() const {
  std::string out;
  if (const json::Node root = RootOf(impl_.get())) {
    tfjson::AppendRedacted(out, root);
  }
  return out;
}

std::optional<std::string> NormalizedPath(std::string_view json_path, Diagnostics& problems) {
  const auto path = tfjson::Path::FromJson(json_path);
  if (!path) {
    Report(problems, "Invalid path", path.error().message);
    return std::nullopt;
  }
  return path->ToNormalized();
}

std::optional<std::string> JsonPathSteps(std::string_view normalized_path, Diagnostics& problems) {
  const auto path = tfjson::Path::FromNormalized(normalized_path);
  if (!path) {
    Report(problems, "Invalid path", path.error().message);
    return std::nullopt;
  }
  return path->ToJson();
}

std::optional<std::string> Document::InFormat01(Diagnostics& problems) const {
  if (!HasContent(*this, problems)) {
    return std::nullopt;
  }
  std::string out;
  if (const auto written = tfjson::AppendFormat01(out, RootOf(impl_.get())); !written) {
    Report(problems, "No document of format 0.1", written.error().message);
    return std::nullopt;
  }
  return out;
}

bool Document::Check(const Shape& shape, Diagnostics& problems) const {
  if (!HasContent(*this, problems)) {
    return false;
  }
  const json::Node root = RootOf(impl_.get());
  if (shape.has_version || !root.is_object()) {
    if (const auto version = tfjson::FormatVersionOf(root); !version) {
      Report(problems, "Unsupported document", version.error().message);
      return false;
    }
  }
  bool has_one = shape.names[0].empty();
  for (const std::string_view name : shape.names) {
    has_one = has_one || (!name.empty() && root.Find(name));
  }
  if (!has_one) {
    Report(problems, "Unsupported document",
           "the document is not " + std::string(shape.what) + ": it has no " +
               std::string(shape.names[0]));
  }
  return has_one;
}

// --- JsonValue ---

namespace {

json::Node NodeOf(const void* tree, uint32_t at) {
  return tree == nullptr ? json::Node() : json::Node(static_cast<const json::Tree*>(tree), at);
}

}  // namespace

JsonValue Document::root() const& {
  const json::Node root = RootOf(impl_.get());
  JsonValue value;
  if (!root) {
    return value;
  }
  value.tree_ = &root.tree();
  value.at_ = root.at();
  return value;
}

JsonValue::Kind JsonValue::kind() const {
  const json::Node node = NodeOf(tree_, at_);
  if (!node) {
    return Kind::kAbsent;
  }
  switch (node.kind()) {
    case json::Kind::kNull:
      return Kind::kNull;
    case json::Kind::kFalse:
    case json::Kind::kTrue:
      return Kind::kBool;
    case json::Kind::kNumber:
      return Kind::kNumber;
    case json::Kind::kArray:
      return Kind::kArray;
    case json::Kind::kObject:
      return Kind::kObject;
    default:
      return Kind::kString;
  }
}

bool JsonValue::IsTrue() const {
  const json::Node node = NodeOf(tree_, at_);
  return node && node.is_true();
}

std::string JsonValue::Text() const {
  const json::Node node = NodeOf(tree_, at_);
  if (node && node.is_string()) {
    return node.String();
  }
  return node && node.is_number() ? std::string(node.text()) : std::string();
}

std::optional<int64_t> JsonValue::Integer() const {
  const std::string text = kind() == Kind::kNumber ? Text() : std::string();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::string JsonValue::Json() const {
  std::string out;
  if (const json::Node node = NodeOf(tree_, at_)) {
    json::AppendCompact(out, node.text());
  }
  return out;
}

size_t JsonValue::size() const {
  const json::Node node = NodeOf(tree_, at_);
  return node && node.is_container() ? node.size() : 0;
}

JsonValue JsonValue::operator[](std::string_view name) const {
  const json::Node node = NodeOf(tree_, at_);
  const json::Node member = node && node.is_object() ? node.Find(name) : json::Node();
  JsonValue value;
  if (member) {
    value.tree_ = tree_;
    value.at_ = member.at();
  }
  return value;
}

JsonValue JsonValue::At(size_t index) const {
  const json::Node node = NodeOf(tree_, at_);
  const json::Node element = node && node.is_array() ? node.At(index) : json::Node();
  JsonValue value;
  if (element) {
    value.tree_ = tree_;
    value.at_ = element.at();
  }
  return value;
}

JsonValue::Iterator JsonValue::begin() const {
  const json::Node node = NodeOf(tree_, at_);
  Iterator iterator;
  if (node && node.is_container()) {
    iterator.tree_ = tree_;
    iterator.at_ = at_ + 1;
    iterator.named_ = node.is_object();
  }
  return iterator;
}

JsonValue::Iterator JsonValue::end() const {
  const json::Node node = NodeOf(tree_, at_);
  Iterator iterator;
  if (node && node.is_container()) {
    iterator.at_ = node.tree().entry(at_).next;
  }
  return iterator;
}

std::string JsonValue::Iterator::Name() const {
  return named_ ? NodeOf(tree_, at_).String() : std::string();
}

JsonValue JsonValue::Iterator::operator*() const {
  JsonValue value;
  value.tree_ = tree_;
  value.at_ = named_ ? at_ + 1 : at_;
  return value;
}

JsonValue::Iterator& JsonValue::Iterator::operator++() {
  at_ = NodeOf(tree_, named_ ? at_ + 1 : at_).tree().entry(named_ ? at_ + 1 : at_).next;
  return *this;
}

// --- DocumentStream ---

struct DocumentStream::Impl {
  explicit Impl(Source source) : tokens(std::move(source)) {}
  /// Reports the stream's problem, once.
  void Stop(const json::Problem& problem, Diagnostics& problems) {
    has_failed = true;
    Report(problems, "Invalid JSON document", json::DescribeProblem(problem));
  }

  json::TokenStream tokens;
  bool has_failed = false;
};

DocumentStream::DocumentStream(Source source) : impl_(std::make_unique<Impl>(std::move(source))) {
}
DocumentStream::DocumentStream(DocumentStream&&) noexcept = default;
DocumentStream::~DocumentStream() = default;

Document DocumentStream::Next(Diagnostics& problems) {
  json::TokenStream& tokens = impl_->tokens;
  Document document;
  if (impl_->has_failed) {
    return document;
  }
  if (tokens.Peek() == '\0') {
    if (!tokens.TakeEnd()) {
      impl_->Stop(tokens.problem(), problems);
    }
    return document;
  }
  // The tree refers to its text, which the stream does not keep: parses a copy.
  tokens.Hold();
  const uint64_t offset = tokens.Offset();
  if (!tokens.SkipValue()) {
    impl_->Stop(tokens.problem(), problems);
    return document;
  }
  auto impl = std::make_shared<Document::Impl>();
  impl->text = tokens.Held();
  tokens.Release();
  json::TokenStream copy(impl->text);
  if (!impl->tree.Read(copy)) {
    impl_->Stop({copy.problem().offset + offset, copy.problem().message}, problems);
    return document;
  }
  document.impl_ = std::move(impl);
  return document;
}

bool CheckReport::passed() const {
  return complete && std::all_of(results.begin(), results.end(), [](const Result& result) {
           return result.status == Status::kPass;
         });
}

CheckReport RunChecks(CheckRun run, Diagnostics& problems) {
  CheckReport report;
  check::CheckFiles files;
  ::kinu::Diagnostics diags;
  for (CheckRun::File& file : run.files) {
    files.Add(file.name, std::move(file.text), diags);
  }
  api::AppendTo(problems, diags);
  bool all_read = !diags.has_errors();
  check::Documents documents;
  const auto read = [&](auto document, auto& list) {
    if (document) {
      list.push_back(*std::move(document));
    } else {
      all_read = false;
      Report(problems, "Unreadable document", document.error().message);
    }
  };
  for (std::string& plan : run.plans) {
    if (!api::ReadPlanFile(plan, problems)) {
      all_read = false;
      continue;
    }
    read(check::PlanDocument::Read(std::move(plan), files.needs_whole_documents()),
         documents.plans);
  }
  for (std::string& state : run.states) {
    read(check::StateDocument::Read(std::move(state), files.needs_whole_documents()),
         documents.states);
  }
  if (!all_read) {
    return report;
  }
  report.complete = true;
  const check::Report checked = check::RunChecks(files, documents);
  for (const check::Result& result : checked.results) {
    report.results.push_back({.check = result.check->name,
                              .kind = result.assertion->kind_name,
                              .index = result.index,
                              .status = static_cast<CheckReport::Status>(result.status),
                              .message = result.outcome.message,
                              .line = result.assertion->range.start_position().line});
  }
  check::WriteJson(report.json, checked, run.show_sensitive);
  check::WriteJunit(report.junit, checked, run.show_sensitive);
  return report;
}

}  // namespace kinu::v1
