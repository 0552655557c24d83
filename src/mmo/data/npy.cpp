#include "mmo/data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "mmo/core/error.h"
#include "mmo/data/label_columns.h"

namespace mmo {
namespace {

// Reads the header's Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file, const std::string& what)
      : text_(text), rest_(text), file_(file), what_(what) {}

  NpyArray parse() {
    NpyArray array;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        if (accept('[')) refuse("is a structured array: save each of its fields as an array of its own");
        set_type(quoted(), array);
        has_type = true;
      } else if (key == "fortran_order") {
        array.fortran_order = boolean();
        has_order = true;
      } else if (key == "shape") {
        array.shape = tuple();
        has_shape = true;
      } else {
        damaged();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!has_type || !has_order || !has_shape) damaged();
    return array;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw DataError(file_, 0, shown(what_) + " " + why);
  }
  [[noreturn]] void damaged() const { refuse("has a damaged header: " + shown(text_)); }

  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) damaged();
  }
  std::string_view quoted() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) damaged();
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) damaged();
    const std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }
  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"False", "True"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    damaged();
  }
  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> numbers;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::size_t number = 0;
      const auto [stop, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (status != std::errc()) damaged();
      rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
      numbers.push_back(number);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  void set_type(std::string_view type, NpyArray& array) const {
    const auto wrong_type = [&] {
      refuse("has type " + shown(type) +
             ": save it as float32, float64, an integer or a bool type (arr.astype('float32'))");
    };
    if (type.find('O') != std::string_view::npos) {
      refuse(
          "is an object array, which needs pickle, and pickle can run code: save it as a number or text "
          "array");
    }
    if (type.size() < 3) wrong_type();
    array.kind = type[1];
    const auto [stop, status] = std::from_chars(type.data() + 2, type.data() + type.size(), array.item_size);
    if (status != std::errc() || stop != type.data() + type.size() || array.item_size == 0) wrong_type();
    const std::size_t size = array.item_size;
    if (type[0] == '>' && size > 1)
      refuse("is big-endian (" + std::string(type) +
             "): save it with arr.astype(arr.dtype.newbyteorder('<'))");
    const bool integer = size == 1 || size == 2 || size == 4 || size == 8;
    switch (array.kind) {
      case 'f':
        if (size != 4 && size != 8) wrong_type();
        break;
      case 'i':
      case 'u':
        if (!integer) wrong_type();
        break;
      case 'b':
        if (size != 1) wrong_type();
        break;
      case 'S':
        break;
      case 'U':
        if (size > (std::size_t{1} << 40)) wrong_type();
        array.item_size = 4 * size;
        break;
      default:
        wrong_type();
    }
  }

  std::string_view text_;
  std::string_view rest_;
  const std::string& file_;
  const std::string& what_;
};

void append_utf8(std::string& out, std::uint32_t c) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | c >> 6);
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | (c >> 18 & 0x07));
    byte(0x80 | (c >> 12 & 0x3F));
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

std::u32string from_utf8(std::string_view text) {
  std::u32string out;
  for (std::size_t k = 0; k < text.size();) {
    const auto lead = static_cast<unsigned char>(text[k]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    std::uint32_t c = length == 1 ? lead : lead & (0x7FU >> length);
    bool good = lead < 0x80 || (lead >= 0xC2 && lead < 0xF5 && k + length <= text.size());
    for (std::size_t j = 1; good && j < length; ++j) {
      const auto next = static_cast<unsigned char>(text[k + j]);
      good = (next & 0xC0) == 0x80;
      c = c << 6 | (next & 0x3F);
    }
    if (!good)
      throw UsageError("the name " + shown(text) +
                       " is not UTF-8, so npz can't hold it: rename it, or write ARFF or CSV");
    out += static_cast<char32_t>(c);
    k += length;
  }
  return out;
}

}  // namespace

NpyArray parse_npy(std::string_view bytes, const std::string& file, const std::string& what) {
  const auto little = [&](std::size_t at, std::size_t count) {
    std::size_t value = 0;
    for (std::size_t k = count; k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
    return value;
  };
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) {
    throw DataError(file, 0, shown(what) + " is not a NumPy array: save it with numpy.savez");
  }
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) {
    throw DataError(file, 0, fmt::format("{} has npy version {}; 1 to 3 are known", shown(what), version));
  }
  const std::size_t prefix = version == 1 ? 10 : 12;
  const std::size_t header_size = version == 1 ? little(8, 2) : little(8, 4);
  if (header_size > bytes.size() - prefix) throw DataError(file, 0, shown(what) + " is cut short");
  NpyArray array = HeaderParser(bytes.substr(prefix, header_size), file, what).parse();
  array.data = bytes.substr(prefix + header_size);

  const std::size_t items = array.data.size() / array.item_size;
  std::size_t product = 1;
  bool fits = array.data.size() % array.item_size == 0;
  if (std::find(array.shape.begin(), array.shape.end(), std::size_t{0}) != array.shape.end()) {
    product = 0;
  } else {
    for (const std::size_t extent : array.shape) {
      if (extent > items / product) {
        fits = false;
        break;
      }
      product *= extent;
    }
  }
  if (!fits || product != items) {
    throw DataError(
        file, 0,
        fmt::format("{} has shape ({}) of {}-byte items but {} bytes: the file is damaged", shown(what),
                    fmt::join(array.shape, ", "), array.item_size, array.data.size()));
  }
  return array;
}

std::vector<std::string> npy_texts(const NpyArray& array) {
  std::vector<std::string> texts(array.size());
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const std::string_view item = array.data.substr(k * array.item_size, array.item_size);
    if (array.kind == 'S') {
      texts[k] = item.substr(0, item.find_last_not_of('\0') + 1);
      continue;
    }
    for (std::size_t j = 0; j + 4 <= item.size(); j += 4) {
      std::uint32_t c = 0;
      std::memcpy(&c, item.data() + j, 4);
      append_utf8(texts[k], c);
    }
    texts[k].resize(texts[k].find_last_not_of('\0') + 1);
  }
  return texts;
}

std::string npy_header(std::string_view type, std::string_view shape) {
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  constexpr std::size_t prefix = 10;
  constexpr std::size_t alignment = 64;  // numpy aligns the data for memory mapping
  const std::size_t unpadded = prefix + dictionary.size() + 1;
  dictionary.append((alignment - unpadded % alignment) % alignment, ' ');
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

std::string npy_text_array(const std::vector<std::string>& texts) {
  std::vector<std::u32string> wide;
  wide.reserve(texts.size());
  std::size_t longest = 1;
  for (const auto& text : texts) {
    wide.push_back(from_utf8(text));
    longest = std::max(longest, wide.back().size());
  }
  std::string array = npy_header(fmt::format("<U{}", longest), fmt::format("({},)", texts.size()));
  const std::size_t start = array.size();
  array.resize(start + texts.size() * longest * sizeof(char32_t), '\0');
  for (std::size_t k = 0; k < wide.size(); ++k) {
    std::memcpy(array.data() + start + k * longest * sizeof(char32_t), wide[k].data(),
                wide[k].size() * sizeof(char32_t));
  }
  return array;
}

}  // namespace mmo
