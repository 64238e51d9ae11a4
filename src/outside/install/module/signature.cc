#include "install/module/signature.h"

#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>

#include <rnp/rnp.h>
#include <rnp/rnp_err.h>

namespace kinu::install {
namespace {

struct FfiDeleter {
  void operator()(rnp_ffi_st* ffi) const { rnp_ffi_destroy(ffi); }
};
struct InputDeleter {
  void operator()(rnp_input_st* input) const { rnp_input_destroy(input); }
};
struct VerifyDeleter {
  void operator()(rnp_op_verify_st* operation) const { rnp_op_verify_destroy(operation); }
};
struct KeyDeleter {
  void operator()(rnp_key_handle_st* key) const { rnp_key_handle_destroy(key); }
};
using Ffi = std::unique_ptr<rnp_ffi_st, FfiDeleter>;
using Input = std::unique_ptr<rnp_input_st, InputDeleter>;
using Verification = std::unique_ptr<rnp_op_verify_st, VerifyDeleter>;
using Key = std::unique_ptr<rnp_key_handle_st, KeyDeleter>;

/// Discards what librnp prints to the stream stderr about signatures, which no setting turns off.
/// One verification at a time; this program itself prints nothing to the stream meanwhile.
class QuietStream {
 public:
  QuietStream() : lock_(Mutex()), before_(stderr) {
    static FILE* null = std::fopen("/dev/null", "we");
    if (null != nullptr) {
      stderr = null;
    }
  }
  QuietStream(const QuietStream&) = delete;
  QuietStream& operator=(const QuietStream&) = delete;
  ~QuietStream() { stderr = before_; }

 private:
  static std::mutex& Mutex() {
    static std::mutex mutex;
    return mutex;
  }
  std::lock_guard<std::mutex> lock_;
  FILE* before_;
};

Input MakeInput(std::string_view bytes) {
  rnp_input_t input = nullptr;
  rnp_input_from_memory(&input, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                        false);
  return Input(input);
}

std::string TakeText(char* text) {
  std::string out = text == nullptr ? "" : text;
  rnp_buffer_destroy(text);
  return out;
}

bool IsExpired(rnp_key_handle_t key) {
  uint32_t created = 0;
  uint32_t lifetime = 0;
  rnp_key_get_creation(key, &created);
  rnp_key_get_expiration(key, &lifetime);
  return lifetime != 0 &&
         static_cast<time_t>(created) + static_cast<time_t>(lifetime) < std::time(nullptr);
}

/// The key itself, or the primary key that it belongs to.
Key PrimaryOf(rnp_ffi_t ffi, Key key) {
  bool is_sub = false;
  char* grip = nullptr;
  if (rnp_key_is_sub(key.get(), &is_sub) != RNP_SUCCESS || !is_sub ||
      rnp_key_get_primary_grip(key.get(), &grip) != RNP_SUCCESS) {
    return key;
  }
  rnp_key_handle_t primary = nullptr;
  rnp_locate_key(ffi, "grip", grip, &primary);
  rnp_buffer_destroy(grip);
  return primary == nullptr ? std::move(key) : Key(primary);
}

SignatureResult Judge(rnp_ffi_t ffi, rnp_op_verify_signature_t signature) {
  SignatureResult out;
  const rnp_result_t status = rnp_op_verify_signature_get_status(signature);
  if (status == RNP_ERROR_KEY_NOT_FOUND) {
    out.status = SignatureStatus::kUnknownKey;
    return out;
  }
  rnp_key_handle_t handle = nullptr;
  rnp_op_verify_signature_get_key(signature, &handle);
  if (handle == nullptr) {
    out.status = SignatureStatus::kUnknownKey;
    return out;
  }
  Key key(handle);
  const bool key_expired = IsExpired(key.get());
  const Key primary = PrimaryOf(ffi, std::move(key));
  char* id = nullptr;
  rnp_key_get_keyid(primary.get(), &id);
  out.key_id = TakeText(id);
  if (status == RNP_SUCCESS) {
    out.status = key_expired || IsExpired(primary.get()) ? SignatureStatus::kExpired
                                                         : SignatureStatus::kValid;
  } else if (status == RNP_ERROR_SIGNATURE_EXPIRED) {
    out.status = SignatureStatus::kExpired;
  } else {
    out.problem = rnp_result_to_string(status);
  }
  return out;
}

}  // namespace

Result<SignatureResult> VerifyDetached(std::string_view document, std::string_view signature,
                                       std::string_view key_ring) {
  const QuietStream quiet;
  rnp_ffi_t raw = nullptr;
  if (rnp_ffi_create(&raw, "GPG", "GPG") != RNP_SUCCESS) {
    return Fail(ErrorCode::kUnavailable, "the signature library could not be started");
  }
  const Ffi ffi(raw);
  const Input keys = MakeInput(key_ring);
  if (key_ring.empty() || keys == nullptr ||
      rnp_import_keys(ffi.get(), keys.get(), RNP_LOAD_SAVE_PUBLIC_KEYS, nullptr) != RNP_SUCCESS) {
    return Fail(ErrorCode::kInvalid, "the signing key is not an OpenPGP key");
  }
  const Input text = MakeInput(document);
  const Input detached = MakeInput(signature);
  rnp_op_verify_t operation = nullptr;
  SignatureResult out;
  if (text == nullptr || detached == nullptr ||
      rnp_op_verify_detached_create(&operation, ffi.get(), text.get(), detached.get()) !=
          RNP_SUCCESS) {
    out.problem = "the signature cannot be read";
    return out;
  }
  const Verification verification(operation);
  const rnp_result_t executed = rnp_op_verify_execute(verification.get());
  size_t count = 0;
  rnp_op_verify_get_signature_count(verification.get(), &count);
  out.problem = count == 0 ? "the signature cannot be read" : rnp_result_to_string(executed);
  // The best answer of several signatures counts.
  for (size_t i = 0; i < count; ++i) {
    rnp_op_verify_signature_t each = nullptr;
    if (rnp_op_verify_get_signature_at(verification.get(), i, &each) != RNP_SUCCESS) {
      continue;
    }
    SignatureResult judged = Judge(ffi.get(), each);
    if (i == 0 || judged.status < out.status) {
      out = std::move(judged);
    }
  }
  return out;
}

}  // namespace kinu::install
