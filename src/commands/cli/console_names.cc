#include "cli/console_names.h"

#include <algorithm>

#include "functions/function.h"

namespace kinu::cli {
namespace {

/// A reference without the keys of its instances.
std::string WithoutKeys(std::string_view word) {
  std::string plain;
  bool in_key = false;
  bool in_text = false;
  for (size_t i = 0; i < word.size(); ++i) {
    if (!in_key && word[i] != '[') {
      plain += word[i];
    }
    if (in_text && word[i] == '\\') {
      ++i;
    } else if (word[i] == '"') {
      in_text = in_key && !in_text;
    } else if (!in_text && (word[i] == '[' || word[i] == ']')) {
      in_key = word[i] == '[';
    }
  }
  return plain;
}

}  // namespace

ConsoleNames::ConsoleNames(const config::Config& config, const view::SchemaLookup& schemas)
    : config_(config), schemas_(schemas) {
  const Program& program = *config.program;
  const config::Module& root = *config.root().module;
  const auto add = [&](std::string_view prefix, Symbol name) {
    names_.push_back(std::string(prefix) + std::string(program.Text(name)));
  };
  for (const functions::FunctionSpec* function : functions::Table::Standard().specs()) {
    names_.push_back(std::string(function->name) + "(");
  }
  for (const config::Variable& variable : root.variables) {
    add("var.", variable.name);
  }
  for (const config::Local& local : root.locals) {
    add("local.", local.name);
  }
  for (const config::Resource& resource : root.resources) {
    names_.push_back(program.ToText(resource.name));
  }
  for (const config::Output& output : root.outputs) {
    add("output.", output.name);
  }
  for (size_t i = 0; i < root.calls.size(); ++i) {
    add("module.", root.calls[i].name);
    const std::string prefix = names_.back() + ".";
    if (const config::ConfigNode* called = config.root().children[i]) {
      for (const config::Output& output : called->module->outputs) {
        add(prefix, output.name);
      }
    }
  }
  for (const std::string_view name : {"path.cwd", "path.module", "path.root", "terraform.workspace",
                                      "tofu.workspace", "true", "false", "null"}) {
    names_.emplace_back(name);
  }
  std::ranges::sort(names_);
}

void ConsoleNames::AddAttributes(std::string_view word, std::vector<std::string>& names) const {
  const Program& program = *config_.program;
  for (const config::Resource& resource : config_.root().module->resources) {
    const std::string address = program.ToText(resource.name) + ".";
    if (!word.starts_with(address)) {
      continue;
    }
    const schema::ResourceSchema* schema = schemas_.FindResource(
        program.Text(resource.provider), resource.name.mode, program.Text(resource.name.type));
    if (schema != nullptr) {
      for (const ObjectAttribute& attribute : schema->block.implied_type().attributes()) {
        names.push_back(address + std::string(attribute.name));
      }
    }
  }
}

void ConsoleNames::AddProviderFunctions(std::string_view word,
                                        std::vector<std::string>& names) const {
  const Program& program = *config_.program;
  for (const config::RequiredProvider& required : config_.root().module->required_providers) {
    const std::string name = "provider::" + std::string(program.Text(required.local_name)) + "::";
    const schema::ProviderSchema* schema =
        word.starts_with(name) ? schemas_.Find(program.Text(required.provider)) : nullptr;
    if (schema == nullptr) {
      names.push_back(name);
      continue;
    }
    for (const std::string& function : schema->FunctionNames()) {
      names.push_back(name + function + "(");
    }
  }
}

std::vector<std::string> ConsoleNames::Complete(std::string_view word) const {
  if (word.ends_with(']')) {
    return {};
  }
  const std::string plain = WithoutKeys(word);
  std::vector<std::string> names = names_;
  AddAttributes(plain, names);
  AddProviderFunctions(plain, names);
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (name.starts_with(plain)) {
      const size_t dot = name.find('.', plain.size());
      const size_t end = dot == std::string::npos ? name.size() : dot + 1;
      out.push_back(std::string(word) + name.substr(plain.size(), end - plain.size()));
    }
  }
  std::ranges::sort(out);
  const auto twice = std::ranges::unique(out);
  out.erase(twice.begin(), twice.end());
  return out;
}

}  // namespace kinu::cli
