// The source that asks an OCI registry. Ref: opentofu internal/getproviders
// oci_registry_mirror_source.go.
#include "addrs/provider_source.h"
#include "install/sources.h"

namespace kinu::install {
namespace {

class OciMirror final : public PackageSource {
 public:
  explicit OciMirror(std::string location) : location_(std::move(location)) {}
  SourceResult<OfferedVersions> Versions(const std::string& address) override {
    return std::unexpected(SourceError{
        .message = "the OCI mirror " + location_ + " cannot be asked for " +
                   ProviderForDisplay(address) + ": this version does not support OCI mirrors"});
  }
  SourceResult<PackageOffer> Package(const std::string&, const Version&,
                                     const std::string&) override {
    return std::unexpected(SourceError{.problem = SourceProblem::kNotFound});
  }
  std::string Name(const std::string&) const override { return "OCI registry provider mirror"; }

 private:
  std::string location_;
};

}  // namespace

std::unique_ptr<PackageSource> MakeOciMirror(const InstallMethod& method, Network&) {
  return std::make_unique<OciMirror>(method.location);
}

}  // namespace kinu::install
