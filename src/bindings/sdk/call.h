// One call of the protocol: the fields of its request, and its response as it is written.
#pragma once

#include <exception>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <kinu/provider.h>

#include "codec/protowire.h"
#include "cty/value.h"
#include "sdk/level.h"
#include "sdk/server.h"

namespace kinu::sdk {

/// The fields of a request.
class Request {
 public:
  explicit Request(std::string_view message);
  /// The bytes of a field; empty if the request has none. Of a repeated field, the last.
  std::string_view operator[](uint32_t field) const;
  int64_t Int(uint32_t field) const;
  /// The bytes of each field with the number 2, in order: the arguments of a function.
  const std::vector<std::string_view>& arguments() const { return arguments_; }

 private:
  std::map<uint32_t, ProtoField> fields_;
  std::vector<std::string_view> arguments_;
};

class Call {
  Reply reply_;

 public:
  Call(std::string_view message, std::stop_token stop)
      : request(message), out(reply_.message), stopped(std::move(stop)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Ends the call with a status of gRPC and no response.
  void Refuse(int status, std::string error);
  /// The response, with the problems in the field `problems_field` (0: it has none).
  Reply Finish(uint32_t problems_field);

  /// A DynamicValue. After an error, which is reported, null.
  Value ReadValue(std::string_view bytes, const Type& type);
  /// As ReadValue(), of an object or null: an unknown one is an error.
  Value ReadObject(std::string_view bytes, const Type& type);
  /// As ReadObject(); null is an error, too.
  Value ReadConfig(std::string_view bytes, const Type& type);
  /// A ResourceIdentityData field.
  Value ReadIdentity(std::string_view bytes, const Type& type);
  /// A RawState as JSON has it: objects and tuples.
  Value ReadStored(std::string_view raw);
  void WriteValue(uint32_t field, const Value& value, const Type& type);
  void WriteIdentity(uint32_t field, const Value& identity, const Type& type);
  void WritePath(uint32_t field, const v1::AttributePath& path);

  /// Runs a function of the provider with the call's problems lent to `arguments`. Returns what it
  /// returns; a value of its type made from nothing if it throws, which is an error of the call.
  template <typename Function, typename Arguments>
  auto Run(const Function& function, Arguments& arguments) {
    using Result = decltype(function(arguments));
    std::swap(arguments.problems, problems);
    try {
      if constexpr (std::is_void_v<Result>) {
        function(arguments);
        std::swap(arguments.problems, problems);
      } else {
        Result result = function(arguments);
        std::swap(arguments.problems, problems);
        return result;
      }
    } catch (const std::exception& thrown) {
      std::swap(arguments.problems, problems);
      ReportThrown(thrown.what());
      return Result();
    }
  }
  /// Runs a check of a configuration, if the provider has one.
  void Validate(const v1::ValidateFunction& validate, const Value& config);

  Request request;
  ProtoWriter out;
  v1::ProviderProblems problems;
  std::stop_token stopped;

 private:
  void ReportThrown(std::string_view what);
};

}  // namespace kinu::sdk
