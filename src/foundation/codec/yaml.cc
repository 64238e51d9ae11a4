#include "codec/yaml.h"

#include <yaml.h>

#include "base/invariant.h"

namespace kinu {
namespace {

const yaml_char_t* YamlText(std::string_view text) {
  return reinterpret_cast<const yaml_char_t*>(text.data());
}

std::string FromYaml(const yaml_char_t* text) {
  return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text));
}

YamlStyle StyleOf(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return YamlStyle::kQuoted;
    case YAML_LITERAL_SCALAR_STYLE:
    case YAML_FOLDED_SCALAR_STYLE:
      return YamlStyle::kBlock;
    default:
      return YamlStyle::kPlain;
  }
}

YamlEvent Translate(const yaml_event_t& raw) {
  using Kind = YamlEvent::Kind;
  YamlEvent event;
  event.line = raw.start_mark.line + 1;
  switch (raw.type) {
    case YAML_STREAM_START_EVENT:
      event.kind = Kind::kStreamStart;
      break;
    case YAML_DOCUMENT_START_EVENT:
      event.kind = Kind::kDocumentStart;
      break;
    case YAML_DOCUMENT_END_EVENT:
      event.kind = Kind::kDocumentEnd;
      break;
    case YAML_ALIAS_EVENT:
      event.kind = Kind::kAlias;
      event.anchor = FromYaml(raw.data.alias.anchor);
      break;
    case YAML_SCALAR_EVENT:
      event.kind = Kind::kScalar;
      event.text.assign(reinterpret_cast<const char*>(raw.data.scalar.value),
                        raw.data.scalar.length);
      event.tag = FromYaml(raw.data.scalar.tag);
      event.anchor = FromYaml(raw.data.scalar.anchor);
      event.style = StyleOf(raw.data.scalar.style);
      event.implicit = raw.data.scalar.plain_implicit != 0;
      break;
    case YAML_SEQUENCE_START_EVENT:
      event.kind = Kind::kSequenceStart;
      event.tag = FromYaml(raw.data.sequence_start.tag);
      event.anchor = FromYaml(raw.data.sequence_start.anchor);
      break;
    case YAML_SEQUENCE_END_EVENT:
      event.kind = Kind::kSequenceEnd;
      break;
    case YAML_MAPPING_START_EVENT:
      event.kind = Kind::kMappingStart;
      event.tag = FromYaml(raw.data.mapping_start.tag);
      event.anchor = FromYaml(raw.data.mapping_start.anchor);
      break;
    case YAML_MAPPING_END_EVENT:
      event.kind = Kind::kMappingEnd;
      break;
    default:
      event.kind = Kind::kStreamEnd;
      break;
  }
  return event;
}

}  // namespace

struct YamlReader::Impl {
  yaml_parser_t parser;
  size_t depth = 0;
};

YamlReader::YamlReader(std::string_view text) : impl_(std::make_unique<Impl>()) {
  KINU_INVARIANT(yaml_parser_initialize(&impl_->parser) == 1, "libyaml must start");
  yaml_parser_set_input_string(&impl_->parser, YamlText(text), text.size());
  yaml_parser_set_encoding(&impl_->parser, YAML_UTF8_ENCODING);
}

YamlReader::~YamlReader() {
  yaml_parser_delete(&impl_->parser);
}

