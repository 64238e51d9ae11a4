#include "lsp/structures.h"

#include <algorithm>

#include "lsp/uri.h"

namespace kinu::lsp {

const Text* StructureWriter::TextOf(const std::string& key) {
  if (const Document* document = view_.Open(key)) {
    return document->text.get();
  }
  const auto [at, is_new] = texts_.try_emplace(key);
  if (is_new && view_.snapshot != nullptr) {
    if (const auto source = view_.snapshot->Text(key)) {
      at->second = std::make_shared<const Text>(std::string(source->text()));
    }
  }
  return at->second.get();
}

std::string StructureWriter::UriOf(const std::string& key) const {
  const Document* document = view_.Open(key);
  return document != nullptr ? document->uri : UriOfPath(key);
}

LinePosition StructureWriter::PositionOf(const std::string& key, uint32_t offset) {
  const Text* text = TextOf(key);
  return text == nullptr ? LinePosition() : text->PositionAt(offset, encoding());
}

LineRange StructureWriter::RangeOf(const std::string& key, ide::Span span) {
  return {.start = PositionOf(key, span.begin), .end = PositionOf(key, span.end)};
}

void StructureWriter::Position(LinePosition position) {
  json_.BeginObject();
  json_.Member("line", static_cast<int64_t>(position.line));
  json_.Member("character", static_cast<int64_t>(position.character));
  json_.EndObject();
}

void StructureWriter::Range(const LineRange& range) {
  json_.BeginObject();
  json_.Key("start");
  Position(range.start);
  json_.Key("end");
  Position(range.end);
  json_.EndObject();
}

void StructureWriter::Range(JsonKey key, const std::string& document, ide::Span span) {
  json_.Key(key);
  Range(RangeOf(document, span));
}

void StructureWriter::Location(const ide::Place& place) {
  json_.BeginObject();
  json_.Member("uri", UriOf(place.path));
  Range("range", place.path, place.span);
  json_.EndObject();
}

void StructureWriter::Locations(std::span<const ide::Place> places) {
  json_.BeginArray();
  for (const ide::Place& place : places) {
    Location(place);
  }
  json_.EndArray();
}

void StructureWriter::TextEdit(const std::string& document, const ide::TextEdit& edit) {
  json_.BeginObject();
  Range("range", document, edit.span);
  json_.Member("newText", edit.text);
  json_.EndObject();
}

void StructureWriter::TextEdits(const std::string& document, std::span<const ide::TextEdit> edits) {
  json_.BeginArray();
  for (const ide::TextEdit& edit : edits) {
    TextEdit(document, edit);
  }
  json_.EndArray();
}

void StructureWriter::WorkspaceEdit(const ide::WorkspaceEdit& edit) {
  json_.BeginObject();
  if (view_.client->document_changes) {
    DocumentChanges(edit);
  } else {
    Changes(edit);
  }
  json_.EndObject();
}

void StructureWriter::DocumentChanges(const ide::WorkspaceEdit& edit) {
  json_.Key("documentChanges");
  json_.BeginArray();
  for (const ide::FileEdits& file : edit) {
    const std::string uri = UriOf(file.path);
    if (file.creates && view_.client->creates_files) {
      json_.BeginObject();
      json_.Member("kind", "create");
      json_.Member("uri", uri);
      json_.EndObject();
    }
    const Document* document = view_.Open(file.path);
    json_.BeginObject();
    json_.Key("textDocument");
    json_.BeginObject();
    json_.Member("uri", uri);
    json_.Key("version");
    if (document != nullptr) {
      json_.Int(document->version);
    } else {
      json_.Null();
    }
    json_.EndObject();
    json_.Key("edits");
    TextEdits(file.path, file.edits);
    json_.EndObject();
  }
  json_.EndArray();
}

void StructureWriter::Changes(const ide::WorkspaceEdit& edit) {
  json_.Key("changes");
  json_.BeginObject();
  for (const ide::FileEdits& file : edit) {
    json_.Key(UriOf(file.path));
    TextEdits(file.path, file.edits);
  }
  json_.EndObject();
}

void StructureWriter::Markup(JsonKey key, std::string_view markdown, bool as_markdown) {
  json_.Key(key);
  json_.BeginObject();
  json_.Member("kind", as_markdown ? "markdown" : "plaintext");
  json_.Member("value", as_markdown ? std::string(markdown) : PlainText(markdown));
  json_.EndObject();
}

void StructureWriter::Documentation(JsonKey key, std::string_view markdown, bool as_markdown) {
  if (as_markdown) {
    Markup(key, markdown, true);
  } else {
    json_.Member(key, PlainText(markdown));
  }
}

void StructureWriter::Problem(const std::string& document, const ide::Problem& problem) {
  constexpr int kError = 1;
  constexpr int kWarning = 2;
  constexpr int kDeprecated = 2;  // among the tags
  json_.BeginObject();
  Range("range", document, problem.span);
  json_.Member("severity", problem.severity == Severity::kError ? kError : kWarning);
  json_.Member("source", "kinu");
  json_.Member("message", problem.detail.empty() ? problem.summary
                                                 : problem.summary + "\n\n" + problem.detail);
  if (problem.is_deprecation && view_.client->problem_tags) {
    json_.Key("tags");
    json_.BeginArray();
    json_.Int(kDeprecated);
    json_.EndArray();
  }
  json_.EndObject();
}

void StructureWriter::Problems(const std::string& document,
                               std::span<const ide::Problem> problems) {
  json_.BeginArray();
  for (const ide::Problem& problem : problems) {
    Problem(document, problem);
  }
  json_.EndArray();
}

std::string PlainText(std::string_view markdown) {
  std::string plain;
  while (!markdown.empty()) {
    std::string_view line = markdown.substr(0, markdown.find('\n'));
    markdown.remove_prefix(std::min(markdown.size(), line.size() + 1));
    if (line.starts_with("```")) {
      continue;
    }
    while (line.starts_with('#')) {
      line.remove_prefix(line.starts_with("# ") ? 2 : 1);
    }
    for (size_t i = 0; i < line.size(); ++i) {
      const bool is_strong = line.substr(i, 2) == "**";
      if (is_strong) {
        ++i;
      } else if (line[i] != '`') {
        plain += line[i];
      }
    }
    plain += '\n';
  }
  while (plain.ends_with('\n')) {
    plain.pop_back();
  }
  return plain;
}

std::string PlainSnippet(std::string_view snippet) {
  std::string plain;
  size_t open = 0;  // stops whose text is being copied
  for (size_t i = 0; i < snippet.size(); ++i) {
    const char c = snippet[i];
    const char next = i + 1 < snippet.size() ? snippet[i + 1] : '\0';
    if (c == '\\' && next != '\0') {
      plain += next;
      ++i;
    } else if (c == '$' && next >= '0' && next <= '9') {
      i = std::min(snippet.size(), snippet.find_first_not_of("0123456789", i + 1)) - 1;
    } else if (c == '$' && next == '{') {
      const size_t end = snippet.find_first_not_of("0123456789", i + 2);
      if (end < snippet.size() && snippet[end] == '|') {  // a choice: the first one
        const size_t first = snippet.find_first_of(",|", end + 1);
        plain += snippet.substr(end + 1, first - end - 1);
        i = std::min(snippet.size(), snippet.find("|}", end + 1)) + 1;
        continue;
      }
      const bool has_text = end < snippet.size() && snippet[end] == ':';
      open += has_text || end >= snippet.size() || snippet[end] != '}' ? 1 : 0;
      i = std::min(snippet.size() - 1, end);
    } else if (c == '}' && open > 0) {
      --open;
    } else {
      plain += c;
    }
  }
  return plain;
}

}  // namespace kinu::lsp
