#include "install/package_runtime.h"

#include "base/module.h"

namespace kinu::install {

Result<PackageRuntime*> LoadPackageRuntime() {
  static const Result<PackageRuntime*> kRuntime = LoadModuleRuntime<PackageRuntime>(
      "kinu-install.so", kPackageRuntimeSymbol, kPackageRuntimeVersion,
      "that verifies and unpacks packages");
  return kRuntime;
}

}  // namespace kinu::install
