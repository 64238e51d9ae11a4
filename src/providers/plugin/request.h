// A request to a provider while it is written.
#pragma once

#include <string>
#include <string_view>

#include "codec/protowire.h"
#include "plugin/messages.h"
#include "provider/provider.h"

namespace kinu::plugin {

/// A message that is written field by field. The first value that cannot be encoded becomes a
/// problem, and ok() is false from then on.
class Request {
 public:
  explicit Request(provider::Problems& problems) : problems_(problems) {}

  Request& Text(uint32_t field, std::string_view text) {
    writer_.Bytes(field, text);
    return *this;
  }
  Request& Int(uint32_t field, int64_t number) {
    writer_.Int(field, number);
    return *this;
  }
  Request& Dynamic(uint32_t field, const Value& value, const Type& type) {
    Check(WriteDynamicValue(writer_, field, value, type));
    return *this;
  }
  Request& Identity(uint32_t field, const Value& value, const Type& type) {
    Check(WriteIdentity(writer_, field, value, type));
    return *this;
  }
  Request& Raw(uint32_t field, const provider::RawState& raw) {
    WriteRawState(writer_, field, raw);
    return *this;
  }
  Request& Capabilities(uint32_t field) {
    WriteClientCapabilities(writer_, field);
    return *this;
  }

  bool ok() const { return ok_; }
  const std::string& bytes() const { return bytes_; }

 private:
  void Check(const ValueResult<void>& written) {
    if (!written && ok_) {
      ok_ = false;
      AddError(problems_, written.error().ToText());
    }
  }

  std::string bytes_;
  ProtoWriter writer_{bytes_};
  provider::Problems& problems_;
  bool ok_ = true;
};

}  // namespace kinu::plugin
