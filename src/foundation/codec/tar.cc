#include "codec/tar.h"

#include <cstdio>
#include <cstring>

namespace kinu {
namespace {

constexpr size_t kTarBlock = 512;

/// A header of the format ustar.
struct TarHeader {
  char name[100];
  char mode[8];
  char user[8];
  char group[8];
  char size[12];
  char modified[12];
  char checksum[8];
  char kind;
  char link[100];
  char magic[6];
  char version[2];
  char user_name[32];
  char group_name[32];
  char device[16];
  char prefix[155];
  char padding[12];
};
static_assert(sizeof(TarHeader) == kTarBlock);

/// Writes a number with leading zeros and a NUL at its end.
template <size_t N>
void SetOctal(char (&field)[N], uint64_t value) {
  for (size_t i = N - 1; i-- > 0;) {
    field[i] = static_cast<char>('0' + (value & 7));
    value >>= 3;
  }
  field[N - 1] = '\0';
}

template <size_t N>
void SetText(char (&field)[N], std::string_view text) {
  text.copy(field, N);
}

/// A line of a pax header: its own length in digits, a name and a value.
std::string PaxLine(std::string_view name, std::string_view value) {
  const size_t rest = name.size() + value.size() + 3;
  size_t length = rest + 1;
  while (rest + std::to_string(length).size() != length) {
    ++length;
  }
  return std::to_string(length) + ' ' + std::string(name) + '=' + std::string(value) + '\n';
}

}  // namespace

void TarWriter::AddContent(std::string_view content) {
  out_ += content;
  out_.append((kTarBlock - content.size() % kTarBlock) % kTarBlock, '\0');
}

void TarWriter::AddHeader(char kind, std::string_view path, unsigned mode, int64_t modified,
                          uint64_t size, std::string_view link) {
  TarHeader header;
  std::memset(&header, 0, sizeof header);
  SetText(header.name, path);
  SetOctal(header.mode, mode & 07777);
  SetOctal(header.user, 0);
  SetOctal(header.group, 0);
  SetOctal(header.size, size);
  SetOctal(header.modified, modified < 0 ? 0 : static_cast<uint64_t>(modified));
  header.kind = kind;
  SetText(header.link, link);
  SetText(header.magic, "ustar");
  SetText(header.version, "00");
  std::memset(header.checksum, ' ', sizeof header.checksum);
  char bytes[kTarBlock];
  std::memcpy(bytes, &header, kTarBlock);
  uint64_t sum = 0;
  for (const char byte : bytes) {
    sum += static_cast<unsigned char>(byte);
  }
  std::snprintf(header.checksum, sizeof header.checksum, "%06o", static_cast<unsigned>(sum));
  header.checksum[7] = ' ';
  out_.append(reinterpret_cast<const char*>(&header), kTarBlock);
}

void TarWriter::Add(Kind kind, std::string_view path, unsigned mode, int64_t modified,
                    std::string_view content) {
  std::string name(path);
  if (kind == Kind::kDirectory && !name.ends_with('/')) {
    name += '/';
  }
  const std::string_view link = kind == Kind::kLink ? content : std::string_view();
  std::string pax;
  if (name.size() > sizeof(TarHeader::name)) {
    pax += PaxLine("path", name);
  }
  if (link.size() > sizeof(TarHeader::link)) {
    pax += PaxLine("linkpath", link);
  }
  if (!pax.empty()) {
    AddHeader('x', "pax", 0644, modified, pax.size(), {});
    AddContent(pax);
  }
  const bool has_content = kind == Kind::kFile;
  AddHeader(static_cast<char>(kind), name, mode, modified, has_content ? content.size() : 0, link);
  if (has_content) {
    AddContent(content);
  }
}

std::string TarWriter::Finish() {
  out_.append(2 * kTarBlock, '\0');
  return std::move(out_);
}

}  // namespace kinu
