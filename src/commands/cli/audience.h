// Makes the audience that the flags of a command ask for: text, JSON messages or both.
#pragma once

#include <memory>
#include <string>

#include "cli/command.h"
#include "view/audience.h"

namespace kinu::cli {

using view::Audience;

/// Reads -json, -json-into and -summary; `flags` null: the command has none. Reports a file that
/// cannot be written. `people_too`: the command prints text even with -json.
std::unique_ptr<Audience> MakeAudience(const Invocation& invocation, const Flags* flags,
                                       Diagnostics& diags, bool people_too = false);

/// Reports wrong arguments to an audience and returns the exit code.
int UsageError(const Invocation& invocation, Audience& audience, Diagnostics& diags);
/// The same for a command that has no audience: text at level 1.12, later what -json and -json-into
/// ask for.
int UsageError(const Invocation& invocation, const Flags& flags, Diagnostics& diags);

/// The file of -json-into: a JSON copy of a document that is printed as text.
class JsonCopy {
 public:
  /// Opens the file if the flag is given. Reports an error, also when -json is given as well.
  JsonCopy(const Flags& flags, Diagnostics& diags);
  ~JsonCopy();
  JsonCopy(const JsonCopy&) = delete;
  JsonCopy& operator=(const JsonCopy&) = delete;

  bool wanted() const { return fd_ >= 0; }
  void Write(std::string_view text) const;
  /// Shows problems for the text and, as OpenTofu does, once more for the copy. Returns whether
  /// there are errors.
  bool ShowProblems(const Invocation& invocation, Diagnostics& diags) const;

 private:
  int fd_ = -1;
};

}  // namespace kinu::cli
