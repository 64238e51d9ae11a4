#include "session/encryption.h"

#include <algorithm>
#include <cstring>

#include "base/environment.h"
#include "base/files.h"

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
  std::vector<const config::EncryptionPart*> Methods(
      const config::EncryptionTarget& target) const override {
    return config::MethodsOf(root(), block(), target, *evaluator_);
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

/// Whether the files of the root module or the environment have the word "encryption".
bool MayAsk(const Workspace& workspace) {
  if (!std::string_view(Environment("TF_ENCRYPTION")).empty()) {
    return true;
  }
  const auto names = ListDirectory(workspace.directory);
  if (!names) {
    return false;
  }
  const config::ModuleFiles files = config::ChooseFiles(*names);
  auto mentions = [&](const std::string& name) {
    const auto text = ReadFile(JoinPath(workspace.directory, name));
    constexpr std::string_view kWord = "encryption";
    // Of the C library, because std::string::find() stops at every first letter.
    return text && memmem(text->data(), text->size(), kWord.data(), kWord.size()) != nullptr;
  };
  return std::ranges::any_of(files.primary, mentions) ||
         std::ranges::any_of(files.overrides, mentions);
}

}  // namespace

EncryptionRef NoEncryption() {
  static const EncryptionRef kNone = std::make_shared<encryption::Encryption>();
  return kNone;
}

EncryptionRef SetUpEncryption(const Workspace& workspace, const Loaded& loaded,
                              Diagnostics& diags) {
  return loaded.config->root().module->encryption
             ? encryption::Encryption::SetUp(std::make_shared<RootModule>(workspace, loaded), diags)
             : NoEncryption();
}

EncryptionRef CheckEncryption(const Workspace& workspace, const Loaded& loaded,
                              Diagnostics& diags) {
  if (!loaded.config->root().module->encryption) {
    return NoEncryption();
  }
  auto root = std::make_shared<RootModule>(workspace, loaded);
  return root->Check(diags) ? encryption::Encryption::SetUp(std::move(root), diags) : nullptr;
}

EncryptionRef LoadEncryption(const Workspace& workspace,
                             std::span<const config::VariableArgument> arguments,
                             Diagnostics& diags) {
  if (!MayAsk(workspace)) {
    return NoEncryption();
  }
  const size_t errors = diags.error_count();
  const Loaded loaded =
      Load(workspace, {.intent = LoadIntent::kBackend, .variables = arguments}, diags);
  return diags.error_count() == errors ? SetUpEncryption(workspace, loaded, diags) : nullptr;
}

}  // namespace kinu::session
