#include "plugin/messages.h"

#include "cty/json.h"
#include "cty/msgpack.h"
#include "text/unicode.h"

namespace kinu::plugin {

using provider::Problem;
using provider::Problems;

ValueResult<void> WriteDynamicValue(ProtoWriter& writer, uint32_t field, const Value& value,
                                    const Type& type) {
  constexpr uint32_t kMsgpack = 1;
  if (value.IsNull()) {
    size_t begin = writer.Begin(field);
    writer.AlwaysBytes(kMsgpack, "\xc0");
    writer.End(begin);
    return {};
  }
  size_t begin = writer.Begin(field);
  size_t bytes = writer.Begin(kMsgpack);  // a bytes field has the same framing as a message
  auto written = AppendMsgpack(writer.out(), value, type, WholeNumbers::kExact);
  writer.End(bytes);
  writer.End(begin);
  return written;
}

ValueResult<Value> ReadDynamicValue(std::string_view message, const Type& type) {
  std::string_view msgpack;
  std::string_view json;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == 1) {
      msgpack = field.bytes;
    } else if (field.number == 2) {
      json = field.bytes;
    }
  }
  if (reader.failed()) {
    return ValueFail("malformed value message");
  }
  if (!msgpack.empty()) {
    return ValueFromMsgpack(msgpack, type);
  }
  if (!json.empty()) {
    return ValueFromJson(json, type);
  }
  return Value::Null(type);
}

ValueResult<void> WriteIdentity(ProtoWriter& writer, uint32_t field, const Value& identity,
                                const Type& type) {
  if (identity.IsNull()) {
    return {};
  }
  size_t begin = writer.Begin(field);
  auto written = WriteDynamicValue(writer, 1, identity, type);
  writer.End(begin);
  return written;
}

ValueResult<Value> ReadIdentity(std::string_view message, const Type& type) {
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == 1) {
      return ReadDynamicValue(field.bytes, type);
    }
  }
  return Value::Null(type);
}

void WriteRawState(ProtoWriter& writer, uint32_t field, const provider::RawState& raw) {
  size_t begin = writer.Begin(field);
  writer.Bytes(1, raw.json);
  for (const auto& [key, value] : raw.flatmap) {
    size_t entry = writer.Begin(2);
    writer.AlwaysBytes(1, key);
    writer.AlwaysBytes(2, value);
    writer.End(entry);
  }
  writer.End(begin);
}

void WriteClientCapabilities(ProtoWriter& writer, uint32_t field) {
  size_t begin = writer.Begin(field);
  writer.Bool(2, true);  // write_only_attributes_allowed
  writer.End(begin);
}

std::optional<Path> ReadAttributePath(std::string_view message) {
  Path path;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (field.number != 1) {
      continue;
    }
    ProtoReader step(field.bytes);
    for (ProtoField selector; step.Next(selector);) {
      switch (selector.number) {
        case 1:
          path.Push(PathStep::Attribute(text::ReplaceInvalidUtf8(selector.bytes)));
          break;
        case 2:
          path.Push(PathStep::Index(Value::String(text::ReplaceInvalidUtf8(selector.bytes))));
          break;
        case 3:
          path.Push(PathStep::Index(Value::Int(selector.as_int())));
          break;
        default:
          break;
      }
    }
    if (step.failed()) {
      return std::nullopt;
    }
  }
  if (reader.failed() || path.empty()) {
    return std::nullopt;
  }
  return path;
}

Problem ReadDiagnostic(std::string_view message) {
  constexpr uint64_t kWarning = 2;
  Problem problem;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    switch (field.number) {
      case 1:
        problem.severity = field.scalar == kWarning ? Severity::kWarning : Severity::kError;
        break;
      case 2:
        problem.summary = text::ReplaceInvalidUtf8(field.bytes);
        break;
      case 3:
        problem.detail = text::ReplaceInvalidUtf8(field.bytes);
        break;
      case 4:
        problem.attribute = ReadAttributePath(field.bytes);
        break;
      default:
        break;
    }
  }
  return problem;
}

Response ReadResponse(std::string_view message, const ResponseLayout& layout, Problems& problems) {
  Response response;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == layout.diagnostics) {
      problems.push_back(ReadDiagnostic(field.bytes));
    } else if (field.number == layout.value) {
      response.value = field.bytes;
    } else if (field.number == layout.private_data) {
      response.private_data = field.bytes;
    } else if (field.number == layout.identity) {
      response.identity = field.bytes;
    } else if (field.number == layout.legacy_type_system) {
      response.legacy_type_system = field.as_bool();
    } else if (field.number == layout.requires_replace) {
      response.requires_replace.push_back(ReadAttributePath(field.bytes).value_or(Path()));
    } else if (field.number == layout.renew_at) {
      ProtoReader timestamp(field.bytes);
      response.renew_at = 0;
      for (ProtoField part; timestamp.Next(part);) {
        if (part.number == 1) {
          response.renew_at = part.as_int();
        }
      }
    }
  }
  if (reader.failed()) {
    ReportMalformed(problems);
  }
  return response;
}

void ReportMalformed(Problems& problems) {
  AddError(problems, "Plugin error", "The plugin returned a malformed message.");
}

void AddError(Problems& problems, std::string summary, std::string detail) {
  problems.push_back({.severity = Severity::kError,
                      .summary = std::move(summary),
                      .detail = std::move(detail),
                      .attribute = std::nullopt,
                      .sourceless = true});
}

}  // namespace kinu::plugin
