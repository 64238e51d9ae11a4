// A provider that tests call by the client of the plugin library, without a process between.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <kinu/provider.h>

#include "cty/json.h"
#include "plugin/plugin_provider.h"
#include "provider/wire_schema.h"
#include "schema/propose.h"
#include "sdk/provider_service.h"

namespace kinu::sdk {

using provider::Problems;

/// A channel whose other end is a service in this process.
class DirectChannel : public plugin::Channel {
 public:
  explicit DirectChannel(ProviderService& service) : service_(service) {}
  plugin::CallStatus Call(const char* method, std::string_view request, std::string* response,
                          const plugin::CallLimits&) override {
    constexpr std::string_view kProvider = "/tfplugin6.Provider/";
    Reply reply = service_.Answer(std::string_view(method).substr(kProvider.size()), request);
    *response = std::move(reply.message);
    return {.code = reply.status, .message = reply.error};
  }
  void Listen(const char*, std::function<void(std::string_view)>) override {}
  void Cancel() override {}

 private:
  ProviderService& service_;
};

/// A provider with its client.
class Served {
 public:
  explicit Served(v1::Provider provider)
      : provider_(std::move(provider)),
        service_(provider_),
        client_(plugin::PluginProvider::Over(std::make_unique<DirectChannel>(service_), 6)) {
    const auto raw = client_->FetchSchema();
    EXPECT_TRUE(raw) << raw.error().message;
    const auto checked = provider::CheckWireSchema(*raw);
    EXPECT_TRUE(checked) << checked.error().message;
    client_->UseSchema(*provider::OpenWireSchema(*raw));
  }
  plugin::PluginProvider* operator->() { return client_.get(); }
  ProviderService& service() { return service_; }
  const schema::ResourceSchema& resource() {
    return *client_->schema().FindResource(provider_.resources[0].type);
  }
  /// An object of the resource; attributes that the text leaves out are null.
  Value Object(const char* json) {
    auto value = ValueFromJson(json, resource().block.implied_type());
    EXPECT_TRUE(value) << value.error().ToText();
    return value.value_or(Value());
  }
  Value Null() { return Value::Null(resource().block.implied_type()); }
  provider::PlanResponse Plan(const Value& prior, const Value& config, Problems& problems,
                              std::string private_data = {}) {
    const Value proposed = schema::ProposeNew(resource().block, prior, config);
    const provider::PlanRequest request{.type = provider_.resources[0].type,
                                        .prior = prior,
                                        .proposed = proposed,
                                        .config = config,
                                        .private_data = std::move(private_data),
                                        .provider_meta = {},
                                        .identity = {}};
    auto response = client_->PlanResourceChange(request, problems);
    for (const ValueError& error :
         schema::CheckPlanned(resource().block, prior, config, response.planned)) {
      ADD_FAILURE() << error.ToText();
    }
    return response;
  }
  provider::ApplyResponse Apply(const Value& prior, const Value& planned, Problems& problems,
                                Value config = {}) {
    return client_->ApplyResourceChange({.type = provider_.resources[0].type,
                                         .prior = prior,
                                         .planned = planned,
                                         .config = config.IsNull() ? planned : config,
                                         .private_data = "p",
                                         .provider_meta = {},
                                         .identity = {}},
                                        problems);
  }

 private:
  v1::Provider provider_;
  ProviderService service_;
  std::unique_ptr<plugin::PluginProvider> client_;
};

inline v1::ManagedResource Thing(std::vector<v1::ProviderAttribute> attributes,
                                 std::vector<v1::ProviderBlock> blocks = {}) {
  v1::ManagedResource thing{.type = "t_thing"};
  thing.schema.attributes = std::move(attributes);
  thing.schema.blocks = std::move(blocks);
  return thing;
}

inline v1::Provider With(v1::ManagedResource resource) {
  v1::Provider provider;
  provider.resources = {std::move(resource)};
  return provider;
}

/// One line for each problem: severity, summary, detail, place.
inline std::string TextOf(const Problems& problems) {
  std::string text;
  for (const provider::Problem& problem : problems) {
    text += (problem.severity == Severity::kError ? "error: " : "warning: ") + problem.summary +
            " (" + problem.detail + ")" + (problem.attribute ? problem.attribute->ToText() : "") +
            "\n";
  }
  return text;
}

}  // namespace kinu::sdk
