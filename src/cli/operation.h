// What commands that read a configuration have in common: flags, values of variables, schemas for
// views.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "engine/plan.h"
#include "session/backend_choice.h"
#include "session/load.h"
#include "session/provider_set.h"
#include "view/schema_lookup.h"

namespace kinu::cli {

using session::Loaded;
using session::LoadIntent;

/// -var and -var-file in the order of the command line. Problems with them are reported when their
/// values are read.
std::vector<config::VariableArgument> VariableArguments(const Flags& flags);

/// -state, -state-out and -backup, as far as the command has them.
backend::StateFlags StateFlagsOf(const Flags& flags);

/// Reads the variables' values; asks for missing ones when `interactive`.
void CollectValues(const Invocation& invocation, Loaded& loaded, bool interactive,
                   Diagnostics& diags);

/// Finds schemas for documents and texts.
class SourceSchemas final : public view::SchemaLookup {
 public:
  explicit SourceSchemas(provider::ProviderSource& source) : source_(source) {}
  const schema::ProviderSchema* Find(std::string_view provider) const override;

 private:
  provider::ProviderSource& source_;
};

/// Now, as RFC 3339 in UTC.
std::string Timestamp();

/// Whether a directory has a configuration at all; otherwise reports "No configuration files".
bool RequireConfiguration(std::string_view command, Diagnostics& diags);

}  // namespace kinu::cli