Result<YamlEvent> YamlReader::Next() {
  yaml_event_t raw;
  if (yaml_parser_parse(&impl_->parser, &raw) != 1) {
    const yaml_parser_t& parser = impl_->parser;
    return Fail(ErrorCode::kInvalid,
                "line " + std::to_string(parser.problem_mark.line + 1) + " of the YAML text: " +
                    (parser.problem == nullptr ? "not valid" : parser.problem));
  }
  const yaml_version_directive_t* version =
      raw.type == YAML_DOCUMENT_START_EVENT ? raw.data.document_start.version_directive : nullptr;
  const bool compatible = version == nullptr || (version->major == 1 && version->minor == 1);
  YamlEvent event = Translate(raw);
  yaml_event_delete(&raw);
  if (!compatible) {
    return Fail(ErrorCode::kInvalid, "found incompatible YAML document");
  }
  using Kind = YamlEvent::Kind;
  if (event.kind == Kind::kSequenceEnd || event.kind == Kind::kMappingEnd) {
    --impl_->depth;
  } else if (event.kind == Kind::kSequenceStart || event.kind == Kind::kMappingStart) {
    constexpr size_t kMostLevels = 1000;
    if (++impl_->depth > kMostLevels) {
      return Fail(ErrorCode::kInvalid, "line " + std::to_string(event.line) +
                                           " of the YAML text: nested more than " +
                                           std::to_string(kMostLevels) + " levels deep");
    }
  }
  return event;
}

struct YamlWriter::Impl {
  yaml_emitter_t emitter;
  std::string out;
  size_t depth = 0;
  bool open_ended = false;  // the document is one plain scalar

  static int Append(void* data, unsigned char* buffer, size_t size) {
    static_cast<Impl*>(data)->out.append(reinterpret_cast<const char*>(buffer), size);
    return 1;
  }
  void Emit(int initialized, yaml_event_t* event) {
    KINU_INVARIANT(initialized == 1 && yaml_emitter_emit(&emitter, event) == 1,
                   "the calls of a YamlWriter must form one value");
  }
};

YamlWriter::YamlWriter() : impl_(std::make_unique<Impl>()) {
  KINU_INVARIANT(yaml_emitter_initialize(&impl_->emitter) == 1, "libyaml must start");
  yaml_emitter_set_output(&impl_->emitter, &Impl::Append, impl_.get());
  yaml_emitter_set_unicode(&impl_->emitter, 1);
  yaml_event_t event;
  impl_->Emit(yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING), &event);
  impl_->Emit(yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1), &event);
}

YamlWriter::~YamlWriter() {
  yaml_emitter_delete(&impl_->emitter);
}

void YamlWriter::Scalar(std::string_view text, YamlStyle style) {
  impl_->open_ended = impl_->depth == 0 && style == YamlStyle::kPlain;
  yaml_scalar_style_t raw_style = YAML_PLAIN_SCALAR_STYLE;
  if (style != YamlStyle::kPlain) {
    raw_style =
        style == YamlStyle::kQuoted ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_LITERAL_SCALAR_STYLE;
  }
  yaml_event_t event;
  impl_->Emit(yaml_scalar_event_initialize(&event, nullptr, nullptr, YamlText(text),
                                           static_cast<int>(text.size()), 1, 1, raw_style),
              &event);
}

void YamlWriter::BeginSequence() {
  ++impl_->depth;
  yaml_event_t event;
  impl_->Emit(
      yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE),
      &event);
}

void YamlWriter::EndSequence() {
  --impl_->depth;
  yaml_event_t event;
  impl_->Emit(yaml_sequence_end_event_initialize(&event), &event);
}

void YamlWriter::BeginMapping() {
  ++impl_->depth;
  yaml_event_t event;
  impl_->Emit(
      yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE),
      &event);
}

void YamlWriter::EndMapping() {
  --impl_->depth;
  yaml_event_t event;
  impl_->Emit(yaml_mapping_end_event_initialize(&event), &event);
}

std::string YamlWriter::Finish() {
  yaml_event_t event;
  impl_->Emit(yaml_document_end_event_initialize(&event, 1), &event);
  impl_->Emit(yaml_stream_end_event_initialize(&event), &event);
  // The reference's emitter closes a document that is one plain scalar, and no other; libyaml
  // closes those that end in a block scalar that keeps its line breaks.
  constexpr std::string_view kDocumentEnd = "...\n";
  const bool closed = impl_->out.ends_with("\n...\n");
  if (impl_->open_ended && !closed) {
    impl_->out += kDocumentEnd;
  } else if (!impl_->open_ended && closed) {
    impl_->out.resize(impl_->out.size() - kDocumentEnd.size());
  }
  return std::move(impl_->out);
}

}  // namespace kinu
