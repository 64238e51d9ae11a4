#include "session/encryption.h"

#include <algorithm>
#include <cstring>

#include "base/environment.h"
#include "base/files.h"
#include "encryption/envelope.h"

namespace kinu::session {
namespace {

/// The encryption block of a loaded root module, and what its expressions need.
class RootModule final : public encryption::Source {
 public:
  RootModule(const Workspace& workspace, const Loaded& loaded)
      : program_(loaded.program), inputs_(loaded.inputs), config_(loaded.config) {
    options_.workspace = workspace.Name();
    options_.inputs = &inputs_;
    evaluator_ = std::make_unique<config::StaticEvaluator>(*program_, options_, ".");
  }

  /// False after an error.
  bool Check(Diagnostics& diags) const {
    return config::CheckEncryption(root(), block(), *evaluator_, diags);
  }
  const config::Encryption& block() const override { return *root().module->encryption; }
  std::optional<config::TargetMethods> Methods(const config::EncryptionTarget& target,
                                               Diagnostics& diags) const override {
    return config::MethodsOf(root(), block(), target, *evaluator_, diags);
  }
  std::optional<config::PartValues> Evaluate(const config::EncryptionPart& method,
                                             const config::KeyMaker& make_key,
                                             Diagnostics& diags) const override {
    return config::EvaluateMethod(root(), block(), method, *evaluator_, make_key, diags);
  }

 private:
  const config::ConfigNode& root() const { return config_->root(); }

  std::shared_ptr<Program> program_;
  config::RawInputs inputs_;
  std::shared_ptr<config::Config> config_;
  config::LoadOptions options_;
  std::unique_ptr<config::StaticEvaluator> evaluator_;
};

/// Whether a file may have an `encryption` block: it has the word, or escapes of JSON that could
/// hide it, or cannot be read.
bool MayAsk(const std::string& path) {
  const auto text = ReadFile(path);
  // Of the C library, because std::string::find() stops at every first letter.
  const auto has = [&](std::string_view word) {
    return memmem(text->data(), text->size(), word.data(), word.size()) != nullptr;
  };
  return !text || has("encryption") || (path.ends_with(".json") && has("\\u"));
}

/// Whether the root module or the environment may ask for encryption.
bool MayAsk(const Workspace& workspace) {
  if (!std::string_view(Environment("TF_ENCRYPTION")).empty()) {
    return true;
  }
  const auto names = ListDirectory(workspace.directory);
  if (!names) {
    return true;
  }
  const config::ModuleFiles files = config::ChooseFiles(*names);
  const auto asks = [&](const std::string& name) {
    return MayAsk(JoinPath(workspace.directory, name));
  };
  return std::ranges::any_of(files.primary, asks) || std::ranges::any_of(files.overrides, asks);
}

/// Whether what a root module says of encryption is known. If not, there is an error.
bool RequireKnown(const config::Module& root, Diagnostics& diags) {
  if (root.encryption_unknown && !diags.has_errors()) {
    diags.Error("Encryption configuration not available",
                "The configuration has errors, so it is not known how states and plans are "
                "encrypted.");
  }
  return !root.encryption_unknown;
}

}  // namespace

std::optional<EncryptionRef> SetUpEncryption(const Workspace& workspace, const Loaded& loaded,
                                             Diagnostics& diags) {
  const config::Module& root = *loaded.config->root().module;
  if (!RequireKnown(root, diags)) {
    return std::nullopt;
  }
  return root.encryption
             ? encryption::Encryption::SetUp(std::make_shared<RootModule>(workspace, loaded), diags)
             : encryption::Encryption::None();
}

std::optional<EncryptionRef> CheckEncryption(const Workspace& workspace, const Loaded& loaded,
                                             Diagnostics& diags) {
  const config::Module& root = *loaded.config->root().module;
  diags.Append(loaded.config->of_encryption);
  if (!RequireKnown(root, diags)) {
    return std::nullopt;
  }
  if (!root.encryption) {
    return encryption::Encryption::None();
  }
  auto source = std::make_shared<RootModule>(workspace, loaded);
  return source->Check(diags) ? encryption::Encryption::SetUp(std::move(source), diags)
                              : std::nullopt;
}

std::optional<EncryptionRef> LoadEncryption(const Workspace& workspace,
                                            std::span<const config::VariableArgument> arguments,
                                            Diagnostics& diags) {
  if (!MayAsk(workspace)) {
    return encryption::Encryption::None();
  }
  const size_t errors = diags.error_count();
  const Loaded loaded =
      Load(workspace, {.intent = LoadIntent::kEncryption, .variables = arguments}, diags);
  return diags.error_count() == errors ? SetUpEncryption(workspace, loaded, diags) : std::nullopt;
}

EncryptionRef EncryptionOfFile(const std::string& path, const EncryptionRef& configured) {
  const Result<std::string> bytes = ReadFile(path);
  if (!bytes) {
    return encryption::Encryption::None();  // whoever opens it reports that
  }
  std::string problem;
  const auto envelope = encryption::ReadEnvelope(*bytes, problem);
  const bool in_the_clear = envelope && !*envelope;
  return in_the_clear ? encryption::Encryption::None() : configured;
}

}  // namespace kinu::session
