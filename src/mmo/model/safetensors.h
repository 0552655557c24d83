// Named tensors and strings in one data-only file: 8 bytes of header length (little-endian), a JSON header,
// then the tensors' bytes without gaps (https://github.com/huggingface/safetensors, "Format").
// Files written here also carry a CRC-32 of header and tensors in the metadata entry "crc32".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mmo/core/file.h"

namespace mmo {

class FileSet;

enum class Dtype { u8, u16, i32, i64, f32, f64 };

[[nodiscard]] std::size_t dtype_size(Dtype dtype);
[[nodiscard]] std::string dtype_name(Dtype dtype);

template <class T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>) return Dtype::f32;
  if constexpr (std::is_same_v<T, double>) return Dtype::f64;
  if constexpr (std::is_same_v<T, std::int32_t>) return Dtype::i32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return Dtype::i32;  // the same bits
  if constexpr (std::is_same_v<T, std::int64_t>) return Dtype::i64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Dtype::i64;
  if constexpr (std::is_same_v<T, std::uint16_t>) return Dtype::u16;
  return Dtype::u8;
}

// A view; its bytes belong to the caller (writing) or to the TensorFile (reading).
struct Tensor {
  Dtype dtype = Dtype::f32;
  std::vector<std::uint64_t> shape;
  std::string_view bytes;
};

using Tensors = std::map<std::string, Tensor>;
using Metadata = std::map<std::string, std::string>;

template <class T>
[[nodiscard]] Tensor tensor_view(std::span<const T> values, std::vector<std::uint64_t> shape) {
  return {
      dtype_of<T>(), std::move(shape), {reinterpret_cast<const char*>(values.data()), values.size_bytes()}};
}

// Adds "crc32" to the metadata. Metadata must be UTF-8. Throws IoError.
void write_safetensors(const std::string& path, const Tensors& tensors, Metadata metadata, bool overwrite,
                       FileSet* together = nullptr);
// The bytes of such a file.
[[nodiscard]] std::string safetensors_bytes(const Tensors& tensors, Metadata metadata);

struct TensorFile {
  FileContent content;  // keeps the tensors' bytes alive
  Tensors tensors;
  Metadata metadata;

  // The checks that the format itself has no room for: throws ModelError if the stored CRC-32 is missing or
  // differs from the content's.
  void verify_checksum() const;
};

// Checks header length, JSON, names, types, shapes against byte ranges, and that ranges tile the rest of the
// file without gap or overlap, before any tensor is touched. Throws ModelError.
[[nodiscard]] TensorFile read_safetensors(FileContent content);

}  // namespace mmo
