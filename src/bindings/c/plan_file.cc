// Plan files: what they hold besides the values of resources.
#include <kinu/plan_file.h>

#include "c/guard.h"
#include "c/json_members.h"

namespace kinu::c {
namespace {

/// A value; null for one that is not known.
void WriteValue(JsonWriter& json, std::string_view key, const v1::Value& value) {
  json.Key(key);
  json.Raw(value.ToJson().value_or("null"));
}

void Write(JsonWriter& json, const v1::PlanFile::Change& change) {
  json.Member("address", change.address);
  if (change.previous_address != change.address) {
    json.Member("previous_address", change.previous_address);
  }
  WriteUnlessEmpty(json, "deposed", change.deposed);
  json.Member("provider", change.provider);
  WriteTexts(json, "actions", change.actions);
  WriteUnlessEmpty(json, "reason", change.reason);
  WriteUnlessEmpty(json, "import_id", change.import_id);
}

void Write(JsonWriter& json, const v1::PlanFile::Source& source) {
  json.Member("module", source.module);
  json.Member("directory", source.directory);
  json.Member("name", source.name);
  json.Member("text", source.text);
}

template <typename Element>
void WriteAll(JsonWriter& json, std::string_view key, const std::vector<Element>& elements) {
  json.Key(key);
  json.BeginArray();
  for (const Element& element : elements) {
    json.BeginObject();
    Write(json, element);
    json.EndObject();
  }
  json.EndArray();
}

void WriteOutputs(JsonWriter& json, const std::vector<v1::PlanFile::Output>& outputs,
                  bool show_sensitive) {
  json.Key("outputs");
  json.BeginObject();
  for (const v1::PlanFile::Output& output : outputs) {
    json.Key(output.name);
    json.BeginObject();
    WriteTexts(json, "actions", output.actions);
    if (show_sensitive || !output.sensitive) {
      WriteValue(json, "before", output.before);
      WriteValue(json, "after", output.after);
    }
    json.Member("after_unknown", !output.after.is_wholly_known());
    json.Member("sensitive", output.sensitive);
    json.EndObject();
  }
  json.EndObject();
}

void WriteBackend(JsonWriter& json, const v1::PlanFile::Backend& backend, bool show_sensitive) {
  json.Key("backend");
  json.BeginObject();
  json.Member("type", backend.type);
  json.Member("workspace", backend.workspace);
  if (show_sensitive) {
    WriteValue(json, "config", backend.config);
  }
  json.EndObject();
}

/// What may be secret.
void WriteSecrets(JsonWriter& json, const v1::PlanFile& plan, v1::Diagnostics& problems) {
  json.Key("variables");
  json.BeginObject();
  for (const v1::PlanFile::Variable& variable : plan.variables()) {
    WriteValue(json, variable.name, variable.value);
  }
  json.EndObject();
  const auto text = plan.prior_state(problems);
  const auto state = v1::Document::Parse(text.value_or(""), problems);
  if (state) {
    json.Key("prior_state");
    json.Raw(state.root().Json());
  }
}

kinu_text PlanFileJson(std::string bytes, bool show_sensitive, kinu_problems** problems) {
  v1::Diagnostics found;
  const auto plan = v1::PlanFile::Parse(std::move(bytes), found);
  const auto sources = plan ? plan->sources(found) : std::nullopt;
  std::string out;
  if (sources) {
    JsonWriter json(out, {.escape = JsonEscape::kPlain, .indent = {}, .prefix = {}});
    json.BeginObject();
    json.Member("terraform_version", plan->terraform_version());
    json.Member("timestamp", plan->timestamp());
    json.Member("errored", plan->errored());
    json.Member("has_schemas", plan->has_schemas());
    WriteAll(json, "changes", plan->changes());
    WriteAll(json, "drift", plan->drift());
    WriteOutputs(json, plan->outputs(), show_sensitive);
    WriteBackend(json, plan->backend(), show_sensitive);
    WriteAll(json, "sources", *sources);
    json.Member("lock_file", plan->lock_file());
    if (show_sensitive) {
      WriteSecrets(json, *plan, found);
    }
    json.EndObject();
  }
  const bool failed = v1::HasErrors(found);
  Give(problems, std::move(found));
  return failed ? kinu_text{nullptr, 0} : Text(out);
}

}  // namespace
}  // namespace kinu::c

extern "C" {

kinu_text kinu_plan_file(const char* bytes, size_t size, int show_sensitive,
                         kinu_problems** problems) {
  return kinu::c::Guarded(kinu_text{nullptr, 0}, [&] {
    return kinu::c::PlanFileJson(std::string(kinu::c::View(bytes, size)), show_sensitive != 0,
                                 problems);
  });
}

}  // extern "C"
