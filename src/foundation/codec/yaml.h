// YAML 1.1 as a stream of events (libyaml), both ways. The caller interprets scalars.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu {

enum class YamlStyle : uint8_t { kPlain, kQuoted, kBlock };

struct YamlEvent {
  enum class Kind : uint8_t {
    kStreamStart,
    kStreamEnd,
    kDocumentStart,
    kDocumentEnd,
    kScalar,
    kAlias,
    kSequenceStart,
    kSequenceEnd,
    kMappingStart,
    kMappingEnd,
  };
  Kind kind = Kind::kStreamEnd;
  std::string text;    ///< of a scalar
  std::string tag;     ///< in full ("tag:yaml.org,2002:str"); empty when there is none
  std::string anchor;  ///< that is set, or that an alias refers to
  YamlStyle style = YamlStyle::kPlain;
  bool implicit = false;  ///< a plain scalar without a tag: its type follows from its text
  size_t line = 0;        ///< from 1
};

/// Reads a text, which must outlive the reader. Nests at most 1,000 deep.
class YamlReader {
 public:
  explicit YamlReader(std::string_view text);
  ~YamlReader();
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  /// The next event. Must not be called after the stream's end or an error.
  Result<YamlEvent> Next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Writes one document in block style. Calls must form one value.
class YamlWriter {
 public:
  YamlWriter();
  ~YamlWriter();
  YamlWriter(const YamlWriter&) = delete;
  YamlWriter& operator=(const YamlWriter&) = delete;

  void Scalar(std::string_view text, YamlStyle style);
  void BeginSequence();
  void EndSequence();
  void BeginMapping();
  void EndMapping();
  /// The text. Call it once.
  std::string Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinu
