// The attributes of a run that all its spans share. Ref: opentofu internal/tracing/traceattrs;
// go.opentelemetry.io/otel/sdk/resource.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "telemetry/settings.h"
#include "trace/trace.h"

namespace kinu::telemetry {

/// What the program knows of itself.
struct Identity {
  std::string version;             ///< of OpenTofu
  std::string own_version;         ///< of kinu
  std::vector<std::string> words;  ///< the command line, without secrets
};

/// Attributes by name.
using Resource = std::map<std::string, decltype(trace::Attribute::value), std::less<>>;

/// The attributes of OTEL_RESOURCE_ATTRIBUTES, of the machine and of the process.
Resource MakeResource(const Identity& identity, const Lookup& lookup);

/// The same name and version as in /etc/os-release; empty if the text has none.
std::string NameOfSystem(std::string_view os_release);

}  // namespace kinu::telemetry
