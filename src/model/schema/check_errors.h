// Helpers shared by CheckPlanned() and CheckCompatible(). Private to schema.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cty/path.h"
#include "schema/schema.h"

namespace kinu::schema {

using Errors = std::vector<ValueError>;

inline void AddError(Errors& errors, const Path& path, std::string message) {
  errors.push_back(ValueError{path, std::move(message)});
}

inline std::string CountMessage(const char* what, size_t a, const char* between, size_t b) {
  return std::string(what) + std::to_string(a) + between + std::to_string(b);
}

inline const std::string& NameOf(const Block::Member& member) {
  return member.attribute != nullptr ? member.attribute->name : member.nested->name;
}

}  // namespace kinu::schema
