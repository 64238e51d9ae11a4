// Compares the content of states. Unchanged objects share their bytes, so that comparing them is
// comparing two pointers. Ref: opentofu internal/states/statefile/marshal_equal.go;
// states.State.ManagedResourcesEqual.
#include <algorithm>
#include <tuple>

#include "cty/json.h"
#include "cty/ops.h"
#include "state/json_text.h"
#include "state/paths.h"
#include "state/state.h"

namespace kinu::state {

bool SameDependencies(const DependencyList& a, const DependencyList& b) {
  static const std::vector<ConfigResource> kNone;
  return a == b || (a == nullptr ? kNone : *a) == (b == nullptr ? kNone : *b);
}

namespace {

bool SameJson(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  if (a.empty() || b.empty()) {
    return false;
  }
  std::string a_text;
  std::string b_text;
  AppendJson(a_text, a, -1);
  AppendJson(b_text, b, -1);
  return a_text == b_text;
}

bool SamePaths(const Object& a, const Object& b) {
  if (a.sensitive_paths == b.sensitive_paths && a.sensitive == b.sensitive) {
    return true;
  }
  std::string a_text;
  std::string b_text;
  AppendPathsJson(a_text, SensitivePaths(a));
  AppendPathsJson(b_text, SensitivePaths(b));
  return a_text == b_text;
}

/// Compares what is not JSON.
bool SameFields(const Object& a, const Object& b) {
  return a.status == b.status && a.create_before_destroy == b.create_before_destroy &&
         a.skip_destroy == b.skip_destroy && a.schema_version == b.schema_version &&
         a.private_data == b.private_data &&
         a.identity_schema_version == b.identity_schema_version &&
         a.configuration == b.configuration && SameDependencies(a.dependencies, b.dependencies);
}

bool SameObject(const Object& a, const Object& b) {
  return SameFields(a, b) && SameJson(a.attributes, b.attributes) &&
         SameJson(a.attributes_flat, b.attributes_flat) && SameJson(a.identity, b.identity) &&
         SamePaths(a, b);
}

bool SamePlace(std::string_view a, std::string_view b) {
  return a.data() == b.data() && a.size() == b.size();
}

bool SameInstance(const Instance& a, const Instance& b) {
  if (a.key != b.key || a.provider_key != b.provider_key ||
      (a.current == nullptr) != (b.current == nullptr) || a.deposed.size() != b.deposed.size()) {
    return false;
  }
  if (a.current != nullptr && !SameObject(*a.current, *b.current)) {
    return false;
  }
  for (size_t i = 0; i < a.deposed.size(); ++i) {
    if (a.deposed[i].key != b.deposed[i].key ||
        !SameObject(a.deposed[i].object, b.deposed[i].object)) {
      return false;
    }
  }
  return true;
}

bool IsHusk(const Instance& instance) {
  return instance.current == nullptr && instance.deposed.empty();
}

/// Skips instances without objects: they are not written.
bool SameResource(const Resource& a, const Resource& b) {
  if (!(a.provider == b.provider)) {
    return false;
  }
  size_t j = 0;
  for (const Instance& instance : a.instances) {
    if (IsHusk(instance)) {
      continue;
    }
    while (j < b.instances.size() && IsHusk(b.instances[j])) {
      ++j;
    }
    if (j == b.instances.size() || !SameInstance(instance, b.instances[j])) {
      return false;
    }
    ++j;
  }
  return std::all_of(b.instances.begin() + static_cast<ptrdiff_t>(j), b.instances.end(), IsHusk);
}

bool SameResources(const State& a, const State& b, bool managed_only) {
  auto counts = [&](const Resource& resource) {
    ResourceMode mode = resource.address.resource.mode;
    return mode == ResourceMode::kManaged || (mode == ResourceMode::kData && !managed_only);
  };
  auto count = [&](const State& state) {
    return std::count_if(state.resources.begin(), state.resources.end(),
                         [&](const CopyOnWrite<Resource>& r) { return counts(*r); });
  };
  if (count(a) != count(b)) {
    return false;
  }
  for (size_t i = 0; i < a.resources.size(); ++i) {
    const CopyOnWrite<Resource>& resource = a.resources[i];
    if (!counts(*resource) || (i < b.resources.size() && resource.Shares(b.resources[i]))) {
      continue;
    }
    const Resource* other = b.Find(resource->address);
    if (other == nullptr || !SameResource(*resource, *other)) {
      return false;
    }
  }
  return true;
}

bool SameOutput(const OutputValue& a, const OutputValue& b) {
  if (a.name != b.name || a.sensitive != b.sensitive || a.deprecated != b.deprecated) {
    return false;
  }
  Value a_value = UnknownAsNull(a.value.UnmarkDeep());
  Value b_value = UnknownAsNull(b.value.UnmarkDeep());
  if (!(a_value.type() == b_value.type())) {
    return false;
  }
  return Value::RawEquals(a_value, b_value) ||
         ValueToJson(a_value, a_value.type(), WholeNumbers::kExact).value_or("") ==
             ValueToJson(b_value, b_value.type(), WholeNumbers::kExact).value_or("");
}

bool SameOutputs(const State& a, const State& b) {
  if (a.outputs.size() != b.outputs.size()) {
    return false;
  }
  auto sorted = [](const State& state) {
    std::vector<const OutputValue*> list;
    for (const OutputValue& output : state.outputs) {
      list.push_back(&output);
    }
    std::sort(list.begin(), list.end(),
              [](const OutputValue* x, const OutputValue* y) { return x->name < y->name; });
    return list;
  };
  std::vector<const OutputValue*> a_list = sorted(a);
  std::vector<const OutputValue*> b_list = sorted(b);
  return std::equal(a_list.begin(), a_list.end(), b_list.begin(),
                    [](const OutputValue* x, const OutputValue* y) { return SameOutput(*x, *y); });
}

/// All check results as a list whose order does not depend on theirs.
std::vector<std::string> CheckLines(const State& state) {
  if (state.checks.empty()) {
    return {};
  }
  const Program& program = *state.program;
  std::vector<std::string> lines;
  for (const CheckResult& check : state.checks) {
    std::string head = std::string(CheckableKindName(check.block.kind)) + '\0' +
                       ToText(program, check.block) + '\0';
    lines.push_back(head + std::string(CheckStatusName(check.status)));
    for (const CheckObject& object : check.objects) {
      std::string line = head + ToText(program, check.AddressOf(object)) + '\0' +
                         std::string(CheckStatusName(object.status));
      for (const std::string& message : object.failure_messages) {
        line += '\0' + message;
      }
      lines.push_back(std::move(line));
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

bool SharesText(const Object& a, const Object& b) {
  return SamePlace(a.attributes, b.attributes) && SamePlace(a.attributes_flat, b.attributes_flat) &&
         SamePlace(a.sensitive_paths, b.sensitive_paths) && SameFields(a, b) &&
         a.sensitive == b.sensitive && a.identity == b.identity;
}

bool SameContent(const State& a, const State& b) {
  return SameResources(a, b, false) && SameOutputs(a, b) && CheckLines(a) == CheckLines(b);
}

bool SameManagedResources(const State& a, const State& b) {
  return SameResources(a, b, true);
}

}  // namespace kinu::state
