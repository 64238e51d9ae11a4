#include "telemetry/otlp.h"

#include <map>
#include <unordered_map>

#include "codec/protowire.h"

namespace kinu::telemetry {
namespace {

constexpr std::string_view kSchemaUrl = "https://opentelemetry.io/schemas/1.40.0";
constexpr uint64_t kKindInternal = 1;
constexpr uint64_t kStatusError = 2;
/// It is known whether the parent belongs to another program, and it does.
constexpr uint32_t kRemoteKnown = 0x100;
constexpr uint32_t kRemote = 0x200;

using AttributeValue = decltype(trace::Attribute::value);

/// Fixed numbers, which no other message of the program has.
void Fixed(ProtoWriter& out, uint32_t field, uint64_t value, size_t size) {
  const uint32_t wire_type = size == 8 ? 1 : 5;
  for (uint32_t tag = field << 3 | wire_type;; tag >>= 7) {
    out.out() += static_cast<char>(tag > 0x7F ? (tag & 0x7F) | 0x80 : tag);
    if (tag <= 0x7F) {
      break;
    }
  }
  for (size_t i = 0; i < size; ++i) {
    out.out() += static_cast<char>(value >> (8 * i) & 0xFF);
  }
}

std::string BigEndian(trace::SpanId id) {
  std::string out;
  for (int shift = 56; shift >= 0; shift -= 8) {
    out += static_cast<char>(id >> shift & 0xFF);
  }
  return out;
}

void WriteValue(ProtoWriter& out, uint32_t field, const AttributeValue& value) {
  const size_t message = out.Begin(field);
  if (const auto* text = std::get_if<std::string>(&value)) {
    out.AlwaysBytes(1, *text);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    out.AlwaysUint(2, *flag ? 1 : 0);
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    out.AlwaysInt(3, *number);
  } else {
    const size_t list = out.Begin(5);
    for (const std::string& part : std::get<std::vector<std::string>>(value)) {
      WriteValue(out, 1, part);
    }
    out.End(list);
  }
  out.End(message);
}

void WriteAttribute(ProtoWriter& out, uint32_t field, std::string_view key,
                    const AttributeValue& value) {
  const size_t message = out.Begin(field);
  out.Bytes(1, key);
  WriteValue(out, 2, value);
  out.End(message);
}

void WriteFailure(ProtoWriter& out, const trace::Record& record, int64_t epoch) {
  const size_t event = out.Begin(11);
  Fixed(out, 1, static_cast<uint64_t>(record.end + epoch), 8);
  out.Bytes(2, "exception");
  WriteAttribute(out, 3, "exception.type", std::string("diagnostics"));
  WriteAttribute(out, 3, "exception.message", record.failure);
  out.End(event);
}

void WriteSpan(ProtoWriter& out, const trace::Record& record, const TraceContext& context,
               int64_t epoch) {
  const bool has_remote_parent = record.parent == 0 && context.parent != 0;
  const trace::SpanId parent = record.parent != 0 ? record.parent : context.parent;
  const size_t message = out.Begin(2);
  out.Bytes(1, {reinterpret_cast<const char*>(context.trace.data()), context.trace.size()});
  out.Bytes(2, BigEndian(record.id));
  out.Bytes(3, context.state);
  if (parent != 0) {
    out.Bytes(4, BigEndian(parent));
  }
  out.Bytes(5, record.name);
  out.Uint(6, kKindInternal);
  Fixed(out, 7, static_cast<uint64_t>(record.start + epoch), 8);
  Fixed(out, 8, static_cast<uint64_t>(record.end + epoch), 8);
  for (const trace::Attribute& attribute : record.attributes) {
    WriteAttribute(out, 9, attribute.key, attribute.value);
  }
  if (record.failed) {
    WriteFailure(out, record, epoch);
  }
  const size_t status = out.Begin(15);
  if (record.failed) {
    out.Bytes(2, record.failure);
    out.Uint(3, kStatusError);
  }
  out.End(status);
  Fixed(out, 16, context.flags | kRemoteKnown | (has_remote_parent ? kRemote : 0), 4);
  out.End(message);
}

}  // namespace

void AdoptChildren(std::vector<trace::Record>& records) {
  std::unordered_map<trace::SpanId, trace::SpanId> parents;  // of those that are not exported
  for (const trace::Record& record : records) {
    if (!record.exported) {
      parents.emplace(record.id, record.parent);
    }
  }
  std::erase_if(records, [](const trace::Record& record) { return !record.exported; });
  for (trace::Record& record : records) {
    for (auto found = parents.find(record.parent); found != parents.end();
         found = parents.find(record.parent)) {
      record.parent = found->second;
    }
  }
}

std::string EncodeSpans(std::span<const trace::Record> records, const Resource& resource,
                        const TraceContext& context, int64_t epoch) {
  std::map<std::string_view, std::vector<const trace::Record*>> scopes;
  for (const trace::Record& record : records) {
    scopes[record.scope].push_back(&record);
  }
  std::string bytes;
  ProtoWriter out(bytes);
  const size_t group = out.Begin(1);
  const size_t shared = out.Begin(1);
  for (const auto& [key, value] : resource) {
    WriteAttribute(out, 1, key, value);
  }
  out.End(shared);
  for (const auto& [name, spans] : scopes) {
    const size_t of_scope = out.Begin(2);
    const size_t scope = out.Begin(1);
    out.Bytes(1, name);
    out.End(scope);
    for (const trace::Record* record : spans) {
      WriteSpan(out, *record, context, epoch);
    }
    out.End(of_scope);
  }
  out.Bytes(3, kSchemaUrl);
  out.End(group);
  return bytes;
}

}  // namespace kinu::telemetry
