#include "sdk/resource_calls.h"

#include "api/values.h"
#include "cty/conversion.h"
#include "cty/json.h"
#include "sdk/objects.h"

namespace kinu::sdk {
namespace {

using api::ToInner;
using api::ToPublic;

Type IdentityType(const v1::ManagedResource& resource) {
  std::vector<std::pair<std::string, Value>> members;
  for (const v1::IdentityAttribute& attribute : resource.identity) {
    members.emplace_back(attribute.name, Value::Null(ToType(attribute.type)));
  }
  return Value::Object(std::move(members)).type();
}

v1::ResourceCall Arguments(const Call& call, std::string_view private_data) {
  v1::ResourceCall arguments;
  arguments.private_data = private_data;
  arguments.stopped = call.stopped;
  return arguments;
}

/// Reads the identity in a request, if the resource has one.
void ReadIdentity(const BoundResource& resource, Call& call, std::string_view bytes,
                  v1::Value& identity) {
  if (!resource.row->identity.empty()) {
    identity = ToPublic(call.ReadIdentity(bytes, IdentityType(*resource.row)));
  }
}

/// The identity that a function gave, or else that of the object's attributes; null if a part of
/// them is null.
Value IdentityOf(const v1::ManagedResource& resource, const v1::Value& given, const Value& object,
                 Call& call) {
  const Type type = IdentityType(resource);
  if (!given.is_null()) {
    auto value = Convert(ToInner(given), type);
    if (!value) {
      call.problems.AddError("Invalid identity from provider", value.error().ToText());
    }
    return value.value_or(Value::Null(type));
  }
  if (object.IsNull() || !object.IsKnown()) {
    return Value::Null(type);
  }
  std::vector<std::pair<std::string, Value>> members;
  for (const v1::IdentityAttribute& attribute : resource.identity) {
    const Value* found = object.Find(attribute.name);
    if (found == nullptr || found->IsNull()) {
      return Value::Null(type);
    }
    members.emplace_back(attribute.name, Convert(*found, ToType(attribute.type)).value_or(*found));
  }
  return Value::Object(std::move(members));
}

/// Writes the identity of an object, if the resource has one.
void WriteIdentity(const BoundResource& resource, Call& call, uint32_t field,
                   const v1::Value& given, const Value& object) {
  if (!resource.row->identity.empty()) {
    call.WriteIdentity(field, IdentityOf(*resource.row, given, object, call),
                       IdentityType(*resource.row));
  }
}

/// Runs a function of the provider and completes what it returns.
Value RunAndComplete(const v1::ResourceFunction& function, const BoundResource& resource,
                     v1::ResourceCall& arguments, Call& call) {
  const v1::Value returned = call.Run(function, arguments);
  return Complete(ToInner(returned), resource.level, call.problems);
}

/// A stored object of the present version: attributes that the schema no longer has are dropped.
Value ReadPresent(const BoundResource& resource, std::string_view raw, Call& call) {
  if (auto exact = ValueFromJson(Request(raw)[1], resource.level.type)) {
    return *std::move(exact);
  }
  const Value stored = call.ReadStored(raw);
  std::vector<std::pair<std::string, Value>> kept;
  for (const Member& member : resource.level.members) {
    if (const Value* found = stored.type().is_object() ? stored.Find(member.name) : nullptr) {
      kept.emplace_back(member.name, *found);
    }
  }
  return Complete(Value::Object(std::move(kept)), resource.level, call.problems);
}

/// The planned object that functions and client agree on.
Value PlanFor(const BoundResource& resource, v1::ResourceCall& arguments, Call& call,
              const Value& prior, const Value& proposed, const Value& config) {
  Value planned = PlanObject(resource.level, prior, proposed, config);
  if (resource.row->plan) {
    arguments.planned = ToPublic(planned);
    const Value changed = RunAndComplete(resource.row->plan, resource, arguments, call);
    if (!call.problems.has_errors()) {
      planned = changed;
    }
  }
  if (!prior.IsNull()) {
    FindReplaced(resource.level, prior, planned, !resource.row->update, arguments.replace);
  }
  return planned;
}

Value Create(const BoundResource& resource, v1::ResourceCall& arguments, Call& call) {
  if (!resource.row->create) {
    call.problems.AddError("Resource cannot be created",
                           resource.row->type + " has no function that creates an object.");
    return Value::Null(resource.level.type);
  }
  return RunAndComplete(resource.row->create, resource, arguments, call);
}

Value Update(const BoundResource& resource, v1::ResourceCall& arguments, Call& call) {
  const Value prior = ToInner(arguments.prior);
  if (!resource.row->update) {
    return ToInner(arguments.planned);
  }
  const Value updated = RunAndComplete(resource.row->update, resource, arguments, call);
  return updated.IsNull() && call.problems.has_errors() ? prior : updated;
}

/// Creates, updates or destroys an object. Returns the object that is stored then.
Value Change(const BoundResource& resource, v1::ResourceCall& arguments, Call& call) {
  if (arguments.planned.is_null()) {
    if (resource.row->destroy && !arguments.prior.is_null()) {
      call.Run(resource.row->destroy, arguments);
    }
    return call.problems.has_errors() ? ToInner(arguments.prior) : Value::Null(resource.level.type);
  }
  return arguments.prior.is_null() ? Create(resource, arguments, call)
                                   : Update(resource, arguments, call);
}

}  // namespace

void ValidateResource(const BoundResource& resource, Call& call) {
  call.Validate(resource.row->validate, call.ReadConfig(call.request[2], resource.level.type));
}

void UpgradeState(const BoundResource& resource, Call& call) {
  const Type& type = resource.level.type;
  const int64_t version = call.request.Int(2);
  Value upgraded = Value::Null(type);
  if (version == resource.row->schema.version) {
    upgraded = ReadPresent(resource, call.request[3], call);
  } else if (!resource.row->upgrade) {
    call.problems.AddError("Unable to upgrade the stored object",
                           resource.row->type + " cannot read objects of version " +
                               std::to_string(version) + " of its schema.");
  } else {
    v1::UpgradeCall arguments{
        .version = version, .stored = ToPublic(call.ReadStored(call.request[3])), .problems = {}};
    if (!call.problems.has_errors()) {
      const v1::Value returned = call.Run(resource.row->upgrade, arguments);
      upgraded = Complete(ToInner(returned), resource.level, call.problems);
    }
  }
  call.WriteValue(1, upgraded, type);
}

void UpgradeIdentity(const BoundResource& resource, Call& call) {
  const Type type = IdentityType(*resource.row);
  v1::UpgradeCall arguments{.version = call.request.Int(2),
                            .stored = ToPublic(call.ReadStored(call.request[3])),
                            .problems = {}};
  v1::Value identity = arguments.stored;
  if (arguments.version != resource.row->identity_version && !call.problems.has_errors()) {
    if (resource.row->upgrade_identity) {
      identity = call.Run(resource.row->upgrade_identity, arguments);
    } else {
      call.problems.AddError("Unable to upgrade the stored identity",
                             resource.row->type + " cannot read identities of version " +
                                 std::to_string(arguments.version) + '.');
    }
  }
  call.WriteIdentity(1, IdentityOf(*resource.row, identity, Value(), call), type);
}

void ReadResource(const BoundResource& resource, Call& call) {
  v1::ResourceCall arguments = Arguments(call, call.request[3]);
  Value state = call.ReadObject(call.request[2], resource.level.type);
  ReadIdentity(resource, call, call.request[6], arguments.identity);
  if (resource.row->read && !state.IsNull() && !call.problems.has_errors()) {
    arguments.prior = ToPublic(state);
    const Value read = RunAndComplete(resource.row->read, resource, arguments, call);
    state = read.IsNull() && call.problems.has_errors() ? state : read;
  }
  call.WriteValue(1, state, resource.level.type);
  call.out.Bytes(3, arguments.private_data);
  WriteIdentity(resource, call, 5, arguments.identity, state);
}

void PlanChange(const BoundResource& resource, Call& call) {
  const Type& type = resource.level.type;
  v1::ResourceCall arguments = Arguments(call, call.request[5]);
  const Value prior = call.ReadObject(call.request[2], type);
  Value planned = call.ReadObject(call.request[3], type);
  const Value config = call.ReadObject(call.request[4], type);
  ReadIdentity(resource, call, call.request[8], arguments.identity);
  if (!planned.IsNull() && !config.IsNull() && !call.problems.has_errors()) {
    arguments.prior = ToPublic(prior);
    arguments.config = ToPublic(config);
    planned = PlanFor(resource, arguments, call, prior, planned, config);
    for (const v1::AttributePath& path : arguments.replace) {
      call.WritePath(2, path);
    }
  }
  call.WriteValue(1, planned, type);
  call.out.Bytes(3, arguments.private_data);
  if (!resource.row->identity.empty() && !arguments.identity.is_null()) {
    WriteIdentity(resource, call, 7, arguments.identity, planned);
  }
}

void ApplyChange(const BoundResource& resource, Call& call) {
  const Type& type = resource.level.type;
  v1::ResourceCall arguments = Arguments(call, call.request[5]);
  const Value prior = call.ReadObject(call.request[2], type);
  arguments.prior = ToPublic(prior);
  arguments.planned = ToPublic(call.ReadObject(call.request[3], type));
  arguments.config = ToPublic(call.ReadObject(call.request[4], type));
  ReadIdentity(resource, call, call.request[7], arguments.identity);
  Value state = prior;
  if (!call.problems.has_errors()) {
    state = Change(resource, arguments, call);
  }
  call.WriteValue(1, state, type);
  call.out.Bytes(2, arguments.private_data);
  WriteIdentity(resource, call, 5, arguments.identity, state);
}

void ImportState(const BoundResource& resource, Call& call) {
  v1::ResourceCall arguments = Arguments(call, {});
  arguments.id = call.request[2];
  ReadIdentity(resource, call, call.request[4], arguments.identity);
  if (!resource.row->import) {
    call.problems.AddError("Resource cannot be imported",
                           "Objects of type " + resource.row->type + " cannot be imported.");
  }
  if (call.problems.has_errors()) {
    return;
  }
  const Value state = RunAndComplete(resource.row->import, resource, arguments, call);
  if (call.problems.has_errors()) {
    return;
  }
  const size_t imported = call.out.Begin(1);
  call.out.Bytes(1, resource.row->type);
  call.WriteValue(2, state, resource.level.type);
  call.out.Bytes(3, arguments.private_data);
  WriteIdentity(resource, call, 4, arguments.identity, state);
  call.out.End(imported);
}

void MoveState(const BoundResource& resource, Call& call) {
  v1::MoveCall arguments;
  arguments.source_provider = call.request[1];
  arguments.source_type = call.request[2];
  arguments.source_version = call.request.Int(3);
  arguments.source = ToPublic(call.ReadStored(call.request[4]));
  arguments.private_data = call.request[6];
  Value target = Value::Null(resource.level.type);
  if (resource.row->move && !call.problems.has_errors()) {
    const v1::Value returned = call.Run(resource.row->move, arguments);
    target = Complete(ToInner(returned), resource.level, call.problems);
  }
  if (target.IsNull() && !call.problems.has_errors()) {
    call.problems.AddError("Resource cannot be moved",
                           resource.row->type + " cannot be made of an object of type " +
                               arguments.source_type + " of " + arguments.source_provider + '.');
  }
  call.WriteValue(1, target, resource.level.type);
  call.out.Bytes(3, arguments.private_data);
  WriteIdentity(resource, call, 4, arguments.identity, target);
}

}  // namespace kinu::sdk
