#include "view/dot.h"

#include <algorithm>

namespace kinu::view {
namespace {

using engine::Picture;

/// A string in double quotes as DOT wants it.
std::string DotQuoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + '"';
}

/// Gives the ends of providers a label, without which a vertex is not listed.
void LabelProviderEnds(Picture& picture) {
  std::vector<std::string> ends;
  for (const Picture::Vertex& vertex : picture.vertices()) {
    if (vertex.name.ends_with(" (close)") && vertex.name.contains("provider[")) {
      ends.push_back(vertex.name);
    }
  }
  for (const std::string& name : ends) {
    picture.Add(name, name, "diamond");
  }
}

/// Adds a last vertex that waits for all others.
void AddRoot(Picture& picture) {
  const size_t others = picture.vertices().size();
  const Picture::Id root = picture.Add("root");
  for (Picture::Id id = 0; id < others; ++id) {
    if (!picture.vertices()[id].dissolved) {
      picture.Connect(root, id);
    }
  }
}

/// The vertices, each after those that it waits for, but for cycles.
std::vector<Picture::Id> OrderOf(const Picture& picture) {
  std::vector<uint8_t> seen(picture.vertices().size(), 0);
  std::vector<Picture::Id> order;
  std::vector<std::pair<Picture::Id, std::set<Picture::Id>::const_iterator>> stack;
  auto enter = [&](Picture::Id id) {
    if (seen[id] == 0) {
      seen[id] = 1;
      stack.emplace_back(id, picture.vertices()[id].edges.begin());
    }
  };
  for (Picture::Id start = 0; start < seen.size(); ++start) {
    enter(start);
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      if (next == picture.vertices()[id].edges.end()) {
        order.push_back(id);
        stack.pop_back();
      } else {
        enter(*next++);
      }
    }
  }
  return order;
}

/// Drops every edge that others imply. Edges inside of cycles stay.
void Reduce(Picture& picture) {
  const size_t size = picture.vertices().size();
  const std::vector<Picture::Id> order = OrderOf(picture);
  const size_t words = (size + 63) / 64;
  std::vector<std::vector<uint64_t>> reach(size, std::vector<uint64_t>(words, 0));
  std::vector<size_t> rank(size);
  for (size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
  }
  for (Picture::Id id : order) {
    // Nearer ones first: what they reach needs no edge of its own.
    const std::set<Picture::Id>& edges = picture.vertices()[id].edges;
    std::vector<Picture::Id> targets(edges.begin(), edges.end());
    std::sort(targets.begin(), targets.end(),
              [&](Picture::Id a, Picture::Id b) { return rank[a] > rank[b]; });
    for (Picture::Id target : targets) {
      if ((reach[id][target / 64] >> (target % 64) & 1) != 0) {
        picture.Disconnect(id, target);
        continue;
      }
      for (size_t word = 0; word < words; ++word) {
        reach[id][word] |= reach[target][word];
      }
      reach[id][target / 64] |= uint64_t{1} << (target % 64);
    }
  }
}

std::string WriteDot(const Picture& picture) {
  std::vector<std::pair<std::string_view, std::string>> nodes;  // by name
  std::vector<std::string> lines;
  auto name = [](const Picture::Vertex& vertex) { return DotQuoted("[root] " + vertex.name); };
  for (const Picture::Vertex& vertex : picture.vertices()) {
    if (!vertex.shape.empty()) {
      nodes.emplace_back(vertex.name, name(vertex) + " [label = " + DotQuoted(vertex.label) +
                                          ", shape = \"" + std::string(vertex.shape) + "\"]");
    }
    for (Picture::Id target : vertex.edges) {
      lines.push_back(name(vertex) + " -> " + name(picture.vertices()[target]));
    }
  }
  std::sort(nodes.begin(), nodes.end());
  std::sort(lines.begin(), lines.end());
  std::string out =
      "digraph {\n\tcompound = \"true\"\n\tnewrank = \"true\"\n\tsubgraph \"root\" {\n";
  for (const auto& [unused, line] : nodes) {
    out += "\t\t" + line + "\n";
  }
  for (const std::string& line : lines) {
    out += "\t\t" + line + "\n";
  }
  return out + "\t}\n}\n\n";
}

}  // namespace

std::string DotText(engine::Picture picture, bool verbose) {
  if (verbose) {
    LabelProviderEnds(picture);
  }
  AddRoot(picture);
  Reduce(picture);
  return WriteDot(picture);
}

}  // namespace kinu::view
