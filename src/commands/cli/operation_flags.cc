#include "cli/operation_flags.h"

#include "base/files.h"
#include "base/program_name.h"
#include "cli/command.h"
#include "config/address.h"
#include "text/quote.h"

namespace kinu::cli {
namespace {

TargetAddress TargetOf(const config::Endpoint& endpoint) {
  return {endpoint.module, endpoint.is_module ? std::nullopt : std::optional(endpoint.resource),
          endpoint.key};
}

void ReadAddresses(Program& program, const std::vector<std::string>& given, std::string_view flag,
                   std::vector<TargetAddress>& out, Diagnostics& diags) {
  for (const std::string& text : given) {
    Diagnostics found;
    auto source = SourceFile::Make("", text);
    if (auto endpoint = config::ParseAddress(program, source.get(), found)) {
      out.push_back(TargetOf(*endpoint));
      continue;
    }
    diags.Error("Invalid " + std::string(flag) + " " + text::GoQuote(text),
                found.empty() ? "" : found.list().front().detail);
  }
}

std::string_view TrimLeft(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\v\f");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// One address a line; lines that begin with "#" are comments.
void ReadAddressFiles(const std::vector<std::string>& paths, std::vector<TargetAddress>& out,
                      PlanRequest& request, Diagnostics& diags) {
  for (const std::string& path : paths) {
    auto content = ReadFile(path);
    if (!content) {
      diags.Error(content.error().message, "");
      continue;
    }
    auto whole = SourceFile::Make(path, *content);
    Position at;
    std::string_view rest = whole->text();
    while (!rest.empty()) {
      size_t newline = rest.find('\n');
      std::string_view line = rest.substr(0, newline);
      rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
      std::string_view address = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
      if (!TrimLeft(address).starts_with('#')) {
        auto source = SourceFile::Make(path, std::string(address), at, whole.get());
        if (auto endpoint = config::ParseAddress(*request.program, source.get(), diags)) {
          out.push_back(TargetOf(*endpoint));
        }
        request.sources.push_back(std::move(source));
      }
      at.byte += static_cast<uint32_t>(line.size() + 1);
      ++at.line;
    }
    request.sources.push_back(std::move(whole));
  }
}

/// Reads -replace.
void ReadReplacements(const Flags& flags, PlanRequest& request, Diagnostics& diags) {
  for (const std::string& text : flags.List("replace")) {
    const auto source = SourceFile::Make("", text);
    Diagnostics ignored;
    const auto endpoint = config::ParseAddress(*request.program, source.get(), ignored);
    if (!endpoint || endpoint->is_module) {
      diags.Error("Invalid force-replace address " + text::GoQuote(text),
                  "Resource specification must include a resource type and name.");
    } else if (endpoint->resource.mode != ResourceMode::kManaged) {
      diags.Error("Invalid force-replace address " + text::GoQuote(text),
                  "Only managed resources can be used with the -replace=... option.");
    } else {
      request.options.force_replace.push_back(
          {{endpoint->module, endpoint->resource}, endpoint->key});
    }
  }
}

/// Reads -destroy and -refresh-only.
void ReadMode(const Flags& flags, PlanRequest& request, Diagnostics& diags) {
  if (flags.Bool("destroy") && flags.Bool("refresh-only")) {
    diags.Error("Incompatible plan mode options",
                "The -destroy and -refresh-only options are mutually-exclusive.");
  } else if (flags.Bool("destroy")) {
    request.mode = plan::Mode::kDestroy;
  } else if (flags.Bool("refresh-only")) {
    request.mode = plan::Mode::kRefreshOnly;
    if (request.options.refresh_changed) {
      diags.Error("Incompatible refresh options",
                  "A refresh-only plan reads all objects: it cannot be made with "
                  "-refresh=changed.");
    }
    if (!request.options.refresh) {
      diags.Error("Incompatible refresh options",
                  "It doesn't make sense to use -refresh-only at the same time as -refresh=false, "
                  "because OpenTofu would have nothing to do.");
    }
  }
}

}  // namespace

std::vector<config::VariableArgument> VariableArguments(const Flags& flags) {
  std::vector<config::VariableArgument> out;
  for (const Flags::Occurrence& occurrence : flags.occurrences()) {
    if (occurrence.name == "var" || occurrence.name == "var-file") {
      out.push_back({occurrence.name == "var-file", occurrence.value});
    }
  }
  return out;
}

backend::StateFlags StateFlagsOf(const Flags& flags) {
  const auto given = [&](std::string_view name) {
    return flags.Has(name) ? flags.String(name) : std::string();
  };
  return {.state = given("state"), .state_out = given("state-out"), .backup = given("backup")};
}

PlanRequest ReadOperationRequest(OperationKind kind, const Invocation& invocation,
                                 const Flags& flags) {
  PlanRequest request;
  request.kind = kind;
  request.variables = VariableArguments(flags);
  request.options.show_sensitive = flags.Has("show-sensitive") && flags.Bool("show-sensitive");
  request.options.parallelism = static_cast<int>(flags.Int("parallelism"));
  request.state_flags = StateFlagsOf(flags);
  request.lock = flags.Bool("lock");
  request.lock_timeout = std::chrono::milliseconds(flags.Duration("lock-timeout"));
  request.input = flags.Has("input") && flags.Bool("input") && !invocation.input_disabled;
  request.ignore_version =
      flags.Has("ignore-remote-version") && flags.Bool("ignore-remote-version");
  request.style = invocation.style();
  return request;
}

void ReadTargetFlags(const Flags& flags, PlanRequest& request, Diagnostics& diags) {
  engine::Options& options = request.options;
  const std::vector<std::string> targets = flags.List("target");
  const std::vector<std::string> target_files = flags.List("target-file");
  const std::vector<std::string> excludes = flags.List("exclude");
  const std::vector<std::string> exclude_files = flags.List("exclude-file");
  if ((!targets.empty() || !target_files.empty()) &&
      (!excludes.empty() || !exclude_files.empty())) {
    diags.Error("Invalid combination of arguments",
                "The target and exclude planning options are mutually-exclusive. Each plan must "
                "use either only the target options or only the exclude options.");
    return;
  }
  ReadAddresses(*request.program, targets, "target", options.targets, diags);
  ReadAddressFiles(target_files, options.targets, request, diags);
  ReadAddresses(*request.program, excludes, "exclude", options.excludes, diags);
  ReadAddressFiles(exclude_files, options.excludes, request, diags);
}

PlanRequest ReadPlanRequest(OperationKind kind, const Invocation& invocation, const Flags& flags,
                            Diagnostics& diags) {
  PlanRequest request = ReadOperationRequest(kind, invocation, flags);
  request.options.refresh_changed = flags.String("refresh") == "changed";
  request.options.refresh = flags.Bool("refresh") || request.options.refresh_changed;
  ReadTargetFlags(flags, request, diags);
  ReadReplacements(flags, request, diags);
  ReadMode(flags, request, diags);
  return request;
}

void MakeDestroyRequest(PlanRequest& request, Diagnostics& diags) {
  if (request.mode == plan::Mode::kDestroy) {
    diags.Error("Invalid mode option",
                Hint("The -destroy option is not valid for \"tofu destroy\", because this command "
                     "always runs in destroy mode."));
  } else if (request.mode == plan::Mode::kRefreshOnly) {
    diags.Error("Invalid mode option",
                Hint("The -refresh-only option is not valid for \"tofu destroy\"."));
  }
  request.mode = plan::Mode::kDestroy;
}

}  // namespace kinu::cli
