#include "operation/variable_prompt.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "terminal/prompt.h"

namespace kinu::operation {
namespace {

/// The text below the name in a question for a variable's value.
std::string DescriptionOf(const config::Variable& variable) {
  if (variable.deprecated.empty()) {
    return variable.description;
  }
  return (variable.description.empty() ? "" : variable.description + ".\n") +
         "Variable is marked as deprecated with the following message: " + variable.deprecated;
}

class VariablePrompt {
 public:
  explicit VariablePrompt(const terminal::Style& style) : style_(style) {}

  std::optional<config::RawInput> Ask(const Program& program, const config::Variable& variable) {
    const std::string name(program.Text(variable.name));
    if (const auto known = answers_.find(name); known != answers_.end()) {
      return known->second;
    }
    auto answer =
        terminal::Ask(style_, {.query = "var." + name + (variable.ephemeral ? " (ephemeral)" : ""),
                               .description = DescriptionOf(variable),
                               .secret = variable.sensitive || variable.ephemeral});
    if (!answer) {
      return std::nullopt;
    }
    config::RawInput raw;
    raw.source = config::InputSource::kPrompt;
    raw.text = *std::move(answer);
    return answers_.emplace(name, std::move(raw)).first->second;
  }

 private:
  terminal::Style style_;
  std::map<std::string, config::RawInput> answers_;
};

}  // namespace

session::AskVariable VariableQuestions(const terminal::Style& style) {
  return [prompt = std::make_shared<VariablePrompt>(style)](const Program& program,
                                                            const config::Variable& variable) {
    return prompt->Ask(program, variable);
  };
}

}  // namespace kinu::operation
