#include "view/report/graph.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/flat_map.h"
#include "view/recorded/shape.h"

namespace kinu::view {
namespace {

using json::Member;
using json::Node;

/// A module of the configuration.
struct Scope {
  std::string prefix;  ///< "module.a." or ""
  Node module;
  Node call;  ///< in the parent; none for the root
  const Scope* parent = nullptr;
  std::map<std::string, Scope, std::less<>> children;
};

using Blocks = std::set<uint32_t>;

/// The first `count` steps of a reference: "a.b.c[0].d" has the steps a, b, c.
std::string FirstSteps(std::string_view reference, size_t count) {
  size_t at = 0;
  while (at < reference.size()) {
    const char c = reference[at];
    if (c == '[' || (c == '.' && --count == 0)) {
      break;
    }
    ++at;
  }
  return std::string(reference.substr(0, at));
}

std::string StepAt(std::string_view reference, size_t index) {
  std::string with = FirstSteps(reference, index + 1);
  if (index == 0) {
    return with;
  }
  const size_t begin = FirstSteps(reference, index).size() + 1;
  return begin < with.size() ? with.substr(begin) : std::string();
}

/// Calls `visit` with the texts of all references inside a value.
void ForEachReference(const Node& node, const std::function<void(const std::string&)>& visit) {
  if (node.is_array()) {
    for (const Node element : node.elements()) {
      ForEachReference(element, visit);
    }
  } else if (node.is_object()) {
    for (const Member member : node.members()) {
      if (member.name.Is("references") && member.value.is_array()) {
        for (const Node reference : member.value.elements()) {
          if (reference.is_string()) {
            visit(reference.String());
          } else {
            ForEachReference(reference, visit);
          }
        }
      } else if (!member.name.Is("constant_value")) {
        ForEachReference(member.value, visit);
      }
    }
  }
}

class GraphMaker {
 public:
  GraphMaker(const Node& document, const Node& locals) : document_(document) {
    if (locals && locals.is_object()) {
      for (const Member local : locals.members()) {
        locals_[local.name.String()] = local.value;
      }
    }
  }
  ReportGraph Make();

 private:
  void AddScope(Scope& scope);
  void Connect(const Scope& scope);
  void ConnectResource(const Scope& scope, const Node& resource);
  /// The blocks that an expression refers to.
  void Resolve(const Scope& scope, const Node& expression, Blocks& out);
  void ResolveReference(const Scope& scope, const std::string& reference, Blocks& out);
  /// The blocks behind a variable or an output, resolved once.
  const Blocks& Behind(const std::string& name, const Scope& scope, const Node& expression);
  void AddRecorded(const Node& module);
  uint32_t BlockOf(const std::string& address, const std::string& module);

