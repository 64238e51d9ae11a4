// A provider that fails as the environment says:
// FAULTY="ApplyResourceChange=hang,StopProvider=crash". Its objects are files of the directory
// FAULTY_DIRECTORY, so tests see what was really done.
//
//   crash      the process ends
//   hang       the call ends when the provider is asked to stop; a file .hang shows that it waits
//   error      the call fails with a status
//   malformed  the response is no message
//   reset      the stream is reset
//   goaway     the connection takes no more calls, and this one has no answer
//   drop       the connection is closed
//   huge       the response has 200 MB
//   flood      the process writes 100,000 lines to its log before it answers
//   garbage    the object is no encoded value
//   type       the object is a string
//   null       there is no object
//   unknown    the object's id is unknown
//   write      the write-only password has a value
//   none       (ImportResourceState) there is nothing to import
//   two        (ImportResourceState) there are two objects
//   problem    the function of the provider reports an error
//
// The faults from `error` to `two` happen after the call was answered: what it does is done.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>

#include <unistd.h>

#include "codec/protowire.h"
#include "plugin/messages.h"
#include "sdk/level.h"
#include "sdk/serve.h"

namespace kinu {
namespace {

using sdk::Reply;
using V = v1::Value;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const std::filesystem::path& Directory() {
  static const std::filesystem::path directory = Environment("FAULTY_DIRECTORY");
  return directory;
}

/// The fault of a call; empty if it does not fail.
std::string FaultOf(std::string_view method) {
  static const std::string faults = ',' + Environment("FAULTY") + ',';
  const std::string start = ',' + std::string(method) + '=';
  const size_t begin = faults.find(start);
  if (begin == faults.npos) {
    return "";
  }
  const size_t fault = begin + start.size();
  return faults.substr(fault, faults.find(',', fault) - fault);
}

// --- The provider, which works. ---

std::string Text(const V& object, std::string_view name) {
  return object.Find(name)->AsString().value_or("");
}

std::filesystem::path PathOf(const V& object) {
  return Directory() / Text(object, "name");
}

void Misbehave(std::string_view method, v1::ProviderProblems& problems) {
  if (FaultOf(method) == "problem") {
    problems.AddError("Failed as told", "The provider was told to fail.");
  }
}

V Store(v1::ResourceCall& call) {
  Misbehave("ApplyResourceChange", call.problems);
  if (call.problems.has_errors()) {
    return {};
  }
  std::ofstream(PathOf(call.planned)) << Text(call.planned, "value");
  return V::Object({{"name", *call.planned.Find("name")},
                    {"value", *call.planned.Find("value")},
                    {"id", V::String("id-" + Text(call.planned, "name"))}});
}

v1::ManagedResource Thing() {
  v1::ManagedResource thing{.type = "faulty_thing"};
  thing.schema.attributes = {{.name = "id", .computed = true, .stable = true},
                             {.name = "name", .required = true, .requires_replace = true},
                             {.name = "value", .optional = true},
                             {.name = "password", .optional = true, .write_only = true}};
  thing.validate = [](const V&, v1::ProviderProblems& problems) {
    Misbehave("ValidateResourceConfig", problems);
  };
  thing.plan = [](v1::ResourceCall& call) {
    Misbehave("PlanResourceChange", call.problems);
    return call.planned;
  };
  thing.create = Store;
  thing.update = Store;
  thing.read = [](v1::ResourceCall& call) {
    Misbehave("ReadResource", call.problems);
    return std::filesystem::exists(PathOf(call.prior)) ? call.prior : V();
  };
  thing.destroy = [](v1::ResourceCall& call) {
    Misbehave("ApplyResourceChange", call.problems);
    if (!call.problems.has_errors()) {
      std::filesystem::remove(PathOf(call.prior));
    }
  };
  thing.import = [](v1::ResourceCall& call) {
    Misbehave("ImportResourceState", call.problems);
    return V::Object({{"name", V::String(call.id)}, {"id", V::String("id-" + call.id)}});
  };
  thing.move = [](v1::MoveCall& call) {
    Misbehave("MoveResourceState", call.problems);
    return V::Object({{"name", V::String("a")}, {"id", V::String("id-a")}});
  };
  thing.identity = {{.name = "name", .required_for_import = true}};
  // The state that tests start with has the version 0.
  thing.identity_version = FaultOf("UpgradeResourceIdentity").empty() ? 0 : 1;
  thing.upgrade_identity = [](v1::UpgradeCall& call) {
    Misbehave("UpgradeResourceIdentity", call.problems);
    return call.stored;
  };
  return thing;
}

v1::Provider MakeProvider() {
  v1::Provider provider{.address = "example.com/test/faulty"};
  provider.resources = {Thing()};
  v1::DataSource lookup{.type = "faulty_lookup"};
  lookup.schema.attributes = {{.name = "id", .computed = true}};
  lookup.read = [](v1::DataCall& call) {
    Misbehave("ReadDataSource", call.problems);
    return V::Object({{"id", V::String("found")}});
  };
  provider.data_sources = {lookup};
  v1::EphemeralResource token{.type = "faulty_token"};
  token.schema.attributes = {{.name = "id", .computed = true}};
  token.open = [](v1::EphemeralCall& call) {
    Misbehave("OpenEphemeralResource", call.problems);
    return V::Object({{"id", V::String("token")}});
  };
  token.close = [](v1::EphemeralCall& call) { Misbehave("CloseEphemeralResource", call.problems); };
  provider.ephemeral_resources = {token};
  v1::ProviderFunction echo{.name = "echo"};
  echo.parameters = {{.name = "text"}};
  echo.call = [](v1::FunctionCall& call) { return call.arguments[0]; };
  provider.functions = {echo};
  return provider;
}

// --- The faults. ---

/// Where a response has its object: a field, or a field of field 1.
struct Place {
  std::string_view method;
  uint32_t field;
  bool inside;
  bool is_thing;
};
constexpr Place kPlaces[] = {
    {"UpgradeResourceState", 1, false, true}, {"ReadResource", 1, false, true},
    {"PlanResourceChange", 1, false, true},   {"ApplyResourceChange", 1, false, true},
    {"ImportResourceState", 2, true, true},   {"MoveResourceState", 1, false, true},
    {"ReadDataSource", 1, false, false},      {"OpenEphemeralResource", 3, false, false},
    {"CallFunction", 1, false, false},
};

/// Writes a changed object in place of `object` (a DynamicValue).
void WriteFault(ProtoWriter& out, uint32_t field, std::string_view object, std::string_view fault,
                const Type& type) {
  if (fault == "null") {
    return;
  }
  if (fault == "garbage" || fault == "type") {
    const size_t begin = out.Begin(field);
    out.Bytes(1, fault == "garbage" ? "\xc1"
                                    : "\xa8"
                                      "a string");
    out.End(begin);
    return;
  }
  const Value value = plugin::ReadDynamicValue(object, type).value_or(Value::Null(type));
  std::vector<std::pair<std::string, Value>> members;
  for (const ObjectAttribute& attribute : type.attributes()) {
    const bool change = attribute.name == (fault == "unknown" ? "id" : "password");
    const Value changed =
        fault == "unknown" ? Value::Unknown(Type::String()) : Value::String("hunter2");
    if (value.IsNull()) {
      members.emplace_back(attribute.name, Value::Null(attribute.type));
    } else {
      members.emplace_back(attribute.name, change ? changed : value.Attribute(attribute.name));
    }
  }
  static_cast<void>(plugin::WriteDynamicValue(
      out, field, value.IsNull() ? value : Value::Object(std::move(members)), type));
}

/// The message with another object.
std::string ChangeObject(std::string_view message, const Place& place, std::string_view fault,
                         const Type& type) {
  std::string changed;
  ProtoWriter out(changed);
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == place.field && !place.inside) {
      WriteFault(out, field.number, field.bytes, fault, type);
    } else if (field.number == 1 && place.inside) {
      out.AlwaysBytes(
          1, ChangeObject(field.bytes, {place.method, place.field, false, true}, fault, type));
    } else if (field.kind == ProtoField::Kind::kBytes) {
      out.AlwaysBytes(field.number, field.bytes);
    } else {
      out.AlwaysUint(field.number, field.scalar);
    }
  }
  return changed;
}

