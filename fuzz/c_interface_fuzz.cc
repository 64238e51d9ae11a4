// Fuzzes the C interface: the first byte chooses the function, the rest is its text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <kinu/kinu.h>
#include <unistd.h>

#include "codec/zip.h"

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
  kinu_text_release(kinu_table_of_text(table, text.data(), text.size(), "f", 0, nullptr));
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
  kinu_text_release(kinu_document_text(document));
  kinu_text_release(kinu_document_summary(document, size % 512, nullptr));
  kinu_text_release(kinu_document_table(document, "changes", "f", size % 2, nullptr));
  kinu_document_release(document);
}

/// Reads all problems, as a caller does, and releases them.
void Read(kinu_problems* problems) {
  kinu_problem problem;
  for (size_t i = 0; kinu_problems_at(problems, i, &problem) != 0; ++i) {
    if (problem.summary.data[problem.summary.size] != '\0' ||
        problem.detail.data[problem.detail.size] != '\0' ||
        (problem.file.data != nullptr && problem.start.line == 0)) {
      std::abort();
    }
  }
  kinu_problems_release(problems);
}

/// The text up to a zero byte, or a first half, is an expression, the rest are variables.
void Evaluate(const char* text, size_t size) {
  const std::string_view all(text, size);
  // Functions that take minutes by design.
  if (all.find("bcrypt") != all.npos) {
    return;
  }
  const size_t end = std::min(all.find('\0'), size);
  const std::string_view variables = end < size ? all.substr(end + 1) : std::string_view();
  kinu_problems* problems = nullptr;
  kinu_text_release(
      kinu_evaluate(text, end, variables.data(), variables.size(), nullptr, &problems));
  Read(problems);
}

/// What is converted is converted back.
void Convert(const char* name, const char* text, size_t size, bool to_json) {
  kinu_problems* problems = nullptr;
  const kinu_text other = kinu_convert(name, text, size, to_json ? "json" : "native", &problems);
  Read(problems);
  if (other.data != nullptr) {
    const char* back = to_json ? "f.tf.json" : "f.tf";
    kinu_text_release(
        kinu_convert(back, other.data, other.size, to_json ? "native" : "json", nullptr));
  }
  kinu_text_release(other);
}

/// A directory of this process, in memory where that is possible.
const std::string& Directory() {
  static const std::string kDirectory = [] {
    std::string name =
        access("/dev/shm", W_OK) == 0 ? "/dev/shm/kinu_fuzz_XXXXXX" : "kinu_fuzz_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      std::abort();
    }
    return name;
  }();
  return kDirectory;
}

/// Loads a module of one file and evaluates it.
void LoadModule(const char* name, const char* text, size_t size) {
  if (std::string_view(text, size).find("bcrypt") != std::string_view::npos) {
    return;
  }
  const std::string path = Directory() + "/" + name;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(text, 1, size, file) != size || std::fclose(file) != 0) {
    std::abort();
  }
  static constexpr std::string_view kVariables = R"({"a":1,"b":"x","c":[true,null]})";
  kinu_problems* problems = nullptr;
  kinu_text_release(kinu_load_module(Directory().c_str(), &problems));
  Read(problems);
  for (const std::string_view variables : {std::string_view(), kVariables}) {
    kinu_text_release(
        kinu_module_values(Directory().c_str(), variables.data(), variables.size(), 0, &problems));
    Read(problems);
  }
  (void)unlink(path.c_str());
}

/// A plan file with this message, which begins with what every plan has.
std::string PlanFileWith(std::string_view message) {
  static constexpr std::string_view kState = "{\"version\":4,\"lineage\":\"\",\"serial\":0}";
  std::string plan =
      "\x08\x03\x72\x06"
      "1.12.6";
  plan += message;
  kinu::ZipWriter zip;
  zip.Add("tfplan", plan, kinu::ZipMethod::kStored);
  zip.Add("tfstate", kState, kinu::ZipMethod::kStored);
  zip.Add("tfstate-prev", kState, kinu::ZipMethod::kStored);
  zip.Add("tfconfig/modules.json", R"([{"Key":"","Dir":"."}])", kinu::ZipMethod::kStored);
  return zip.Finish();
}

/// Reads a plan file in each way.
void ReadPlanFile(std::string_view bytes) {
  kinu_problems* problems = nullptr;
  kinu_text_release(kinu_plan_file(bytes.data(), bytes.size(), 1, &problems));
  Read(problems);
  Select(bytes.data(), bytes.size());
  ReadTable("changes", std::string(bytes));
}

void Check(const char* text, size_t size) {
  static constexpr char kPlan[] = R"({"format_version":"1.2","resource_changes":[]})";
  const kinu_named_text checks = {"c.hcl", text, size};
  const kinu_named_text plans = {"p", kPlan, sizeof kPlan - 1};
  kinu_problems* problems = nullptr;
  kinu_text_release(kinu_check(&checks, 1, &plans, 1, nullptr, 0, 0, nullptr, &problems));
  Read(problems);
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
  switch (data[0] % 32) {
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
    case 16:
    case 17:
      Evaluate(text, length);
      break;
    case 18:
      Convert("f.tf", text, length, true);
      break;
    case 19:
      Convert("f.tf.json", text, length, false);
      break;
    case 20:
    case 21:
      LoadModule("f.tf", text, length);
      break;
    case 22:
      LoadModule("f.tf.json", text, length);
      break;
    case 23:
      LoadModule("f_override.tf", text, length);
      break;
    case 24:
      ReadPlanFile({text, length});
      break;
    case 25:
      ReadPlanFile(PlanFileWith({text, length}));
      break;
    default:
      ReadTable(kTables[data[0] % 16 % 9], std::string(text, length));
  }
  return 0;
}
