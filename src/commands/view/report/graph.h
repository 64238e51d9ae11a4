// The graph of the blocks of a document: which block refers to which.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "json/tree.h"

namespace kinu::view {

/// Blocks by address without instance keys, and edges from a block to one that it needs.
struct ReportGraph {
  struct Block {
    std::string address;  ///< "module.a.aws_instance.web"
    std::string module;   ///< "module.a"
  };
  std::vector<Block> blocks;
  std::vector<std::pair<uint32_t, uint32_t>> edges;  ///< sorted, without duplicates
};

/// Reads the references in the configuration of a plan, through variables, outputs of modules, and
/// the local values that `locals` has (LocalReferences() in report.h). Blocks that refer to another
/// one, and all blocks of a state, have the dependencies that the state recorded.
ReportGraph MakeReportGraph(const json::Node& document, const json::Node& locals = {});

}  // namespace kinu::view
