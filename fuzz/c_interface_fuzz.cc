// Fuzzes the C interface: the first byte chooses the function, the rest is its text.

#include <cstddef>
#include <cstdint>
#include <string>

#include <kinu/kinu.h>

namespace {

int GiveOnce(void* context, kinu_named_text* out) {
  auto* text = static_cast<std::string*>(context);
  if (text->empty()) {
    return 0;
  }
  static std::string given;
  given = *text;
  text->clear();
  *out = {"f", given.data(), given.size()};
  return 1;
}

void ReadTable(const char* table, std::string text) {
  ArrowArrayStream stream{};
  if (kinu_table_of_documents(table, GiveOnce, &text, nullptr, 0, &stream, nullptr) != 0) {
    return;
  }
  ArrowArray batch{};
  while (stream.get_next(&stream, &batch) == 0 && batch.release != nullptr) {
    batch.release(&batch);
  }
  stream.release(&stream);
}

void Select(const char* text, size_t size) {
  kinu_document* document = kinu_document_parse(text, size, nullptr);
  if (document == nullptr) {
    return;
  }
  kinu_text_release(kinu_document_select(document, "$..*", 0, nullptr));
  kinu_text_release(kinu_document_redacted(document));
  kinu_document_release(document);
}

void Check(const char* text, size_t size) {
  static constexpr char kPlan[] = R"({"format_version":"1.2","resource_changes":[]})";
  const kinu_named_text checks = {"c.hcl", text, size};
  const kinu_named_text plans = {"p", kPlan, sizeof kPlan - 1};
  kinu_problems* problems = nullptr;
  kinu_text_release(kinu_check(&checks, 1, &plans, 1, nullptr, 0, 0, nullptr, &problems));
  kinu_problem problem;
  for (size_t i = 0; kinu_problems_at(problems, i, &problem) != 0; ++i) {
  }
  kinu_problems_release(problems);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  static constexpr const char* kTables[] = {"resources", "changes",    "attributes",
                                            "outputs",   "checks",     "providers",
                                            "modules",   "references", "problems"};
  const auto* text = reinterpret_cast<const char*>(data) + 1;
  const size_t length = size - 1;
  switch (data[0] % 16) {
    case 0:
      kinu_text_release(kinu_parse("f.hcl", text, length, nullptr));
      break;
    case 1:
      kinu_text_release(kinu_format(text, length));
      break;
    case 2:
      Select(text, length);
      break;
    case 3:
      Check(text, length);
      break;
    default:
      ReadTable(kTables[data[0] % 16 % 9], std::string(text, length));
  }
  return 0;
}
