// The parts of the public header that are more than data.
#include <algorithm>

#include <kinu/provider.h>

namespace kinu::v1 {

AttributeType AttributeType::Tuple(const std::vector<AttributeType>& elements) {
  std::string json = "[\"tuple\",[";
  for (const AttributeType& element : elements) {
    json += (&element == elements.data() ? "" : ",") + element.json();
  }
  return AttributeType(json + "]]");
}

AttributeType AttributeType::Object(
    const std::vector<std::pair<std::string, AttributeType>>& attributes) {
  std::string json = "[\"object\",{";
  for (const auto& attribute : attributes) {
    json += &attribute == attributes.data() ? "\"" : ",\"";
    json += attribute.first + "\":" + attribute.second.json();
  }
  return AttributeType(json + "}]");
}

AttributePath::AttributePath(std::string_view name)
    : steps_{{.kind = Step::Kind::kAttribute, .name = std::string(name)}} {
}

AttributePath AttributePath::With(Step step) const {
  AttributePath path = *this;
  path.steps_.push_back(std::move(step));
  return path;
}
AttributePath AttributePath::Attribute(std::string_view name) const {
  return With({.kind = Step::Kind::kAttribute, .name = std::string(name)});
}
AttributePath AttributePath::Key(std::string_view key) const {
  return With({.kind = Step::Kind::kKey, .name = std::string(key)});
}
AttributePath AttributePath::Index(int64_t index) const {
  return With({.kind = Step::Kind::kIndex, .name = {}, .index = index});
}

void ProviderProblems::AddError(std::string summary, std::string detail, AttributePath attribute) {
  all_.push_back({.is_error = true,
                  .summary = std::move(summary),
                  .detail = std::move(detail),
                  .attribute = std::move(attribute)});
}
void ProviderProblems::AddWarning(std::string summary, std::string detail,
                                  AttributePath attribute) {
  all_.push_back({.is_error = false,
                  .summary = std::move(summary),
                  .detail = std::move(detail),
                  .attribute = std::move(attribute)});
}
bool ProviderProblems::has_errors() const {
  return std::ranges::any_of(all_, &ProviderProblem::is_error);
}

}  // namespace kinu::v1
