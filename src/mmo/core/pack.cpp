#include "mmo/core/pack.h"

#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <new>

namespace mmo {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

class Gzip final : public Compressor {
 public:
  Gzip() {
    // 15 window bits, + 16 = the gzip wrapper; 8 = zlib's default memory level.
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Gzip() override { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void compress(std::string_view bytes, bool finish, std::string& out) override {
    // zlib counts its input in 32 bits.
    while (bytes.size() > buffer_bytes) {
      deflate_block(bytes.substr(0, buffer_bytes), Z_NO_FLUSH, out);
      bytes.remove_prefix(buffer_bytes);
    }
    deflate_block(bytes, finish ? Z_FINISH : Z_NO_FLUSH, out);
  }

 private:
  void deflate_block(std::string_view bytes, int flush, std::string& out) {
    std::string block(std::size_t{1} << 16, '\0');
    // zlib's interface is not const-correct; it does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(block.data());
      stream_.avail_out = static_cast<uInt>(block.size());
      deflate(&stream_, flush);
      out.append(block.data(), block.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

class Zstd final : public Compressor {
 public:
  Zstd() : context_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {
    if (!context_) throw std::bad_alloc();
    // A checksum lets readers notice damage.
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void compress(std::string_view bytes, bool finish, std::string& out) override {
    std::string block(ZSTD_CStreamOutSize(), '\0');
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer output{block.data(), block.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &output, &input, finish ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // the only way compression fails
      out.append(block.data(), output.pos);
    } while (finish ? left != 0 : input.pos < input.size);
  }

 private:
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

}  // namespace

std::unique_ptr<Compressor> compressor_for(std::string_view path) {
  if (path.ends_with(".gz")) return std::make_unique<Gzip>();
  if (path.ends_with(".zst")) return std::make_unique<Zstd>();
  return nullptr;
}

}  // namespace mmo
