#include "telemetry/resource.h"

#include <algorithm>
#include <climits>

#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/files.h"
#include "text/query.h"

namespace kinu::telemetry {
namespace {

/// Adds "KEY=VALUE,KEY=VALUE"; values are percent-encoded.
void AddGiven(std::string_view list, Resource& resource) {
  auto trim = [](std::string_view text) {
    const size_t first = std::min(text.find_first_not_of(" \t"), text.size());
    return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
  };
  list = trim(list);
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    const std::string_view part = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (const size_t equals = part.find('='); equals != std::string_view::npos) {
      resource[std::string(trim(part.substr(0, equals)))] =
          text::PercentDecode(trim(part.substr(equals + 1)));
    }
  }
}

void AddSystem(Resource& resource) {
  resource["os.type"] = std::string("linux");
  utsname name{};
  if (::uname(&name) != 0) {
    return;
  }
  const std::string kernel = std::string(name.sysname) + ' ' + name.nodename + ' ' + name.release +
                             ' ' + name.version + ' ' + name.machine;
  auto release = ReadFile("/etc/os-release");
  if (!release) {
    release = ReadFile("/usr/lib/os-release");
  }
  const std::string system = release ? NameOfSystem(*release) : "";
  resource["os.description"] = system.empty() ? kernel : system + " (" + kernel + ")";
  resource["host.name"] = std::string(name.nodename);
}

void AddProcess(const Identity& identity, Resource& resource) {
  resource["process.pid"] = static_cast<int64_t>(::getpid());
  char path[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", path, sizeof path - 1) > 0) {
    resource["process.executable.path"] = std::string(path);
  }
  if (!identity.words.empty()) {
    resource["process.executable.name"] = BaseName(identity.words[0]);
  }
  resource["process.command_args"] = identity.words;
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (::getpwuid_r(::getuid(), &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr) {
    resource["process.owner"] = std::string(found->pw_name);
  }
  resource["process.runtime.name"] = std::string("kinu");
  resource["process.runtime.version"] = identity.own_version;
}

}  // namespace

std::string NameOfSystem(std::string_view os_release) {
  std::map<std::string, std::string, std::less<>> values;
  while (!os_release.empty()) {
    const size_t end = std::min(os_release.find('\n'), os_release.size());
    const std::string_view line = os_release.substr(0, end);
    os_release.remove_prefix(std::min(end + 1, os_release.size()));
    const size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) {
      continue;
    }
    std::string value(line.substr(equals + 1));
    if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value[0] == value.back()) {
      value = value.substr(1, value.size() - 2);
    }
    values[std::string(line.substr(0, equals))] = value;
  }
  const std::string& version = values["VERSION"].empty() ? values["VERSION_ID"] : values["VERSION"];
  return values["NAME"].empty() || version.empty() ? values["PRETTY_NAME"]
                                                   : values["NAME"] + ' ' + version;
}

Resource MakeResource(const Identity& identity, const Lookup& lookup) {
  Resource resource;
  AddGiven(lookup("OTEL_RESOURCE_ATTRIBUTES"), resource);
  AddSystem(resource);
  AddProcess(identity, resource);
  const std::string_view name = lookup("OTEL_SERVICE_NAME");
  resource["service.name"] = std::string(name.empty() ? "OpenTofu CLI" : name);
  resource["service.version"] = identity.version;
  resource["telemetry.sdk.language"] = std::string("cpp");
  resource["telemetry.sdk.name"] = std::string("kinu");
  resource["telemetry.sdk.version"] = identity.own_version;
  return resource;
}

}  // namespace kinu::telemetry
