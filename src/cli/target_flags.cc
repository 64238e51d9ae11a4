#include "cli/target_flags.h"

#include "base/files.h"
#include "config/address.h"
#include "text/quote.h"

namespace kinu::cli {
namespace {

/// The address as plans write it.
std::string TextOf(const Program& program, const config::Endpoint& endpoint) {
  return endpoint.is_module
             ? program.ToText(endpoint.module)
             : program.ToText(ResourceInstance{{endpoint.module, endpoint.resource}, endpoint.key});
}

void ReadAddresses(const std::vector<std::string>& given, std::string_view flag,
                   std::vector<std::string>& out, Diagnostics& diags) {
  Program program;
  for (const std::string& text : given) {
    Diagnostics found;
    auto source = SourceFile::Make("", text);
    if (auto endpoint = config::ParseAddress(program, source.get(), found)) {
      out.push_back(TextOf(program, *endpoint));
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
void ReadAddressFiles(const std::vector<std::string>& paths, std::vector<std::string>& out,
                      std::vector<Ref<const SourceFile>>& sources, Diagnostics& diags) {
  Program program;
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
        if (auto endpoint = config::ParseAddress(program, source.get(), diags)) {
          out.push_back(TextOf(program, *endpoint));
        }
        sources.push_back(std::move(source));
      }
      at.byte += static_cast<uint32_t>(line.size() + 1);
      ++at.line;
    }
    sources.push_back(std::move(whole));
  }
}

}  // namespace

void ReadTargetFlags(const Flags& flags, engine::Options& options,
                     std::vector<Ref<const SourceFile>>& sources, Diagnostics& diags) {
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
  ReadAddresses(targets, "target", options.targets, diags);
  ReadAddressFiles(target_files, options.targets, sources, diags);
  ReadAddresses(excludes, "exclude", options.excludes, diags);
  ReadAddressFiles(exclude_files, options.excludes, sources, diags);
}

}  // namespace kinu::cli
