// The protobuf wire format: tags, varints and length-delimited fields, without generated code.
//
// Provider messages and plan files are written and read with these two classes; the message layouts
// are in proto/*.proto, and a test compares both with protoc.
// Ref: the public protobuf encoding document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinu {

/// Appends fields to a message. Scalars equal to zero and empty strings are left out, as proto3
/// does; the Always… forms write them nevertheless (`optional` fields, members of a oneof, elements
/// of repeated fields).
class ProtoWriter {
 public:
  explicit ProtoWriter(std::string& out) : out_(out) {}

  void Uint(uint32_t field, uint64_t value);
  void Int(uint32_t field, int64_t value) { Uint(field, static_cast<uint64_t>(value)); }
  void Bool(uint32_t field, bool value) { Uint(field, value ? 1 : 0); }
  void Bytes(uint32_t field, std::string_view bytes);
  void AlwaysUint(uint32_t field, uint64_t value);
  void AlwaysInt(uint32_t field, int64_t value) { AlwaysUint(field, static_cast<uint64_t>(value)); }
  void AlwaysBytes(uint32_t field, std::string_view bytes);

  /// A nested message, whose content is written between Begin and End. These calls must nest.
  size_t Begin(uint32_t field);
  void End(size_t begin);

  std::string& out() { return out_; }

 private:
  std::string& out_;
};

/// One field as read: `scalar` for varints and fixed numbers, `bytes` for length-delimited ones.
struct ProtoField {
  enum class Kind : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  uint32_t number = 0;
  Kind kind = Kind::kVarint;
  uint64_t scalar = 0;
  std::string_view bytes;

  int64_t as_int() const { return static_cast<int64_t>(scalar); }
  bool as_bool() const { return scalar != 0; }
};

/// Reads a message field by field. Unknown fields are the caller's to ignore.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(message) {}

  /// Reads the next field; false at the end or when the bytes are malformed (then failed()).
  bool Next(ProtoField& field);
  bool failed() const { return failed_; }

 private:
  bool Varint(uint64_t& value) {
    if (!rest_.empty() && static_cast<unsigned char>(rest_.front()) < 0x80) {  // nearly always
      value = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      return true;
    }
    return LongVarint(value);
  }
  bool LongVarint(uint64_t& value);
  bool Fail();

  std::string_view rest_;
  bool failed_ = false;
};

/// Key and value of a map entry message (field 1 and field 2).
struct ProtoMapEntry {
  std::string_view key;
  std::string_view value;
};
/// Reads a map entry; false when it is malformed.
bool ReadProtoMapEntry(std::string_view message, ProtoMapEntry& entry);

}  // namespace kinu
