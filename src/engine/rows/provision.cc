#include "engine/rows/provision.h"

#include <algorithm>
#include <optional>

#include "compatibility/features.h"
#include "config/merged_body.h"
#include "lang/eval.h"
#include "provisioners/provisioner.h"
#include "schema/decode.h"
#include "schema/marks.h"

namespace kinu::engine {
namespace {

using When = config::Provisioner::When;

/// The connection of a provisioner: its own arguments before those of its resource.
class Connection {
 public:
  Connection(const hcl::Body* resource, const hcl::Body* own) {
    body_ = own != nullptr ? own : resource;
    if (resource != nullptr && own != nullptr) {
      merged_.emplace(resource, own);
      body_ = &*merged_;
    }
  }
  const hcl::Body* body() const { return body_; }

 private:
  std::optional<config::OverriddenBody> merged_;
  const hcl::Body* body_ = nullptr;
};

/// An expansion with count.index or each.key of one instance that is destroyed.
Expansion ExpansionOfKey(const InstanceKey& key) {
  Expansion out;
  if (key.kind() == InstanceKey::Kind::kInt) {
    out.kind = Expansion::Kind::kCount;
    out.count = key.index() + 1;
  } else if (key.kind() == InstanceKey::Kind::kString) {
    out.kind = Expansion::Kind::kForEach;
    out.keys.push_back(key.symbol());
    out.values.push_back(Value::DynamicUnknown());
  }
  return out;
}

/// Why the output of a provisioner whose arguments have these marks is not shown; empty if it is.
std::string_view WhySecret(const RowContext& row, const MarkSet& marks) {
  if (marks.ephemeral()) {
    return "ephemeral";
  }
  const bool shown = row.walk().context.request.options.show_sensitive;
  return marks.sensitive() && !shown ? "sensitive" : "";
}

/// Posts the output of a provisioner, or that it is suppressed.
std::function<void(std::string_view)> OutputOf(const RowContext& row, std::string_view type,
                                               const MarkSet& marks) {
  const std::string_view secret = WhySecret(row, marks);
  return [&row, type, secret](std::string_view line) {
    row.walk().Post({.kind = EventKind::kProvisionOutput,
                     .address = row.address,
                     .provisioner = std::string(type),
                     .text = secret.empty() ? std::string(line)
                                            : "(output suppressed due to " + std::string(secret) +
                                                  " value in config)"});
  };
}

/// Whether a connection has a type that the release which the program behaves like has removed.
bool IsRefusedConnection(const Value& connection) {
  const Value* type = connection.IsNull() ? nullptr : connection.Find("type");
  return compatibility::Has(compatibility::Feature::kNoWinrm) && type != nullptr &&
         type->IsKnown() && !type->IsNull() && !type->IsMarked() && type->AsString() == "winrm";
}

/// Runs one provisioner. False if the ones after it are not run.
bool RunOne(RowContext& row, const config::Provisioner& block, const ModuleScope& scope,
            Diagnostics& diags) {
  size_t errors = diags.error_count();
  const provisioners::Provisioner* provisioner = provisioners::FindProvisioner(block.type);
  if (provisioner == nullptr) {
    diags.Error("Missing required provisioner plugin",
                "There is no provisioner \"" + std::string(block.type) + "\".", block.type_range);
    return false;
  }
  Value config =
      WarnDeprecatedIn(*block.body,
                       schema::DecodeBody(provisioner->schema(), *block.body,
                                          config::kProvisionerMetaNames, scope, nullptr, diags),
                       diags);
  const schema::Block& connection_schema = provisioners::ConnectionSchema();
  Value connected = Value::Null(connection_schema.implied_type());
  Connection connection(row.resource.connection, block.connection);
  if (diags.error_count() == errors && connection.body() != nullptr) {
    connected = WarnDeprecatedIn(
        *connection.body(),
        schema::DecodeBody(connection_schema, *connection.body(), {}, scope, nullptr, diags),
        diags);
  }
  if (diags.error_count() != errors) {
    return false;
  }
  Walk& walk = row.walk();
  std::string type(block.type);
  walk.Post({.kind = EventKind::kProvisionStart, .address = row.address, .provisioner = type});
  // A provisioner that needs the connection fails beside this; others run.
  const bool refused = IsRefusedConnection(connected);
  if (refused) {
    diags.Error("Provisioners no longer support WinRM",
                "OpenTofu 1.13 has no connections of the type winrm. Current Windows systems speak "
                "SSH: use that instead.",
                connection.body()->MissingItemRange());
  }
  provisioners::ProvisionRequest request;
  request.output = OutputOf(row, block.type, config.MarksDeep());
  request.config = config.UnmarkDeep();
  request.connection = connected.UnmarkDeep();
  request.stop = walk.context.request.stop;
  provider::Problems problems;
  provisioner->Run(request, problems);
  bool failed = provider::HasErrors(problems);
  walk.Post({.kind = failed ? EventKind::kProvisionErrored : EventKind::kProvisionComplete,
             .address = row.address,
             .provisioner = type});
  if (failed && block.on_failure == config::Provisioner::OnFailure::kContinue) {
    return !refused;
  }
  AppendProblems(problems, block.body, row.AddressText(), diags);
  return !failed && !refused;
}

}  // namespace

bool HasProvisioners(const config::Resource& resource, When when) {
  return std::any_of(resource.provisioners.begin(), resource.provisioners.end(),
                     [&](const config::Provisioner& block) { return block.when == when; });
}

bool ValidateProvisioners(const Walk& walk, const config::ConfigNode& place,
                          const config::Resource& resource, const ModuleScope& scope,
                          const Value& self, bool sound, Diagnostics& diags) {
  if (resource.provisioners.empty()) {
    return true;
  }
  ModuleScope with_self(walk, scope.instance(), scope.repetition(), &self);
  config::ReferenceContext inside;
  inside.self = &resource;
  ReferenceCheck check(walk, place, inside, scope.repetition().expansion);
  for (const config::Provisioner& block : resource.provisioners) {
    size_t errors = diags.error_count();
    const provisioners::Provisioner* provisioner = provisioners::FindProvisioner(block.type);
    if (provisioner == nullptr) {
      continue;  // reported before the walk
    }
    Value config = check.Decode(provisioner->schema(), *block.body, config::kProvisionerMetaNames,
                                with_self, diags);
    provider::Problems problems;
    provisioner->Validate(
        config.IsKnown() ? config.UnmarkDeep() : schema::UnknownObject(provisioner->schema()),
        problems);
    AppendProblems(problems, nullptr, "", diags);
    Connection connection(resource.connection, block.connection);
    if (connection.body() != nullptr) {
      Value connected =
          check.Decode(provisioners::ConnectionSchema(), *connection.body(), {}, with_self, diags);
      Value type = connected.UnmarkDeep();
      type = type.IsKnown() && !type.IsNull() ? type.Attribute("type") : Value();
      if (diags.error_count() == errors && type.IsKnown() && !type.IsNull() &&
          type.AsString() == "winrm") {
        Diagnostics ignored;
        SourceRange range = connection.body()->MissingItemRange();
        for (const hcl::Attribute& attribute : connection.body()->JustAttributes({}, ignored)) {
          range = attribute.name == "type" ? attribute.expr->range() : range;
        }
        diags.Warning("WinRM connection type is deprecated",
                      "Connections of the type winrm will go away. Current Windows systems speak "
                      "SSH: use that instead.",
                      range, connection.body()->MissingItemRange());
      }
    }
    if (!sound || diags.error_count() != errors) {
      return false;
    }
  }
  return true;
}

void RunProvisioners(RowContext& row, When when, const Value& self,
                     const refactoring::Refactoring* removed, Diagnostics& diags) {
  const std::vector<config::Provisioner>* list = &row.resource.provisioners.items();
  const config::ConfigNode* place = nullptr;
  if (row.instance != nullptr) {
    place = row.instance->node;
  } else {
    place = row.walk().config.Find(row.walk().program.ModuleOf(row.address.resource.module));
  }
  if (!row.resource.range.valid()) {
    const refactoring::RemovedStatement* statement =
        removed == nullptr ? nullptr : removed->FindRemoved(row.address.resource);
    list = statement == nullptr ? nullptr : &statement->block->provisioners;
    place = statement == nullptr ? nullptr : statement->node;
  }
  if (list == nullptr || list->empty() || place == nullptr) {
    return;
  }
  // Of a module instance that no longer exists, expressions can only use paths.
  std::unique_ptr<ModuleInstance> gone;
  const ModuleInstance* instance = row.instance;
  if (instance == nullptr) {
    gone = ModuleInstance::Make(row.address.resource.module, place, nullptr, {});
    instance = gone.get();
  }
  Expansion of_key = ExpansionOfKey(row.address.key);
  Repetition repetition{&of_key, 0};
  if (of_key.kind == Expansion::Kind::kCount) {
    repetition.row = static_cast<size_t>(row.address.key.index());
  }
  Value seen = self;
  if (when == When::kCreate) {
    const size_t block = row.walk().graph.node(row.id).index;
    repetition = {&row.instance->resources[block]->expansion, row.row.expansion_row};
    // What is destroyed is seen as it is stored. Ref: node_resource_abstract_instance.go
    // evalDestroyProvisionerConfig.
    seen = AsSeen(row.walk(), *row.instance, block, row.address.key, self);
  }
  ModuleScope scope(row.walk(), *instance, repetition, &seen);
  for (const config::Provisioner& block : *list) {
    if (block.when == when && !RunOne(row, block, scope, diags)) {
      return;
    }
  }
}

}  // namespace kinu::engine
