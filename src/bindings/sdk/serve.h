// The process of a provider, with a place where tests put faults.
#pragma once

#include <functional>
#include <string_view>

#include <kinu/provider.h>

#include "sdk/server.h"

namespace kinu::sdk {

/// Answers a method of the provider's service.
using Answerer = std::function<Reply(std::string_view method, std::string_view request)>;
/// Answers a method itself, or has `answer` do it. Thread-safe.
using Interceptor =
    std::function<Reply(std::string_view method, std::string_view request, const Answerer& answer)>;

/// As v1::Serve(). Calls of the provider's service go through `intercept`, unless it is empty.
int Serve(const v1::Provider& provider, const v1::ServeOptions& options,
          const Interceptor& intercept);

}  // namespace kinu::sdk
