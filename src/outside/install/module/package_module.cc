// The module kinu-install.so: signatures and archives.
#include "install/module/signature.h"
#include "install/module/unpack.h"

namespace kinu::install {
namespace {

class ModuleRuntime final : public PackageRuntime {
 public:
  Result<SignatureResult> VerifySignature(std::string_view document, std::string_view signature,
                                          std::string_view key_ring) override {
    return VerifyDetached(document, signature, key_ring);
  }
  Result<size_t> Unpack(const std::string& archive, const std::string& directory, unsigned umask,
                        std::string_view extension) override {
    return UnpackArchive(archive, directory, umask, extension);
  }
};

}  // namespace
}  // namespace kinu::install

extern "C" __attribute__((visibility("default"))) kinu::install::PackageRuntime*
kinu_package_runtime(int version) {
  static auto* runtime = new kinu::install::ModuleRuntime();
  return version == kinu::install::kPackageRuntimeVersion ? runtime : nullptr;
}
