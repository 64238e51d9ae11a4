// Documents: selectors and checks.
#include <span>

#include "c/document.h"
#include "c/guard.h"
#include "json/writer.h"

namespace kinu::c {
namespace {

kinu_text Select(const kinu_document& document, std::string_view selector, bool show_sensitive,
                 kinu_problems** problems) {
  v1::Diagnostics found;
  const auto values = document.document.Select(selector, {.show_sensitive = show_sensitive}, found);
  Give(problems, std::move(found));
  if (!values) {
    return {nullptr, 0};
  }
  std::string out;
  JsonWriter json(out, {.escape = JsonEscape::kPlain, .indent = {}, .prefix = {}});
  json.BeginArray();
  for (const v1::Document::Found& value : *values) {
    json.BeginObject();
    json.Member("path", value.path);
    json.Key("value");
    json.Raw(value.value);
    json.EndObject();
  }
  json.EndArray();
  return Text(out);
}

std::vector<std::string> Texts(const kinu_named_text* texts, size_t count) {
  std::vector<std::string> out;
  for (const kinu_named_text& text : std::span(texts, count)) {
    out.emplace_back(View(text.text, text.size));
  }
  return out;
}

}  // namespace
}  // namespace kinu::c

using kinu::c::Guarded;
using kinu::c::View;

extern "C" {

kinu_document* kinu_document_parse(const char* text, size_t size, kinu_problems** problems) {
  return Guarded(static_cast<kinu_document*>(nullptr), [&]() -> kinu_document* {
    kinu::v1::Diagnostics found;
    kinu::v1::Document document = kinu::v1::Document::Parse(std::string(View(text, size)), found);
    kinu::c::Give(problems, std::move(found));
    return document ? new kinu_document{std::move(document)} : nullptr;
  });
}

kinu_document* kinu_document_open(const char* path, kinu_problems** problems) {
  return Guarded(static_cast<kinu_document*>(nullptr), [&]() -> kinu_document* {
    if (path == nullptr) {
      kinu::c::Missing(problems, "a path");
      return nullptr;
    }
    kinu::v1::Diagnostics found;
    kinu::v1::Document document = kinu::v1::Document::Open(path, found);
    kinu::c::Give(problems, std::move(found));
    return document ? new kinu_document{std::move(document)} : nullptr;
  });
}

void kinu_document_release(kinu_document* document) {
  delete document;
}

kinu_text kinu_document_select(const kinu_document* document, const char* selector,
                               int show_sensitive, kinu_problems** problems) {
  return Guarded(kinu_text{nullptr, 0}, [&] {
    if (document == nullptr || selector == nullptr) {
      return kinu::c::Missing(problems, "a document and a selector");
    }
    return kinu::c::Select(*document, selector, show_sensitive != 0, problems);
  });
}

kinu_text kinu_document_summary(const kinu_document* document, size_t bytes,
                                kinu_problems** problems) {
  return Guarded(kinu_text{nullptr, 0}, [&] {
    if (document == nullptr) {
      return kinu::c::Missing(problems, "a document");
    }
    kinu::v1::Diagnostics found;
    const auto summary = document->document.Summary(bytes, found);
    kinu::c::Give(problems, std::move(found));
    return summary ? kinu::c::Text(*summary) : kinu_text{nullptr, 0};
  });
}

kinu_text kinu_document_text(const kinu_document* document) {
  return Guarded(kinu_text{nullptr, 0}, [&] {
    return document == nullptr ? kinu_text{nullptr, 0}
                               : kinu::c::Text(document->document.root().Json());
  });
}

kinu_text kinu_document_redacted(const kinu_document* document) {
  return Guarded(kinu_text{nullptr, 0}, [&] {
    return document == nullptr ? kinu_text{nullptr, 0}
                               : kinu::c::Text(document->document.Redacted());
  });
}

kinu_text kinu_check(const kinu_named_text* checks, size_t checks_count,
                     const kinu_named_text* plans, size_t plans_count,
                     const kinu_named_text* states, size_t states_count, int show_sensitive,
                     int* passed, kinu_problems** problems) {
  return Guarded(kinu_text{nullptr, 0}, [&]() -> kinu_text {
    kinu::v1::CheckRun run;
    for (const kinu_named_text& check : std::span(checks, checks_count)) {
      run.files.push_back(
          {check.name == nullptr ? "" : check.name, std::string(View(check.text, check.size))});
    }
    run.plans = kinu::c::Texts(plans, plans_count);
    run.states = kinu::c::Texts(states, states_count);
    run.show_sensitive = show_sensitive != 0;
    kinu::v1::Diagnostics found;
    const kinu::v1::CheckReport report = kinu::v1::RunChecks(std::move(run), found);
    kinu::c::Give(problems, std::move(found));
    if (passed != nullptr) {
      *passed = report.passed() ? 1 : 0;
    }
    return report.complete ? kinu::c::Text(report.json) : kinu_text{nullptr, 0};
  });
}

}  // extern "C"
