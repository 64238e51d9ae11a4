// Fuzzes plan files. The first byte chooses whether the rest is the archive or the message in it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "codec/zip.h"
#include "plan/plan_file.h"
#include "provider/builtin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  if (size == 0) {
    return 0;
  }
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    static constexpr std::string_view kState = "{\"version\":4,\"lineage\":\"\",\"serial\":0}";
    ZipWriter zip;
    // A valid format version and program version, followed by the fields of the input.
    zip.Add("tfplan",
            "\x08\x03\x72\x06"
            "1.12.6" +
                bytes,
            ZipMethod::kStored);
    zip.Add("tfstate", kState, ZipMethod::kStored);
    zip.Add("tfstate-prev", kState, ZipMethod::kStored);
    zip.Add("tfconfig/modules.json", "[]", ZipMethod::kStored);
    bytes = zip.Finish();
  }
  Result<plan::PlanFile> file = plan::PlanFile::FromBytes(std::move(bytes));
  if (!file) {
    return 0;
  }
  plan::SchemaLookup schemas = [](Symbol, const ResourceName& resource) {
    return resource.mode == ResourceMode::kData
               ? provider::BuiltInSchema().FindData("terraform_remote_state")
               : provider::BuiltInSchema().FindResource("terraform_data");
  };
  (void)file->Configuration();
  (void)file->LockFile();
  (void)file->Providers();
  if (Result<plan::Plan> plan = file->Read(std::make_shared<Program>(), schemas)) {
    (void)plan->CanApply();
    (void)plan::EncodePlanFile(*plan, schemas);
  }
  return 0;
}
