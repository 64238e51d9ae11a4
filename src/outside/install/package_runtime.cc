#include "install/package_runtime.h"

#include "base/module.h"

namespace kinu::install {
namespace {

Result<PackageRuntime*> LoadModule() {
  KINU_TRY(void* symbol, FindModuleSymbol("kinu-install.so", kPackageRuntimeSymbol,
                                          "that verifies and unpacks packages"));
  PackageRuntime* runtime =
      reinterpret_cast<PackageRuntimeFunction>(symbol)(kPackageRuntimeVersion);
  if (runtime == nullptr) {
    return Fail(ErrorCode::kInvalid, "kinu-install.so belongs to another version of this program");
  }
  return runtime;
}

}  // namespace

Result<PackageRuntime*> LoadPackageRuntime() {
  static const Result<PackageRuntime*> kRuntime = LoadModule();
  return kRuntime;
}

}  // namespace kinu::install
