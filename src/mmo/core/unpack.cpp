#include "mmo/core/unpack.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>

#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"
#include "mmo/core/parallel.h"

namespace mmo {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr const char* unpacking = "unpack to";

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";

// Frames that zstd's readers skip; pzstd begins its files with one. 0x184D2A50 to 0x184D2A5F, little-endian.
bool is_skippable_frame(std::string_view bytes) {
  return bytes.size() >= 4 && (static_cast<unsigned char>(bytes[0]) & 0xF0U) == 0x50 &&
         bytes.substr(1).starts_with("\x2a\x4d\x18");
}
bool is_zstd(std::string_view bytes) { return bytes.starts_with(zstd_magic) || is_skippable_frame(bytes); }

[[noreturn]] void fail_truncated(const char* kind, const std::string& name) {
  throw DataError(name, 0,
                  std::string("truncated ") + kind + " file: it ends before its data does; get a fresh copy");
}

[[noreturn]] void fail_corrupt(const char* kind, const char* reason, const std::string& name) {
  throw DataError(name, 0,
                  std::string("corrupt ") + kind + " file (" + (reason != nullptr ? reason : "damaged") +
                      "); get a fresh copy");
}

// Cleans up its z_stream; zlib counts input in 32 bits, so it is fed in blocks.
struct Inflater {
  z_stream stream{};
  Inflater() {
    // 15 window bits, + 16 = the gzip wrapper with its checksum.
    if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

std::string gunzip(std::string_view packed, const std::string& name, std::size_t enough) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  std::string out;
  std::string block(block_bytes, '\0');
  std::size_t fed = 0;
  bool member_open = true;
  while (member_open && out.size() < enough) {
    throw_if_cancelled();
    const std::size_t piece = std::min(packed.size() - fed, block_bytes);
    // zlib's interface is not const-correct; it does not write to its input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + fed));
    stream.avail_in = static_cast<uInt>(piece);
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t used = piece - stream.avail_in;
    const std::size_t made = block.size() - stream.avail_out;
    fed += used;
    check_input(out.size() + made, packed.size(), unpacking, name);
    out.append(block.data(), made);
    if (status == Z_STREAM_END) {
      const std::string_view rest = packed.substr(fed);
      if (rest.starts_with(gzip_magic)) {
        inflateReset(&stream);
      } else if (rest.find_first_not_of('\0') == std::string_view::npos) {
        member_open = false;  // the end, perhaps padded with zeros as tape archives are
      } else {
        throw DataError(name, 0, "corrupt gzip file: other bytes follow the compressed data");
      }
    } else if (status == Z_DATA_ERROR || status == Z_NEED_DICT) {
      fail_corrupt("gzip", stream.msg, name);
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (used == 0 && made == 0) {
      fail_truncated("gzip", name);
    }
  }
  return out;
}

std::string unzstd(std::string_view packed, const std::string& name, std::size_t enough) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  std::string out;
  std::string block(block_bytes, '\0');
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  while (out.size() < enough) {
    throw_if_cancelled();
    ZSTD_outBuffer output{block.data(), block.size(), 0};
    const std::size_t wanted = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(wanted) != 0) fail_corrupt("zstd", ZSTD_getErrorName(wanted), name);
    check_input(out.size() + output.pos, packed.size(), unpacking, name);
    out.append(block.data(), output.pos);
    if (input.pos < input.size) continue;
    if (wanted == 0) break;  // exactly at the end of a frame
    // A full block may hide more; one that is not full is all there was.
    if (output.pos < output.size) fail_truncated("zstd", name);
  }
  return out;
}

}  // namespace

bool is_packed(std::string_view bytes) { return bytes.starts_with(gzip_magic) || is_zstd(bytes); }

std::string unpack(std::string_view packed, const std::string& name, std::size_t enough) {
  return is_zstd(packed) ? unzstd(packed, name, enough) : gunzip(packed, name, enough);
}

}  // namespace mmo
