#include "cli/import_lines.h"

#include "config/address.h"
#include "text/quote.h"

namespace kinu::cli {
namespace {

/// Parses the address of a line. Returns nothing after an error.
std::optional<ResourceInstance> ReadImportAddress(CommandRun& run, Program& program,
                                                  const session::LineWord& word,
                                                  Diagnostics& diags) {
  const auto endpoint = config::ParseAddress(program, SourceOf(run, word), diags);
  if (!endpoint) {
    return std::nullopt;
  }
  if (endpoint->is_module) {
    diags.Error("Invalid address", "The address of a resource is needed, not of a module.",
                word.range);
    return std::nullopt;
  }
  if (endpoint->resource.mode != ResourceMode::kManaged) {
    diags.Error("Invalid target resource address", "Only managed resources can be imported to.",
                word.range);
    return std::nullopt;
  }
  return ResourceInstance{{endpoint->module, endpoint->resource}, endpoint->key};
}

}  // namespace

std::vector<ImportLine> ReadImportLines(CommandRun& run, Program& program,
                                        const std::vector<session::WordLine>& lines,
                                        Diagnostics& diags) {
  std::vector<ImportLine> imports;
  FlatMap<ResourceInstance, const session::WordLine*> first;
  for (const session::WordLine& line : lines) {
    const auto address = ReadImportAddress(run, program, line.words[0], diags);
    if (!address) {
      continue;
    }
    const auto [it, added] = first.emplace(*address, &line);
    if (added) {
      imports.push_back({&line, *address});
    } else {
      diags.Error("Duplicate import of \"" + program.ToText(*address) + "\"",
                  "The line at " + ToText(it->second->range) +
                      " imports to this address already. Each instance can be imported once.",
                  line.range);
    }
  }
  return imports;
}

void CheckConfigured(const std::vector<ImportLine>& imports, const config::Config& config,
                     Diagnostics& diags) {
  Program& program = *config.program;
  for (const ImportLine& entry : imports) {
    const AbsResource& resource = entry.address.resource;
    const config::ConfigNode* node = config.Find(program.ModuleOf(resource.module));
    if (node == nullptr || node->module->FindResource(resource.resource) < 0) {
      diags.Error("Configuration for import target does not exist",
                  "The configuration has no block for " + program.ToText(resource) +
                      ". Write it before you import to it.",
                  entry.line->range);
    }
  }
}

void CheckNotStored(const std::vector<ImportLine>& imports, const state::State& state,
                    Diagnostics& diags) {
  for (const ImportLine& entry : imports) {
    const state::Resource* resource = state.Find(entry.address.resource);
    if (resource != nullptr && resource->Find(entry.address.key) != nullptr) {
      diags.Error("Resource already managed by OpenTofu",
                  "The state has an object at " + state.program->ToText(entry.address) +
                      " already. Take it out of the state before you import another one there.",
                  entry.line->range);
    }
  }
}

void SayImports(CommandRun& run, const Program& program, const std::vector<ImportLine>& imports,
                std::string_view verb) {
  for (const ImportLine& entry : imports) {
    run.Say(std::string(verb) + " " + text::GoQuote(entry.line->words[1].text) + " to " +
            text::GoQuote(program.ToText(entry.address)));
  }
}

}  // namespace kinu::cli
