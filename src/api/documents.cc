// Implements include/kinu/tfjson.h as a thin layer over tfjson, query and check.
#include <algorithm>
#include <charconv>

#include <kinu/tfjson.h>

#include "check/run.h"
#include "query/output.h"
#include "tfjson/format.h"
#include "tfjson/path.h"

namespace kinu::v1 {

struct Document::Impl {
  std::string text;  ///< the text of `tree`
  tfjson::Tree tree;
  std::unique_ptr<tfjson::Document> document;  ///< null if the value is in `tree` (streams)

  tfjson::Node root() const { return document != nullptr ? document->root() : tree.root(); }
};

namespace {

void SetProblem(std::string* problem, std::string message) {
  if (problem != nullptr) {
    *problem = std::move(message);
  }
}

}  // namespace

std::optional<Document> Document::Parse(std::string text, std::string* problem) {
  auto parsed = tfjson::Document::Parse(std::move(text));
  if (!parsed) {
    SetProblem(problem, parsed.error().message);
    return std::nullopt;
  }
  auto impl = std::make_shared<Impl>();
  impl->document = *std::move(parsed);
  Document document;
  document.impl_ = std::move(impl);
  return document;
}

std::optional<std::string> Document::AtPath(std::string_view path, std::string* problem) const {
  const auto steps = tfjson::Path::FromJson(path);
  if (!steps) {
    SetProblem(problem, steps.error().message);
    return std::nullopt;
  }
  const auto found = steps->Resolve(impl_->root());
  if (!found.value) {
    SetProblem(problem, tfjson::DescribeMismatch(*steps, found));
    return std::nullopt;
  }
  std::string out;
  tfjson::AppendCompact(out, found.value.text());
  return out;
}

std::optional<std::vector<Document::Found>> Document::Select(std::string_view selector,
                                                             SelectOptions options,
                                                             std::string* problem) const {
  const auto parsed = query::ParseSelector(selector);
  if (!parsed) {
    SetProblem(problem,
               parsed.error().message + ", at byte " + std::to_string(parsed.error().offset));
    return std::nullopt;
  }
  std::vector<Found> all;
  const tfjson::Secrets secrets =
      options.show_sensitive ? tfjson::Secrets() : tfjson::Secrets(impl_->root());
  query::Evaluator evaluator(impl_->root());
  evaluator.Run(parsed->segments, impl_->root(),
                [&](tfjson::Node node, std::span<const tfjson::TrailStep> trail) {
                  tfjson::MaskCursor cursor(tfjson::MaskCursor::Sort::kSensitive);
                  size_t depth = options.show_sensitive ? trail.size() : 0;
                  while (depth < trail.size() && !cursor.whole()) {
                    cursor = cursor.Into(trail[depth++]);
                  }
                  Found& found = all.emplace_back();
                  found.path = query::NormalizedPath(trail.first(depth));
                  if (options.show_sensitive) {
                    tfjson::AppendCompact(found.value, node.text());
                  } else {
                    tfjson::AppendRedacted(found.value, node, cursor, secrets);
                  }
                  return true;
                });
  if (evaluator.problem()) {
    SetProblem(problem, tfjson::DescribeProblem(*evaluator.problem()));
    return std::nullopt;
  }
  return all;
}

std::string Document::Redacted() const {
  std::string out;
  tfjson::AppendRedacted(out, impl_->root());
  return out;
}

std::optional<std::string> NormalizedPath(std::string_view json_path) {
  const auto path = tfjson::Path::FromJson(json_path);
  return path ? std::optional(path->ToNormalized()) : std::nullopt;
}

std::optional<std::string> JsonPathSteps(std::string_view normalized_path) {
  const auto path = tfjson::Path::FromNormalized(normalized_path);
  return path ? std::optional(path->ToJson()) : std::nullopt;
}

std::optional<std::string> Document::InFormat01(std::string* problem) const {
  std::string out;
  if (const auto written = tfjson::AppendFormat01(out, impl_->root()); !written) {
    SetProblem(problem, written.error().message);
    return std::nullopt;
  }
  return out;
}

bool Document::Check(const Shape& shape, std::string* problem) const {
  const tfjson::Node root = impl_->root();
  if (shape.has_version || !root.is_object()) {
    if (const auto version = tfjson::FormatVersionOf(root); !version) {
      SetProblem(problem, version.error().message);
      return false;
    }
  }
  bool has_one = shape.names[0].empty();
  for (const std::string_view name : shape.names) {
    has_one = has_one || (!name.empty() && root.Find(name));
  }
  if (!has_one) {
    SetProblem(problem, "the document is not " + std::string(shape.what) + ": it has no " +
                            std::string(shape.names[0]));
  }
  return has_one;
}

// --- JsonValue ---

namespace {

tfjson::Node NodeOf(const void* tree, uint32_t at) {
  return tree == nullptr ? tfjson::Node()
                         : tfjson::Node(static_cast<const tfjson::Tree*>(tree), at);
}

}  // namespace

JsonValue Document::root() const {
  const tfjson::Node root = impl_->root();
  JsonValue value;
  value.tree_ = &root.tree();
  value.at_ = root.at();
  return value;
}

JsonValue::Kind JsonValue::kind() const {
  const tfjson::Node node = NodeOf(tree_, at_);
  if (!node) {
    return Kind::kAbsent;
  }
  switch (node.kind()) {
    case tfjson::Kind::kNull:
      return Kind::kNull;
    case tfjson::Kind::kFalse:
    case tfjson::Kind::kTrue:
      return Kind::kBool;
    case tfjson::Kind::kNumber:
      return Kind::kNumber;
    case tfjson::Kind::kArray:
      return Kind::kArray;
    case tfjson::Kind::kObject:
      return Kind::kObject;
    default:
      return Kind::kString;
  }
}

bool JsonValue::IsTrue() const {
  const tfjson::Node node = NodeOf(tree_, at_);
  return node && node.is_true();
}

std::string JsonValue::Text() const {
  const tfjson::Node node = NodeOf(tree_, at_);
  return node && node.is_string()   ? node.String()
         : node && node.is_number() ? std::string(node.text())
                                    : std::string();
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
  if (const tfjson::Node node = NodeOf(tree_, at_)) {
    tfjson::AppendCompact(out, node.text());
  }
  return out;
}

size_t JsonValue::size() const {
  const tfjson::Node node = NodeOf(tree_, at_);
  return node && node.is_container() ? node.size() : 0;
}

JsonValue JsonValue::operator[](std::string_view name) const {
  const tfjson::Node node = NodeOf(tree_, at_);
  const tfjson::Node member = node && node.is_object() ? node.Find(name) : tfjson::Node();
  JsonValue value;
  if (member) {
    value.tree_ = tree_;
    value.at_ = member.at();
  }
  return value;
}

JsonValue JsonValue::At(size_t index) const {
  const tfjson::Node node = NodeOf(tree_, at_);
  const tfjson::Node element = node && node.is_array() ? node.At(index) : tfjson::Node();
  JsonValue value;
  if (element) {
    value.tree_ = tree_;
    value.at_ = element.at();
  }
  return value;
}

JsonValue::Iterator JsonValue::begin() const {
  const tfjson::Node node = NodeOf(tree_, at_);
  Iterator iterator;
  if (node && node.is_container()) {
    iterator.tree_ = tree_;
    iterator.at_ = at_ + 1;
    iterator.named_ = node.is_object();
  }
  return iterator;
}

JsonValue::Iterator JsonValue::end() const {
  const tfjson::Node node = NodeOf(tree_, at_);
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
  tfjson::TokenStream tokens;
  std::string problem;
};

DocumentStream::DocumentStream(Source source) : impl_(std::make_unique<Impl>(std::move(source))) {
}
DocumentStream::DocumentStream(DocumentStream&&) noexcept = default;
DocumentStream::~DocumentStream() = default;

std::optional<Document> DocumentStream::Next() {
  tfjson::TokenStream& tokens = impl_->tokens;
  if (impl_->problem.empty() && tokens.Peek() == '\0' && !tokens.TakeEnd()) {
    impl_->problem = tfjson::DescribeProblem(tokens.problem());
  }
  if (!impl_->problem.empty() || tokens.Peek() == '\0') {
    return std::nullopt;
  }
  // The tree refers to its text, which the stream does not keep: parses a copy.
  tokens.Hold();
  const uint64_t offset = tokens.Offset();
  if (!tokens.SkipValue()) {
    impl_->problem = tfjson::DescribeProblem(tokens.problem());
    return std::nullopt;
  }
  auto impl = std::make_shared<Document::Impl>();
  impl->text = tokens.Held();
  tokens.Release();
  tfjson::TokenStream copy(impl->text);
  if (!impl->tree.Read(copy)) {
    impl_->problem =
        tfjson::DescribeProblem({copy.problem().offset + offset, copy.problem().message});
    return std::nullopt;
  }
  Document document;
  document.impl_ = std::move(impl);
  return document;
}

const std::string& DocumentStream::problem() const {
  return impl_->problem;
}

bool CheckReport::passed() const {
  return problems.empty() && std::all_of(results.begin(), results.end(), [](const Result& result) {
           return result.status == Status::kPass;
         });
}

CheckReport RunChecks(CheckRun run) {
  CheckReport report;
  check::CheckFiles files;
  Diagnostics diags;
  for (CheckRun::File& file : run.files) {
    files.Add(file.name, std::move(file.text), diags);
  }
  for (const Diagnostic& diagnostic : diags) {
    if (diagnostic.is_error()) {
      report.problems.push_back(diagnostic.summary + ": " + diagnostic.detail);
    }
  }
  check::Documents documents;
  const auto read = [&](auto document, auto& list) {
    if (document) {
      list.push_back(*std::move(document));
    } else {
      report.problems.push_back(document.error().message);
    }
  };
  for (std::string& plan : run.plans) {
    read(check::PlanDocument::Read(std::move(plan), files.has_selectors()), documents.plans);
  }
  for (std::string& state : run.states) {
    read(check::StateDocument::Read(std::move(state), files.has_selectors()), documents.states);
  }
  if (!report.problems.empty()) {
    return report;
  }
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
