// Fuzzes OpenPGP: key rings and signatures in armour or without. No input is a valid signature of
// the document, because none of the seeds is.

#include "answers.h"
#include "base/invariant.h"
#include "install/module/signature.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  const auto parts = fuzz::SplitInput(data, size);
  const auto result = install::VerifyDetached("document of the fuzz target",
                                              parts.size() > 1 ? parts[1] : "", parts[0]);
  if (!result) {
    KINU_INVARIANT(!result.error().message.empty(), "an error has a message");
    return 0;
  }
  KINU_INVARIANT(result->status != install::SignatureStatus::kValid,
                 "forged signatures are invalid");
  return 0;
}
