// Reads a plan file or a state file and writes it again: `reencode IN OUT`. tools/with_reference.sh
// uses it to check that OpenTofu accepts the files that kinu writes. Plans may use resources of the
// built-in provider only.
#include <cstdio>
#include <string>

#include "base/files.h"
#include "plan/plan_file.h"
#include "provider/builtin.h"

namespace {

using namespace kinu;  // NOLINT(google-build-using-namespace): a small program

const schema::ResourceSchema* BuiltIn(Symbol, const ResourceName& resource) {
  const schema::ProviderSchema& builtin = provider::BuiltInSchema();
  return resource.mode == ResourceMode::kData ? builtin.FindData("terraform_remote_state")
                                              : builtin.FindResource("terraform_data");
}

Result<void> Reencode(const std::string& in, const std::string& out) {
  auto program = std::make_shared<Program>();
  KINU_TRY(std::string bytes, ReadFile(in));
  if (bytes.starts_with("PK")) {
    KINU_TRY(plan::PlanFile file, plan::PlanFile::FromBytes(std::move(bytes)));
    KINU_TRY(plan::Plan read, file.Read(program, BuiltIn));
    return plan::WritePlanFile(out, read, BuiltIn, *state::NoSealing());
  }
  KINU_TRY(state::State read, state::ReadState(program, std::move(bytes)));
  return ReplaceFile(out, state::WriteState(read, state::Layout::kIndented));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: reencode IN OUT\n", stderr);
    return 2;
  }
  kinu::Result<void> done = Reencode(argv[1], argv[2]);
  if (!done) {
    std::fprintf(stderr, "%s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}
