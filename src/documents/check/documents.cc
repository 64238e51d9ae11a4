#include "check/documents.h"

#include "base/invariant.h"

namespace kinu::check {

using json::Document;
using json::Kind;
using json::KindName;
using json::Member;
using json::Node;

namespace {

/// Modules nested deeper than this are ignored.
constexpr int kMaxModuleDepth = 1000;

bool Absent(const Node& node) {
  return !node || node.is_null();
}

Result<void> WrongType(const Node& found, std::string_view wanted, const std::string& what) {
  return Fail(ErrorCode::kInvalid, what + " is of type " + std::string(KindName(found.kind())) +
                                       ", not " + std::string(wanted) + " (byte " +
                                       std::to_string(found.offset()) + ")");
}

Result<void> Require(const Node& node, Kind kind, const std::string& what) {
  if (Absent(node) || node.kind() == kind) {
    return {};
  }
  return WrongType(node, KindName(kind), what);
}

/// The name of a list entry in errors. Makes the text only when an error needs it.
struct Entry {
  std::string_view list;
  size_t index = 0;
  std::string Text(std::string_view member = {}) const {
    return std::string(list) + "[" + std::to_string(index) + "]" + std::string(member);
  }
};

constexpr json::Shape kWhole;

/// Parses the text, keeps only what the shape says, and checks `format_version`.
Result<std::unique_ptr<Document>> ReadJson(std::string text, const json::Shape& shape) {
  KINU_TRY(auto document, Document::Parse(std::move(text), shape));
  const Node root = document->root();
  if (const Node repeated = root.is_object() ? json::Repeated(document->tree()) : json::Node()) {
    return Fail(ErrorCode::kInvalid, "the name " + std::string(repeated.text()) +
                                         " occurs twice in an object, the second time at byte " +
                                         std::to_string(repeated.offset()));
  }
  return document;
}

Result<std::unique_ptr<Document>> ReadDocument(std::string text, const json::Shape& shape,
                                               tfjson::FormatVersion& version) {
  KINU_TRY(auto document, ReadJson(std::move(text), shape));
  KINU_TRY(version, tfjson::FormatVersionOf(document->root()));
  return document;
}

}  // namespace

Node NullNode() {
  static const std::unique_ptr<Document> kNull = *Document::Parse("null");
  return kNull->root();
}

// --- Plans ---

namespace {

/// Reads a change; `name()` returns the name of its entry for errors.
template <typename Name>
Result<PlanDocument::Change> ReadChange(const Node& change, const Name& name) {
  PlanDocument::Change result{.actions = NullNode(), .change = NullNode()};
  if (Absent(change)) {
    return result;
  }
  if (!change.is_object()) {
    return std::unexpected(WrongType(change, "object", name()).error());
  }
  result.change = change;
  for (const Member member : change.members()) {
    if (member.name.Is("after_unknown")) {
      result.unknown = member.value;
    } else if (member.name.Is("actions") && !member.value.is_null()) {
      result.actions = member.value;
    }
  }
  if (!result.actions.is_array() && !result.actions.is_null()) {
    return std::unexpected(WrongType(result.actions, "array", name() + ".actions").error());
  }
  for (const Node action : result.actions.elements()) {
    if (!action.is_string()) {
      return std::unexpected(
          WrongType(action, "string", "an element of " + name() + ".actions").error());
    }
  }
  return result;
}

}  // namespace

Result<PlanDocument::Change> PlanDocument::ChangeOf(const Node& node) {
  const Node inner = node.is_object() ? node.Find("change") : Node();
  const Node change = inner ? inner : node;
  if (!change.is_object() || !change.Find("actions")) {
    return Fail(ErrorCode::kInvalid,
                "there is no change but a value of type " + std::string(KindName(node.kind())));
  }
  return ReadChange(change, [] { return std::string("the change"); });
}

Result<std::unique_ptr<PlanDocument>> PlanDocument::Read(std::string text, bool whole) {
  static constexpr json::Shape::Part kParts[] = {{"format_version", &kWhole},
                                                 {"resource_changes", &kWhole},
                                                 {"output_changes", &kWhole},
                                                 {"deferred_changes", &kWhole},
                                                 {"proposed_unknown", &kWhole}};
  static constexpr json::Shape kPlan{.keep = json::Shape::Keep::kMembers, .parts = kParts};
  auto plan = std::make_unique<PlanDocument>();
  tfjson::FormatVersion version;
  KINU_TRY(plan->document_, ReadDocument(std::move(text), whole ? kWhole : kPlan, version));
  if (auto indexed = plan->Index(version.major == 0); !indexed) {
    return std::unexpected(indexed.error());
  }
  return plan;
}

Result<void> PlanDocument::Index(bool first_format) {
  const Node root = document_->root();
  const Node resources = root.Find("resource_changes");
  if (auto good = Require(resources, Kind::kArray, "resource_changes"); !good) {
    return good;
  }
  if (!Absent(resources)) {
    resource_index_.reserve(resources.size());
    resources_.reserve(resources.size());
    for (const Node node : resources.elements()) {
      const Entry entry{"resource_changes", resources_.size()};
      if (!node.is_object() && !node.is_null()) {
        return WrongType(node, "object", entry.Text());
      }
      Node address;
      Node inner;
      Node position;
      for (const Member member : node.members()) {
        if (member.name.Is("address")) {
          address = member.value;
        } else if (member.name.Is("change")) {
          inner = member.value;
        } else if (member.name.Is("position")) {
          position = member.value;
        }
      }
      if (!Absent(address) && !address.is_string()) {
        return WrongType(address, "string", entry.Text(".address"));
      }
      KINU_TRY(Change change, ReadChange(inner, [&] { return entry.Text(".change"); }));
      change.position = position;
      resource_index_.emplace(Key(address), static_cast<uint32_t>(resources_.size()));
      resources_.push_back(change);
    }
  }
  const Node outputs = root.Find("output_changes");
  if (auto good = Require(outputs, Kind::kObject, "output_changes"); !good) {
    return good;
  }
  if (!Absent(outputs)) {
    for (const Member member : outputs.members()) {
      const std::string name = member.name.String();
      // Format 0.1 has an additional object around the change.
      const Node inner = first_format ? member.value.Find("change") : Node();
      KINU_TRY(Change change,
               ReadChange(inner ? inner : member.value, [&] { return "output_changes." + name; }));
      change.position = Absent(member.value) ? Node() : member.value.Find("position");
      output_index_.emplace(Key(member.name), static_cast<uint32_t>(outputs_.size()));
      outputs_.push_back(change);
    }
  }
  if (first_format) {
    AddUnknown(root.Find("proposed_unknown"));
  }
  const Node deferred = root.Find("deferred_changes");
  if (auto good = Require(deferred, Kind::kArray, "deferred_changes"); !good) {
    return good;
  }
  if (Absent(deferred)) {
    return {};
  }
  for (const Node entry : deferred.elements()) {
    const std::string what = "deferred_changes[" + std::to_string(deferred_count_) + "]";
    ++deferred_count_;
    if (auto good = Require(entry, Kind::kObject, what); !good) {
      return good;
    }
    const Node reason = entry.Find("reason");
    const Node change = entry.Find("resource_change");
    if (auto good = Require(reason, Kind::kString, what + ".reason"); !good) {
      return good;
    }
    if (auto good = Require(change, Kind::kObject, what + ".resource_change"); !good) {
      return good;
    }
    const Node address = Absent(change) ? Node() : change.Find("address");
    if (auto good = Require(address, Kind::kString, what + ".resource_change.address"); !good) {
      return good;
    }
    if (!Absent(change)) {
      deferred_.emplace(Absent(address) ? std::string() : address.String(),
                        Absent(reason) ? NullNode() : reason);
    }
  }
  return {};
}

/// Sets the masks of unknown values for format 0.1, which has them in a tree of their own with the
/// shape of the planned values.
void PlanDocument::AddUnknown(const Node& unknown) {
  const Node outputs = unknown ? unknown.Find("outputs") : Node();
  if (outputs && outputs.is_object()) {
    for (const Member member : outputs.members()) {
      if (const auto found = output_index_.find(member.name.String());
          found != output_index_.end()) {
        outputs_[found->second].unknown = member.value.Find("value");
      }
    }
  }
  std::vector<Node> modules = {unknown ? unknown.Find("root_module") : Node()};
  while (!modules.empty()) {
    const Node module = modules.back();
    modules.pop_back();
    const Node resources = module ? module.Find("resources") : Node();
    const Node children = module ? module.Find("child_modules") : Node();
    if (resources) {
      for (const Node resource : resources.elements()) {
        const Node address = resource.Find("address");
        const auto found = address && address.is_string() ? resource_index_.find(address.String())
                                                          : resource_index_.end();
        if (found != resource_index_.end()) {
          resources_[found->second].unknown = resource.Find("values");
        }
      }
    }
    if (children) {
      for (const Node child : children.elements()) {
        modules.push_back(child);
      }
    }
  }
}

/// The decoded text of a string or name; empty if it is absent. Valid as long as the document.
std::string_view PlanDocument::Key(const Node& text) {
  if (Absent(text)) {
    return {};
  }
  std::string scratch;
  const std::string_view content = text.String(scratch);
  return content.data() == scratch.data() ? decoded_.emplace_back(std::move(scratch)) : content;
}

const PlanDocument::Change* PlanDocument::Resource(std::string_view address) const {
  const auto found = resource_index_.find(address);
  return found == resource_index_.end() ? nullptr : &resources_[found->second];
}

const PlanDocument::Change* PlanDocument::Output(std::string_view name) const {
  const auto found = output_index_.find(name);
  return found == output_index_.end() ? nullptr : &outputs_[found->second];
}

Node PlanDocument::DeferredReason(std::string_view address) const {
  const auto found = deferred_.find(address);
  return found == deferred_.end() ? Node() : found->second;
}

// --- States ---

Result<std::unique_ptr<StateDocument>> StateDocument::Read(std::string text, bool whole) {
  static constexpr json::Shape::Part kParts[] = {{"format_version", &kWhole}, {"values", &kWhole}};
  static constexpr json::Shape kState{.keep = json::Shape::Keep::kMembers, .parts = kParts};
  auto state = std::make_unique<StateDocument>();
  tfjson::FormatVersion version;
  KINU_TRY(state->document_, ReadDocument(std::move(text), whole ? kWhole : kState, version));
  if (auto indexed = state->Index(); !indexed) {
    return std::unexpected(indexed.error());
  }
  return state;
}

Result<void> StateDocument::Index() {
  const Node values = document_->root().Find("values");
  if (auto good = Require(values, Kind::kObject, "values"); !good) {
    return good;
  }
  if (Absent(values)) {
    return {};
  }
  has_values_ = true;
  const Node outputs = values.Find("outputs");
  if (auto good = Require(outputs, Kind::kObject, "values.outputs"); !good) {
    return good;
  }
  if (!Absent(outputs)) {
    for (const Member member : outputs.members()) {
      std::string name = member.name.String();
      if (auto good = Require(member.value, Kind::kObject, "values.outputs." + name); !good) {
        return good;
      }
      outputs_.emplace(std::move(name), member.value);
    }
  }
  const Node root = values.Find("root_module");
  if (auto good = Require(root, Kind::kObject, "values.root_module"); !good) {
    return good;
  }
  if (Absent(root)) {
    return {};
  }
  has_root_module_ = true;
  return AddModule(root, "values.root_module", 0);
}

Result<StateDocument::Resource> StateDocument::ResourceOf(const Node& entry,
                                                          const std::string& what,
                                                          std::string* address) {
  const auto wrong = [](Result<void> required) { return std::unexpected(required.error()); };
  if (auto good = Require(entry, Kind::kObject, what); !good) {
    return wrong(good);
  }
  Resource resource{
      .node = entry, .values = NullNode(), .sensitive_values = NullNode(), .identity = NullNode()};
  for (const Member member : entry.members()) {
    if (Absent(member.value)) {
      continue;
    }
    if (member.name.Is("address")) {
      if (auto good = Require(member.value, Kind::kString, what + ".address"); !good) {
        return wrong(good);
      }
      if (address != nullptr) {
        *address = member.value.String();
      }
    } else if (member.name.Is("values")) {
      if (auto good = Require(member.value, Kind::kObject, what + ".values"); !good) {
        return wrong(good);
      }
      resource.values = member.value;
    } else if (member.name.Is("sensitive_values")) {
      resource.sensitive_values = member.value;
    } else if (member.name.Is("identity")) {
      if (auto good = Require(member.value, Kind::kObject, what + ".identity"); !good) {
        return wrong(good);
      }
      resource.identity = member.value;
    } else if (member.name.Is("identity_schema_version")) {
      resource.has_identity_version = true;
    }
  }
  return resource;
}

Result<void> StateDocument::AddModule(Node module, const std::string& place, int depth) {
  const Node resources = module.Find("resources");
  if (auto good = Require(resources, Kind::kArray, place + ".resources"); !good) {
    return good;
  }
  if (!Absent(resources)) {
    size_t number = 0;
    for (const Node entry : resources.elements()) {
      std::string address;
      KINU_TRY(const Resource resource,
               ResourceOf(entry, place + ".resources[" + std::to_string(number++) + "]", &address));
      index_.emplace(std::move(address), static_cast<uint32_t>(resources_.size()));
      resources_.push_back(resource);
    }
  }
  if (depth == 0) {
    root_count_ = resources_.size();
  }
  // Ignores invalid child modules, because only assertions with `child_modules` search them.
  const Node children = module.Find("child_modules");
  if (Absent(children) || !children.is_array() || depth >= kMaxModuleDepth) {
    return {};
  }
  for (const Node child : children.elements()) {
    if (child.is_object()) {
      const auto added = AddModule(child, place + ".child_modules[]", depth + 1);
      static_cast<void>(added);
    }
  }
  return {};
}

const StateDocument::Resource* StateDocument::Find(std::string_view address,
                                                   bool in_modules) const {
  const auto found = index_.find(address);
  if (found == index_.end() || (!in_modules && found->second >= root_count_)) {
    return nullptr;
  }
  return &resources_[found->second];
}

Node StateDocument::Output(std::string_view name) const {
  const auto found = outputs_.find(name);
  return found == outputs_.end() ? Node() : found->second;
}

// --- Configurations ---

Result<std::unique_ptr<ConfigurationDocument>> ConfigurationDocument::Read(std::string text, bool) {
  auto configuration = std::make_unique<ConfigurationDocument>();
  KINU_TRY(configuration->document_, ReadJson(std::move(text), kWhole));
  const Node root = configuration->root();
  if (!root.is_object() || !root.Find("root_module")) {
    return Fail(
        ErrorCode::kInvalid,
        "the document is no configuration: it has no root_module, as \"show -json -config\" "
        "writes it");
  }
  return configuration;
}

}  // namespace kinu::check