  const Node& document_;
  FlatMap<std::string, Node> locals_;
  Scope root_;
  ReportGraph graph_;
  FlatMap<std::string, uint32_t> index_;
  std::map<std::string, Blocks> resolved_;
  std::set<uint32_t> incomplete_;  ///< blocks that refer to local values
  bool has_configuration_ = false;
  bool meets_local_ = false;
};

uint32_t GraphMaker::BlockOf(const std::string& address, const std::string& module) {
  const auto [it, added] = index_.try_emplace(address, static_cast<uint32_t>(graph_.blocks.size()));
  if (added) {
    graph_.blocks.push_back({address, module});
  }
  return it->second;
}

std::string ModuleOf(const std::string& prefix) {
  return prefix.empty() ? prefix : prefix.substr(0, prefix.size() - 1);
}

void GraphMaker::AddScope(Scope& scope) {
  const Node resources = MemberOf(scope.module, "resources");
  if (resources && resources.is_array()) {
    for (const Node resource : resources.elements()) {
      if (const std::string address = TextOf(resource, "address"); !address.empty()) {
        BlockOf(scope.prefix + address, ModuleOf(scope.prefix));
      }
    }
  }
  const Node calls = MemberOf(scope.module, "module_calls");
  if (!calls || !calls.is_object()) {
    return;
  }
  for (const Member call : calls.members()) {
    const std::string name = call.name.String();
    Scope& child = scope.children[name];
    child.prefix = scope.prefix + "module." + name + ".";
    child.module = MemberOf(call.value, "module");
    child.call = call.value;
    child.parent = &scope;
    AddScope(child);
  }
}

const Blocks& GraphMaker::Behind(const std::string& name, const Scope& scope,
                                 const Node& expression) {
  // Empty while it is resolved, so that a circle ends.
  const auto [it, added] = resolved_.try_emplace(name);
  if (added && expression) {
    Blocks found;
    Resolve(scope, expression, found);
    it->second = std::move(found);
  }
  return it->second;
}

void GraphMaker::ResolveReference(const Scope& scope, const std::string& reference, Blocks& out) {
  const std::string first = StepAt(reference, 0);
  if (first == "local") {
    const std::string name = scope.prefix + "local." + StepAt(reference, 1);
    const auto local = locals_.find(name);
    meets_local_ = meets_local_ || local == locals_.end();
    if (local != locals_.end()) {
      const Blocks& behind = Behind(name, scope, local->second);
      out.insert(behind.begin(), behind.end());
    }
  } else if (first == "var" && scope.parent != nullptr) {
    const std::string name = StepAt(reference, 1);
    const Blocks& behind = Behind(scope.prefix + "var." + name, *scope.parent,
                                  MemberOf(MemberOf(scope.call, "expressions"), name));
    out.insert(behind.begin(), behind.end());
  } else if (first == "module") {
    const auto child = scope.children.find(StepAt(reference, 1));
    const std::string name = StepAt(reference, 2);
    if (child != scope.children.end() && !name.empty()) {
      const Node output = MemberOf(MemberOf(child->second.module, "outputs"), name);
      const Blocks& behind = Behind(child->second.prefix + "output." + name, child->second,
                                    MemberOf(output, "expression"));
      out.insert(behind.begin(), behind.end());
    }
  } else {
    const auto block = index_.find(scope.prefix + FirstSteps(reference, first == "data" ? 3 : 2));
    if (block != index_.end()) {
      out.insert(block->second);
    }
  }
}

void GraphMaker::Resolve(const Scope& scope, const Node& expression, Blocks& out) {
  ForEachReference(expression,
                   [&](const std::string& reference) { ResolveReference(scope, reference, out); });
}

void GraphMaker::ConnectResource(const Scope& scope, const Node& resource) {
  const auto own = index_.find(scope.prefix + TextOf(resource, "address"));
  if (own == index_.end()) {
    return;
  }
  Blocks needed;
  meets_local_ = false;
  for (const std::string_view part : {"expressions", "count_expression", "for_each_expression"}) {
    if (const Node expression = MemberOf(resource, part)) {
      Resolve(scope, expression, needed);
    }
  }
  const Node depends = MemberOf(resource, "depends_on");
  if (depends && depends.is_array()) {
    for (const Node reference : depends.elements()) {
      if (reference.is_string()) {
        ResolveReference(scope, reference.String(), needed);
      }
    }
  }
  if (meets_local_) {
    incomplete_.insert(own->second);
  }
  for (const uint32_t block : needed) {
    if (block != own->second) {
      graph_.edges.emplace_back(own->second, block);
    }
  }
}

void GraphMaker::Connect(const Scope& scope) {
  const Node resources = MemberOf(scope.module, "resources");
  if (resources && resources.is_array()) {
    for (const Node resource : resources.elements()) {
      ConnectResource(scope, resource);
    }
  }
  for (const auto& [name, child] : scope.children) {
    Connect(child);
  }
}

/// An address without instance keys.
std::string WithoutKeys(std::string_view address) {
  std::string out;
  for (size_t i = 0; i < address.size(); ++i) {
    if (address[i] != '[') {
      out += address[i];
      continue;
    }
    bool quoted = false;
    for (++i; i < address.size() && (quoted || address[i] != ']'); ++i) {
      if (address[i] == '\\') {
        ++i;
      } else if (address[i] == '"') {
        quoted = !quoted;
      }
    }
  }
  return out;
}

/// The module in the address of a block: all leading pairs "module.NAME".
std::string ModulePathOf(const std::string& address) {
  constexpr std::string_view kModule = "module.";
  size_t end = 0;
  while (std::string_view(address).substr(end).starts_with(kModule)) {
    const size_t dot = address.find('.', end + kModule.size());
    if (dot == std::string::npos) {
      break;
    }
    end = dot + 1;
  }
  return end == 0 ? std::string() : address.substr(0, end - 1);
}

/// Adds the dependencies in a state, where the configuration does not show them.
void GraphMaker::AddRecorded(const Node& module) {
  const std::string address = WithoutKeys(TextOf(module, "address"));
  const Node resources = MemberOf(module, "resources");
  if (resources && resources.is_array()) {
    for (const Node resource : resources.elements()) {
      const std::string name = WithoutKeys(TextOf(resource, "address"));
      if (has_configuration_ && !index_.contains(name)) {
        continue;
      }
      const uint32_t own = BlockOf(name, address);
      const Node depends = MemberOf(resource, "depends_on");
      if (!depends || !depends.is_array() || (has_configuration_ && !incomplete_.contains(own))) {
        continue;
      }
      for (const Node reference : depends.elements()) {
        const std::string needed = reference.is_string() ? reference.String() : std::string();
        if (needed.empty() || (has_configuration_ && !index_.contains(needed))) {
          continue;
        }
        const uint32_t other = BlockOf(needed, ModulePathOf(needed));
        if (other != own) {
          graph_.edges.emplace_back(own, other);
        }
      }
    }
  }
  const Node children = MemberOf(module, "child_modules");
  if (children && children.is_array()) {
    for (const Node child : children.elements()) {
      AddRecorded(child);
    }
  }
}

ReportGraph GraphMaker::Make() {
  root_.module = MemberOf(MemberOf(document_, "configuration"), "root_module");
  has_configuration_ = static_cast<bool>(root_.module);
  if (has_configuration_) {
    AddScope(root_);
    Connect(root_);
  }
  const Node prior = MemberOf(document_, "prior_state");
  const Node values = MemberOf(prior ? prior : document_, "values");
  if (const Node module = MemberOf(values, "root_module")) {
    AddRecorded(module);
  }
  std::ranges::sort(graph_.edges);
  const auto twice = std::ranges::unique(graph_.edges);
  graph_.edges.erase(twice.begin(), twice.end());
  return std::move(graph_);
}

}  // namespace

ReportGraph MakeReportGraph(const Node& document, const Node& locals) {
  return GraphMaker(document, locals).Make();
}

}  // namespace kinu::view
