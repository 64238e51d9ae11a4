#include "install/netrc.h"

#include <algorithm>

#include "base/environment.h"
#include "base/files.h"
#include "codec/base64.h"
#include "install/cli_config.h"
#include "net/url.h"

namespace kinu::install {
namespace {

/// The words of a file, without comments and macros.
class NetrcWords {
 public:
  explicit NetrcWords(std::string_view text) : text_(text) {}

  /// The next word; empty at the end.
  std::string_view Next() {
    for (;;) {
      text_.remove_prefix(std::min(text_.find_first_not_of(kSpace), text_.size()));
      if (!text_.starts_with('#')) {
        break;
      }
      text_.remove_prefix(std::min(text_.find('\n'), text_.size()));
    }
    const size_t end = std::min(text_.find_first_of(kSpace), text_.size());
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    return word;
  }

  /// Skips a macro, which an empty line ends.
  void SkipMacro() {
    const size_t end = text_.find("\n\n");
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end);
  }

 private:
  static constexpr std::string_view kSpace = " \t\r\n";
  std::string_view text_;
};

}  // namespace

Result<std::optional<NetrcEntry>> FindNetrcEntry(std::string_view text, std::string_view host) {
  NetrcWords words(text);
  std::optional<NetrcEntry> found;
  std::optional<NetrcEntry> other;
  NetrcEntry ignored;
  NetrcEntry* current = nullptr;
  for (std::string_view word = words.Next(); !word.empty(); word = words.Next()) {
    if (word == "machine") {
      const bool is_first = words.Next() == host && !found;
      current = is_first ? &found.emplace() : &ignored;
    } else if (word == "default") {
      current = &other.emplace();
    } else if (word == "macdef") {
      words.SkipMacro();
    } else if (current != nullptr && word == "login") {
      current->login = words.Next();
    } else if (current != nullptr && word == "password") {
      current->password = words.Next();
    } else if (current != nullptr && word == "account") {
      words.Next();
    } else {
      return Fail(ErrorCode::kInvalid, "a word that is no keyword");
    }
  }
  return found ? found : other;
}

Result<void> AddNetrcCredentials(net::HttpRequest& request) {
  KINU_TRY(const net::Url url, net::Url::Parse(request.url));
  std::string path(Environment("NETRC"));
  if (path.empty()) {
    path = JoinPath(HomeDirectory(), ".netrc");
  }
  if (!url.user.empty() || request.headers.Find("Authorization") != nullptr || IsDirectory(path)) {
    return {};
  }
  const auto text = ReadFile(path);
  if (!text) {
    return text.error().code == ErrorCode::kNotFound ? Result<void>()
                                                     : std::unexpected(text.error());
  }
  const auto entry = FindNetrcEntry(*text, url.host);
  if (!entry) {
    return Fail(ErrorCode::kInvalid,
                "Error parsing netrc file at \"" + path + "\": " + entry.error().message);
  }
  if (*entry) {
    request.headers.Set("Authorization",
                        "Basic " + EncodeBase64((*entry)->login + ':' + (*entry)->password));
    request.same_origin_credentials = true;
  }
  return {};
}

}  // namespace kinu::install
