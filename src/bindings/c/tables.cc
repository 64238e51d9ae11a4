// Tables: of files, and of documents that the caller has.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "c/arrow_stream.h"
#include "c/document.h"
#include "c/guard.h"
#include "json/writer.h"
#include "table/reader.h"
#include "table/table.h"
#include "table/writer.h"

namespace kinu::c {
namespace {

std::string TablesJson() {
  static constexpr std::string_view kTypes[] = {"text", "integer", "number", "boolean"};
  std::string out;
  JsonWriter json(out, {.escape = JsonEscape::kPlain, .indent = {}, .prefix = {}});
  json.BeginArray();
  for (const table::TableSpec& table : table::Tables()) {
    json.BeginObject();
    json.Member("name", table.name);
    json.Member("description", table.description);
    json.Key("columns");
    json.BeginArray();
    for (const table::ColumnSpec& column : table.columns) {
      json.BeginObject();
      json.Member("name", column.name);
      json.Member("type", kTypes[static_cast<size_t>(column.type)]);
      json.Member("description", column.description);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  return out;
}

/// The table of that name; else reports that there is none.
const table::TableSpec* Find(const char* name, kinu_problems** problems) {
  const table::TableSpec* table = table::FindTable(name == nullptr ? "" : name);
  if (table == nullptr) {
    GiveError(problems, "Invalid table",
              "There is no table \"" + std::string(name == nullptr ? "" : name) + "\".");
  } else {
    Give(problems, {});
  }
  return table;
}

/// The same, if the other arguments of its function are `complete`; else reports what is missing.
const table::TableSpec* Find(const char* name, bool complete, kinu_problems** problems) {
  if (!complete) {
    Missing(problems, "a source of documents and a stream to fill");
    return nullptr;
  }
  return Find(name, problems);
}

/// A table of one document as a stream of Arrow IPC.
kinu_text ArrowText(const table::TableSpec& table, const std::string& source, std::string document,
                    const table::SourceOptions& options, kinu_problems** problems) {
  std::string out;
  std::string problem;
  const auto writer = table::kArrow.open(table.columns, [&](std::string_view bytes) {
    out += bytes;
    return true;
  });
  table::TableReader reader(
      table, options, [&](const table::Batch& batch) { return writer->Add(batch); },
      [&](std::string_view, std::string_view reason) { problem = reason; });
  reader.Add(source, std::move(document));
  if (!problem.empty()) {
    GiveError(problems, "Invalid document", std::move(problem));
    return {nullptr, 0};
  }
  reader.Finish();
  writer->Finish();
  return Text(out);
}

std::vector<std::string> Names(std::span<const char* const> paths) {
  std::vector<std::string> names;
  for (const char* path : paths) {
    names.emplace_back(path == nullptr ? "" : path);
  }
  return names;
}

/// Reads files one after the other.
DocumentSource Files(std::vector<std::string> paths) {
  return [paths = std::move(paths), at = size_t{0}]() mutable -> NextDocument {
    using enum NextDocument::Status;
    if (at == paths.size()) {
      return {};
    }
    const std::string& path = paths[at++];
    Result<std::string> text = ReadFile(path);
    return text ? NextDocument{kDocument, path, *std::move(text)}
                : NextDocument{kProblem, path, std::move(text).error().message};
  };
}

/// The documents of a caller.
class Callers {
 public:
  Callers(kinu_next_document next, void* context, void (*release)(void*))
      : next_(next), context_(context, release == nullptr ? [](void*) {} : release) {}

  NextDocument operator()() {
    using enum NextDocument::Status;
    kinu_named_text text{};
    const int status = next_(context_.get(), &text);
    if (status == 0) {
      return {};
    }
    std::string name = text.name == nullptr ? "" : text.name;
    if (status < 0) {
      return {kFailed, std::move(name), std::string(View(text.text, text.size))};
    }
    if (text.text == nullptr) {
      return {kProblem, std::move(name), "it could not be read"};
    }
    return {status == kUnreadable ? kProblem : kDocument, std::move(name),
            std::string(text.text, text.size)};
  }

 private:
  static constexpr int kUnreadable = 2;

  kinu_next_document next_;
  std::shared_ptr<void> context_;
};

}  // namespace
}  // namespace kinu::c

using kinu::c::Guarded;

extern "C" {

kinu_text kinu_tables(void) {
  return Guarded(kinu_text{nullptr, 0}, [] { return kinu::c::Text(kinu::c::TablesJson()); });
}

int kinu_table_of_files(const char* table, const char* const* paths, size_t count,
                        int show_sensitive, struct ArrowArrayStream* out,
                        kinu_problems** problems) {
  return Guarded(-1, [&] {
    const bool complete = out != nullptr && (paths != nullptr || count == 0);
    const kinu::table::TableSpec* spec = kinu::c::Find(table, complete, problems);
    if (spec == nullptr) {
      return -1;
    }
    kinu::c::OpenStream(*spec, {.show_sensitive = show_sensitive != 0},
                        kinu::c::Files(kinu::c::Names(std::span(paths, count))), out);
    return 0;
  });
}

int kinu_table_of_documents(const char* table, kinu_next_document next, void* context,
                            void (*release)(void* context), int show_sensitive,
                            struct ArrowArrayStream* out, kinu_problems** problems) {
  return Guarded(-1, [&] {
    const bool complete = out != nullptr && next != nullptr;
    const kinu::table::TableSpec* spec = kinu::c::Find(table, complete, problems);
    if (spec == nullptr) {
      return -1;
    }
    kinu::c::OpenStream(*spec, {.show_sensitive = show_sensitive != 0},
                        kinu::c::Callers(next, context, release), out);
    return 0;
  });
}

kinu_text kinu_document_table(const kinu_document* document, const char* table, const char* source,
                              int show_sensitive, kinu_problems** problems) {
  return Guarded(kinu_text{nullptr, 0}, [&] {
    if (document == nullptr) {
      return kinu::c::Missing(problems, "a document");
    }
    const kinu::table::TableSpec* spec = kinu::c::Find(table, problems);
    if (spec == nullptr) {
      return kinu_text{nullptr, 0};
    }
    return kinu::c::ArrowText(*spec, source == nullptr ? "" : source,
                              std::string(document->document.root().Json()),
                              {.show_sensitive = show_sensitive != 0}, problems);
  });
}

kinu_text kinu_table_of_text(const char* table, const char* text, size_t size, const char* source,
                             int show_sensitive, kinu_problems** problems) {
  return Guarded(kinu_text{nullptr, 0}, [&] {
    if (text == nullptr) {
      return kinu::c::Missing(problems, "a text");
    }
    const kinu::table::TableSpec* spec = kinu::c::Find(table, problems);
    if (spec == nullptr) {
      return kinu_text{nullptr, 0};
    }
    std::string document(text, size);
    if (auto problem = kinu::c::ProblemOfPlanFile(document, *spec)) {
      kinu::c::GiveError(problems, "Unreadable plan file", *std::move(problem));
      return kinu_text{nullptr, 0};
    }
    return kinu::c::ArrowText(*spec, source == nullptr ? "" : source, std::move(document),
                              {.show_sensitive = show_sensitive != 0}, problems);
  });
}

}  // extern "C"
