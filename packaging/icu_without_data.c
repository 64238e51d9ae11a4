/* ICU's data without any: libicudata.so of the archive (tools/tarball.sh).

   libxml2 links ICU and libarchive links libxml2, for a format that kinu does not read. The data of ICU are 30 MB.
   With this table of contents, which is empty, ICU converts between Unicode's own encodings and finds no others. */
#include <stdint.h>

struct Contents {
  uint16_t header_size;
  uint8_t magic[2];
  uint16_t info_size;
  uint16_t reserved;
  uint8_t is_big_endian, charset_family, size_of_char, reserved_too;
  uint8_t format[4], format_version[4], data_version[4];
  uint64_t padding;
  uint32_t count;
  uint32_t names[3];
};

const struct Contents ICU_DATA __attribute__((aligned(16), visibility("default"))) = {
    .header_size = 32,
    .magic = {0xda, 0x27},
    .info_size = 20,
    .size_of_char = 2,
    .format = {'C', 'm', 'n', 'D'},
    .format_version = {1},
};
