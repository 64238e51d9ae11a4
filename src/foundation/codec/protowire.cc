#include "codec/protowire.h"

#include <cstring>

namespace kinu {
namespace {

constexpr int kMaxVarintBytes = 10;

int EncodeVarint(uint64_t value, char* out) {
  int size = 0;
  while (value >= 0x80) {
    out[size++] = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out[size++] = static_cast<char>(value);
  return size;
}

void AppendVarint(std::string& out, uint64_t value) {
  char buffer[kMaxVarintBytes];
  out.append(buffer, static_cast<size_t>(EncodeVarint(value, buffer)));
}

void AppendTag(std::string& out, uint32_t field, ProtoField::Kind kind) {
  AppendVarint(out, uint64_t{field} << 3 | static_cast<uint64_t>(kind));
}

}  // namespace

void ProtoWriter::Uint(uint32_t field, uint64_t value) {
  if (value != 0) {
    AlwaysUint(field, value);
  }
}

void ProtoWriter::AlwaysUint(uint32_t field, uint64_t value) {
  AppendTag(out_, field, ProtoField::Kind::kVarint);
  AppendVarint(out_, value);
}

void ProtoWriter::Bytes(uint32_t field, std::string_view bytes) {
  if (!bytes.empty()) {
    AlwaysBytes(field, bytes);
  }
}

void ProtoWriter::AlwaysBytes(uint32_t field, std::string_view bytes) {
  AppendTag(out_, field, ProtoField::Kind::kBytes);
  AppendVarint(out_, bytes.size());
  out_.append(bytes);
}

size_t ProtoWriter::Begin(uint32_t field) {
  AppendTag(out_, field, ProtoField::Kind::kBytes);
  out_.push_back('\0');  // one byte of length: enough for most messages
  return out_.size();
}

void ProtoWriter::End(size_t begin) {
  char length[kMaxVarintBytes];
  int size = EncodeVarint(out_.size() - begin, length);
  if (size > 1) {
    out_.insert(begin, static_cast<size_t>(size) - 1, '\0');
  }
  std::memcpy(out_.data() + begin - 1, length, static_cast<size_t>(size));
}

bool ProtoReader::Fail() {
  failed_ = true;
  rest_ = {};
  return false;
}

bool ProtoReader::LongVarint(uint64_t& value) {
  value = 0;
  for (int i = 0; i < kMaxVarintBytes; ++i) {
    if (rest_.empty()) {
      return false;
    }
    auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= uint64_t{byte & 0x7FU} << (7 * i);
    if (byte < 0x80) {
      return true;
    }
  }
  return false;
}

bool ProtoReader::Next(ProtoField& field) {
  if (rest_.empty()) {
    return false;
  }
  uint64_t tag = 0;
  if (!Varint(tag) || (tag >> 3) == 0 || (tag >> 3) > 0x1FFFFFFF) {
    return Fail();
  }
  field.number = static_cast<uint32_t>(tag >> 3);
  field.scalar = 0;
  field.bytes = {};
  size_t size = 0;
  switch (tag & 7) {
    case 0:
      field.kind = ProtoField::Kind::kVarint;
      return Varint(field.scalar) || Fail();
    case 1:
      field.kind = ProtoField::Kind::kFixed64;
      size = 8;
      break;
    case 2: {
      field.kind = ProtoField::Kind::kBytes;
      uint64_t length = 0;
      if (!Varint(length) || length > rest_.size()) {
        return Fail();
      }
      field.bytes = rest_.substr(0, length);
      rest_.remove_prefix(length);
      return true;
    }
    case 5:
      field.kind = ProtoField::Kind::kFixed32;
      size = 4;
      break;
    default:
      return Fail();  // groups have been gone since proto2
  }
  if (rest_.size() < size) {
    return Fail();
  }
  std::memcpy(&field.scalar, rest_.data(), size);  // little-endian, as is every supported machine
  rest_.remove_prefix(size);
  return true;
}

bool ReadProtoMapEntry(std::string_view message, ProtoMapEntry& entry) {
  entry = {};
  ProtoReader reader(message);
  ProtoField field;
  while (reader.Next(field)) {
    if (field.number == 1) {
      entry.key = field.bytes;
    } else if (field.number == 2) {
      entry.value = field.bytes;
    }
  }
  return !reader.failed();
}

}  // namespace kinu
