// What an answer sees of the session: all of it stays as it is, also while the session goes on.
#pragma once

#include <memory>
#include <string>

#include "ide/snapshot.h"
#include "lsp/client.h"
#include "lsp/documents.h"

namespace kinu::lsp {

struct View {
  std::shared_ptr<const ide::Snapshot> snapshot;  ///< null for answers from the text alone
  std::shared_ptr<const OpenDocuments> documents;
  std::shared_ptr<const Client> client;

  /// The open document of a key, or null.
  const Document* Open(const std::string& key) const {
    const auto at = documents->find(key);
    return at == documents->end() ? nullptr : at->second.get();
  }
};

}  // namespace kinu::lsp
