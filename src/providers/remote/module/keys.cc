#include "remote/module/keys.h"

#include <string_view>

namespace kinu::remote {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// Never asks anybody for a passphrase.
int RefusePassphrase(const char*, char*, size_t, int, int, void*) {
  return -1;
}

std::string NthWord(const std::string& line, int index) {
  size_t start = line.find_first_not_of(kSpace);
  while (start != std::string::npos) {
    const size_t end = std::min(line.find_first_of(kSpace, start), line.size());
    if (index-- == 0) {
      return line.substr(start, end - start);
    }
    start = line.find_first_not_of(kSpace, end);
  }
  return {};
}

/// The type of a PEM block: "RSA PRIVATE KEY".
std::string BlockType(const std::string& text) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  const size_t start = text.find(kBegin);
  if (start == std::string::npos) {
    return {};
  }
  const size_t end = text.find("-----", start + kBegin.size());
  return end == std::string::npos ? std::string()
                                  : text.substr(start + kBegin.size(), end - start - kBegin.size());
}

/// Why a private key cannot be read, in the words of Go's ssh package.
std::string WhyUnreadable(const std::string& text) {
  const std::string type = BlockType(text);
  if (type.empty()) {
    return "ssh: no key found";
  }
  if (text.find("4,ENCRYPTED") != std::string::npos) {
    return "ssh: this private key is passphrase protected";
  }
  if (type == "OPENSSH PRIVATE KEY") {
    // The first 15 bytes are a fixed word. The name of the cipher follows, four bytes for its
    // length before it: "none" is these letters.
    std::string body;
    for (const char c : text.substr(std::min(text.find("KEY-----") + 8, text.size()), 120)) {
      if (kSpace.find(c) == std::string_view::npos) {
        body += c;
      }
    }
    return body.starts_with("b3BlbnNzaC1rZXktdjEAAAAABG5vbmU")
               ? "ssh: the key is malformed or of a type that is not supported"
               : "ssh: this private key is passphrase protected";
  }
  for (const char* known :
       {"RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY"}) {
    if (type == known) {
      return "ssh: the key is malformed or of a type that is not supported";
    }
  }
  return "ssh: unsupported key type \"" + type + "\"";
}

std::string ExplainCertificate(const Key& key, const std::string& certificate) {
  const Key parsed = ReadPublicKey(certificate);
  if (parsed == nullptr) {
    return "failed to parse certificate \"" + FirstWord(certificate) + "\": ssh: no key found";
  }
  if (FirstWord(certificate).find("-cert-") == std::string::npos) {
    return "invalid certificate format \"" + FirstWord(certificate) +
           "\": must use a certificate entry type, or leave certificate unset if you don't intend "
           "to use a certificate authority";
  }
  if (ssh_pki_copy_cert_to_privkey(parsed.get(), key.get()) != SSH_OK) {
    return "failed to create cert signer: ssh: signer and cert have different public key";
  }
  return {};
}

}  // namespace

std::string FirstWord(const std::string& line) {
  return NthWord(line, 0);
}

Key ReadPrivateKey(const std::string& text) {
  ssh_key key = nullptr;
  const size_t start = text.find("-----BEGIN ");
  if (start == std::string::npos ||
      ssh_pki_import_privkey_base64((text.substr(start) + "\n").c_str(), nullptr, RefusePassphrase,
                                    nullptr, &key) != SSH_OK) {
    return nullptr;
  }
  return Key(key);
}

Key ReadPublicKey(const std::string& line) {
  const std::string name = FirstWord(line);
  const ssh_keytypes_e type = ssh_key_type_from_name(name.c_str());
  const std::string body = NthWord(line, 1);
  ssh_key key = nullptr;
  if (type == SSH_KEYTYPE_UNKNOWN || body.empty()) {
    return nullptr;
  }
  const bool certificate = name.find("-cert-") != std::string::npos;
  const int done = certificate ? ssh_pki_import_cert_base64(body.c_str(), type, &key)
                               : ssh_pki_import_pubkey_base64(body.c_str(), type, &key);
  return done == SSH_OK ? Key(key) : nullptr;
}

std::string ExplainKey(const std::string& private_key, const std::string& certificate) {
  const Key key = ReadPrivateKey(private_key);
  if (key != nullptr) {
    return certificate.empty() ? std::string() : ExplainCertificate(key, certificate);
  }
  if (!certificate.empty()) {
    return "failed to parse private key: " + WhyUnreadable(private_key);
  }
  if (BlockType(private_key).empty()) {
    return "Failed to read ssh private key: no key found";
  }
  if (private_key.find("Proc-Type: 4,ENCRYPTED") != std::string::npos) {
    return "Failed to read ssh private key: password protected keys are\n"
           "not supported. Please decrypt the key prior to use.";
  }
  return "Failed to parse ssh private key: " + WhyUnreadable(private_key);
}

}  // namespace kinu::remote