/// Lets calls wait until the provider is asked to stop.
class Stopped {
 public:
  void Set() {
    const std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  void Wait() {
    std::ofstream(Directory() / ".hang");
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

Reply Error(std::string text) {
  constexpr int kUnknown = 2;
  return {.message = {}, .status = kUnknown, .error = std::move(text)};
}

void Flood() {
  constexpr int kLines = 100'000;
  for (int i = 0; i < kLines; ++i) {
    v1::Log(v1::LogLevel::kInfo, "flood", {{"line", std::to_string(i)}});
  }
}

/// Changes a response as a whole.
void BreakResponse(Reply& reply, std::string_view fault) {
  constexpr size_t kHuge = 200 << 20;
  constexpr uint32_t kUnknownField = 1000;
  if (fault == "error") {
    reply = Error("failed as told");
  } else if (fault == "none") {
    reply.message.clear();
  } else if (fault == "two") {
    reply.message += std::string(reply.message);  // repeated fields of both
  } else if (fault == "malformed") {
    reply.message = "\xff\xff\xff";
  } else if (fault == "huge") {
    ProtoWriter(reply.message).Bytes(kUnknownField, std::string(kHuge, 'x'));
  } else if (fault == "reset") {
    reply.end = Reply::End::kReset;
  } else if (fault == "goaway") {
    reply.end = Reply::End::kGoAway;
  } else if (fault == "drop") {
    reply.end = Reply::End::kDrop;
  }
}

int Run() {
  const v1::Provider provider = MakeProvider();
  const Type thing = sdk::MakeLevel(provider.resources[0].schema).type;
  Stopped stopped;
  return sdk::Serve(
      provider, {},
      [&](std::string_view method, std::string_view request, const sdk::Answerer& answer) {
        const std::string fault = FaultOf(method);
        if (fault == "crash") {
          _exit(3);
        }
        if (method == "StopProvider" && fault != "hang") {
          stopped.Set();
        }
        if (fault == "hang") {
          stopped.Wait();
          return Error("stopped as told");
        }
        if (fault == "flood") {
          Flood();
        }
        Reply reply = answer(method, request);
        for (const Place& place : kPlaces) {
          const bool object = fault == "garbage" || fault == "type" || fault == "null" ||
                              (place.is_thing && (fault == "unknown" || fault == "write"));
          if (place.method == method && object) {
            reply.message = ChangeObject(reply.message, place, fault, thing);
          }
        }
        BreakResponse(reply, fault);
        return reply;
      });
}

}  // namespace
}  // namespace kinu

int main() {
  return kinu::Run();
}
