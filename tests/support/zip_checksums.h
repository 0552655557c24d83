// CRCs would hide everything behind them from random changes: here they are set right after each one.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>

namespace mmo::testing {

// For archives of the form that data/zip writes: members stored, with zip64 fields.
inline std::string with_right_checksums(std::string zip) {
  const auto number = [&](std::size_t at, int size) {
    std::uint64_t value = 0;
    for (int k = size; k-- > 0;)
      value = value << 8 | static_cast<unsigned char>(zip[at + static_cast<std::size_t>(k)]);
    return value;
  };
  const std::string signature = "PK\x01\x02";
  for (std::size_t at = zip.find(signature); at != std::string::npos; at = zip.find(signature, at + 1)) {
    const std::uint64_t name = at + 46 + 28 > zip.size() ? 0 : number(at + 28, 2);
    const std::uint64_t extra = at + 46 + name;
    if (name == 0 || extra + 28 > zip.size()) continue;
    const std::uint64_t size = number(extra + 4, 8);
    const std::uint64_t local = number(extra + 20, 8);
    if (local > zip.size() || zip.size() - local < 30) continue;
    const std::uint64_t start = local + 30 + name + number(local + 28, 2);
    if (start > zip.size() || size > zip.size() - start) continue;
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(zip.data() + start), static_cast<uInt>(size));
    for (std::size_t k = 0; k < 4; ++k) zip[at + 16 + k] = static_cast<char>(crc >> (8 * k) & 0xFF);
  }
  return zip;
}

}  // namespace mmo::testing
