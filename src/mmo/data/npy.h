// One NumPy array as stored in an .npy file: its header, checked against the bytes that follow it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mmo {

struct NpyArray {
  char kind = 'f';            // f float, i signed, u unsigned, b bool, U text (UCS-4), S bytes
  std::size_t item_size = 0;  // bytes, > 0
  bool fortran_order = false;
  std::vector<std::size_t> shape;  // the product of these · item_size is data.size()
  std::string_view data;

  [[nodiscard]] std::size_t size() const { return data.size() / item_size; }
  [[nodiscard]] bool is_text() const { return kind == 'U' || kind == 'S'; }

  // Calls visitor(get), where get(k) is element k in memory order in its own type. Not for text.
  template <class Visitor>
  decltype(auto) visit(Visitor&& visitor) const;

 private:
  template <class T>
  [[nodiscard]] auto getter() const {
    return [bytes = data.data()](std::size_t k) {
      T value;
      std::memcpy(&value, bytes + k * sizeof(T), sizeof(T));  // the bytes of a file need not be aligned
      return value;
    };
  }
};

// `what` names the array in messages ("X"). Throws DataError for object arrays (they need pickle, which runs
// code), other byte orders, structured types and anything damaged.
NpyArray parse_npy(std::string_view bytes, const std::string& file, const std::string& what);

// The elements of a U or S array as UTF-8.
std::vector<std::string> npy_texts(const NpyArray& array);

// The header (format 1.0) of a C-ordered array, to be followed by its bytes: npy_header("<f4", "(3, 4)").
std::string npy_header(std::string_view type, std::string_view shape);

// A one-dimensional U array, header and bytes. Throws UsageError for a text that is not UTF-8.
std::string npy_text_array(const std::vector<std::string>& texts);

template <class Visitor>
decltype(auto) NpyArray::visit(Visitor&& visitor) const {
  switch (kind) {
    case 'f':
      return item_size == 4 ? visitor(getter<float>()) : visitor(getter<double>());
    case 'i':
      if (item_size == 1) return visitor(getter<std::int8_t>());
      if (item_size == 2) return visitor(getter<std::int16_t>());
      return item_size == 4 ? visitor(getter<std::int32_t>()) : visitor(getter<std::int64_t>());
    default:  // u, and b as bytes of 0 and 1
      if (item_size == 1) return visitor(getter<std::uint8_t>());
      if (item_size == 2) return visitor(getter<std::uint16_t>());
      return item_size == 4 ? visitor(getter<std::uint32_t>()) : visitor(getter<std::uint64_t>());
  }
}

}  // namespace mmo
