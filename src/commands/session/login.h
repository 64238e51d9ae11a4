// Obtains and removes the tokens of hosts: `login` and `logout`. Ref: opentofu
// internal/command/login.go, logout.go.
#pragma once

#include <functional>
#include <string>

#include "diag/diagnostic.h"
#include "session/narrator.h"
#include "session/workspace.h"

namespace kinu::session {

/// A question of a login.
struct LoginQuestion {
  std::string query;
  std::string description = {};
  bool secret = false;
};

/// The user at whose computer a login runs.
struct LoginUser {
  Narrator& narrator;
  std::function<Result<std::string>(const LoginQuestion&)> ask;
};

/// Obtains a token from a host's login service (OAuth 2.0), or has the user paste one, and stores
/// it. Returns false after an error.
bool Login(const Workspace& workspace, const std::string& host, LoginUser& user,
           Diagnostics& diags);

/// Removes the token of a host from where it is stored. Returns false after an error.
bool Logout(const Workspace& workspace, const std::string& host, Narrator& narrator,
            Diagnostics& diags);

}  // namespace kinu::session
