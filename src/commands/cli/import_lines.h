// The lines of `import -from`: ADDRESS ID.
#pragma once

#include "cli/edit_lines.h"
#include "engine/request.h"

namespace kinu::cli {

/// An object that a line imports.
struct ImportLine {
  const session::WordLine* line;
  ResourceInstance address;
};

/// Reads the addresses of lines. Reports those that nothing can be imported to, and the second of
/// two equal ones.
std::vector<ImportLine> ReadImportLines(CommandRun& run, Program& program,
                                        const std::vector<session::WordLine>& lines,
                                        Diagnostics& diags);

/// Reports lines whose resource the configuration lacks.
void CheckConfigured(const std::vector<ImportLine>& imports, const config::Config& config,
                     Diagnostics& diags);

/// Reports lines whose address the state has already.
void CheckNotStored(const std::vector<ImportLine>& imports, const state::State& state,
                    Diagnostics& diags);

/// Prints what is imported, a line for each.
void SayImports(CommandRun& run, const Program& program, const std::vector<ImportLine>& imports,
                std::string_view verb);

}  // namespace kinu::cli
