// The arrays of an .npz file by name. Those that lie in the file as the program wants them in memory are
// lent, not copied: such a file is read page by page when its numbers are needed, and may be larger than
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "mmo/core/buffer.h"
#include "mmo/core/file.h"
#include "mmo/data/npy.h"
#include "mmo/data/zip.h"

namespace mmo {

// An array together with the bytes it looks at and the name messages call it by.
struct NamedArray {
  std::string name;
  FileContent content;  // keeps stored bytes alive
  ZipBytes bytes;
  NpyArray array;
};

class NpzArchive {
 public:
  explicit NpzArchive(const FileContent& content);
  [[nodiscard]] const std::string& file() const { return content_.name(); }
  [[nodiscard]] std::size_t bytes() const { return content_.bytes().size(); }
  [[nodiscard]] bool has(const std::string& key) const { return members_.contains(key); }
  // The array is behind a pointer because its view must not move.
  [[nodiscard]] std::shared_ptr<NamedArray> get(const std::string& key) const;
  [[nodiscard]] std::shared_ptr<NamedArray> get_numbers(const std::string& key) const;
  [[noreturn]] void fail(const std::string& why) const;
  [[nodiscard]] std::string keys() const;

 private:
  FileContent content_;
  ZipReader zip_;
  std::map<std::string, const ZipMember*, std::less<>> members_;
};

// The array where it lies, if that is C-ordered, aligned and of type T (float, or 32-bit integers of either
// sign as uint32_t).
template <class T>
[[nodiscard]] std::optional<Buffer<T>> lent_array(const std::shared_ptr<NamedArray>& named) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::uint32_t>);
  const NpyArray& array = named->array;
  const bool same_type =
      std::is_same_v<T, float> ? array.kind == 'f' : array.kind == 'i' || array.kind == 'u';
  const char* const at = array.data.data();
  if (!same_type || array.item_size != sizeof(T) || array.fortran_order ||
      reinterpret_cast<std::uintptr_t>(at) % alignof(T) != 0)
    return std::nullopt;
  return Buffer<T>::lent({reinterpret_cast<const T*>(at), array.size()}, named);
}

}  // namespace mmo
