#include "plan/dynamic_value.h"

#include <utility>

#include "codec/protowire.h"
#include "cty/msgpack.h"
#include "plan/wire.h"

namespace kinu::plan {

using namespace wire;  // NOLINT(google-build-using-namespace): the numbers of this format

namespace {

/// The msgpack bytes in a DynamicValue message.
std::string_view Msgpack(std::string_view dynamic) {
  std::string_view bytes;
  ProtoReader reader(dynamic);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == kMsgpack) {
      bytes = field.bytes;
    }
  }
  return bytes;
}

}  // namespace

Result<Value> ReadValue(std::string_view dynamic, const Type& type) {
  std::string_view bytes = Msgpack(dynamic);
  if (bytes.empty()) {
    return Fail(ErrorCode::kInvalid, "dynamic value does not have msgpack serialization");
  }
  ValueResult<Value> value = ValueFromMsgpack(bytes, type);
  if (!value) {
    return Fail(ErrorCode::kInvalid, value.error().ToText());
  }
  return *std::move(value);
}

Result<Value> ReadUntyped(std::string_view dynamic) {
  std::string_view bytes = Msgpack(dynamic);
  if (bytes.empty()) {
    return Fail(ErrorCode::kInvalid, "dynamic value does not have msgpack serialization");
  }
  ValueResult<Type> type = ImpliedTypeOfMsgpack(bytes);
  ValueResult<Value> value =
      type ? ValueFromMsgpack(bytes, *type) : ValueFail(type.error().message, type.error().path);
  if (!value) {
    return Fail(ErrorCode::kInvalid, value.error().ToText());
  }
  return *std::move(value);
}

}  // namespace kinu::plan
