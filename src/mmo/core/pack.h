// Compressors that turn bytes into a gzip or zstd stream.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mmo {

class Compressor {
 public:
  virtual ~Compressor() = default;
  // Appends the packed bytes to `out`; finish = no more will come.
  virtual void compress(std::string_view bytes, bool finish, std::string& out) = 0;
};

// Chosen by the path's ending, .gz or .zst; null for any other.
[[nodiscard]] std::unique_ptr<Compressor> compressor_for(std::string_view path);

}  // namespace mmo
