#include "mmo/model/safetensors.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
#include "mmo/core/json.h"

namespace mmo {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian, read without swapping");

struct DtypeInfo {
  Dtype dtype;
  const char* name;
  std::size_t size;
};
constexpr std::array<DtypeInfo, 6> dtypes{{{Dtype::u8, "U8", 1},
                                           {Dtype::u16, "U16", 2},
                                           {Dtype::i32, "I32", 4},
                                           {Dtype::i64, "I64", 8},
                                           {Dtype::f32, "F32", 4},
                                           {Dtype::f64, "F64", 8}}};

constexpr std::size_t length_bytes = 8;
constexpr std::size_t alignment = 8;                     // of the first tensor
constexpr std::uint64_t max_header_bytes = 100'000'000;  // the format's own limit
constexpr auto checksum_key = "crc32";
constexpr auto metadata_key = "__metadata__";

const DtypeInfo& info(Dtype dtype) {
  return *std::find_if(dtypes.begin(), dtypes.end(), [&](const DtypeInfo& d) { return d.dtype == dtype; });
}

std::string hex(std::uint32_t value) { return fmt::format("{:08x}", value); }

// In file order: larger elements first, so that every tensor is aligned without padding; then by name.
std::vector<const Tensors::value_type*> file_order(const Tensors& tensors) {
  std::vector<const Tensors::value_type*> order;
  for (const auto& entry : tensors) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return dtype_size(a->second.dtype) > dtype_size(b->second.dtype);
  });
  return order;
}

std::uint32_t add_to_crc(std::uint32_t crc, std::string_view bytes) {
  if (bytes.empty()) return crc;  // a null pointer would make zlib start over
  return static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Over everything a reader uses: metadata (except the checksum), names, types, shapes and bytes.
std::string checksum(const Tensors& tensors, const Metadata& metadata) {
  std::uint32_t crc = 0;
  const auto add_string = [&](std::string_view text) {
    crc = add_to_crc(crc, std::to_string(text.size()) + ":");
    crc = add_to_crc(crc, text);
  };
  for (const auto& [key, value] : metadata) {
    if (key == checksum_key) continue;
    add_string(key);
    add_string(value);
  }
  for (const auto& [name, tensor] : tensors) {
    add_string(name);
    add_string(dtype_name(tensor.dtype));
    for (const std::uint64_t size : tensor.shape) add_string(std::to_string(size));
    add_string(tensor.bytes);
  }
  return hex(crc);
}

class Reader {
 public:
  explicit Reader(FileContent content) { file_.content = std::move(content); }

  TensorFile read() {
    const json header = parse_header();
    for (const auto& [name, entry] : header.items()) {
      if (name == metadata_key) {
        read_metadata(entry);
      } else {
        read_tensor(name, entry);
      }
    }
    check_tiling();
    return std::move(file_);
  }

 private:
  struct Range {
    std::uint64_t begin, end;
    std::string name;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(
        fmt::format("{}: not a usable model file: {}. It may be truncated or damaged: copy it again or "
                    "train the model again",
                    file_.content.name(), what));
  }

  json parse_header() {
    const std::string_view bytes = file_.content.bytes();
    if (bytes.size() < length_bytes) fail(fmt::format("it has only {} bytes", bytes.size()));
    std::uint64_t length = 0;
    bytes.copy(reinterpret_cast<char*>(&length), length_bytes);
    if (length > max_header_bytes || length > bytes.size() - length_bytes) {
      fail(fmt::format("its first 8 bytes announce a header of {} bytes in a file of {}", length,
                       bytes.size()));
    }
    const std::string_view text = bytes.substr(length_bytes, length);
    data_ = bytes.substr(length_bytes + length);
    if (!text.starts_with('{')) fail("its header is not a JSON object");

    std::vector<std::set<std::string>> keys;  // of the objects being read, outermost first
    std::optional<std::string> repeated;
    const auto watch = [&](int, json::parse_event_t event, json& parsed) {
      if (event == json::parse_event_t::object_start) keys.emplace_back();
      if (event == json::parse_event_t::object_end) keys.pop_back();
      if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
        repeated = parsed.get<std::string>();
      }
      return true;
    };
    json header;
    try {
      header = parse_json(text, watch);
    } catch (const json::exception& error) {
      fail(fmt::format("its header is not valid JSON ({})", error.what()));
    }
    if (repeated) fail(fmt::format("its header has '{}' twice", *repeated));
    return header;
  }

  void read_metadata(const json& entry) {
    if (!entry.is_object()) fail("its metadata is not a JSON object");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) fail(fmt::format("metadata '{}' is not a string", key));
      file_.metadata[key] = value.get<std::string>();
    }
  }

  std::vector<std::uint64_t> numbers(const std::string& name, const json& entry, const char* key) const {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_array())
      fail(fmt::format("tensor '{}' has no list '{}'", name, key));
    std::vector<std::uint64_t> out;
    for (const json& value : *found) {
      if (!value.is_number_unsigned()) {
        fail(fmt::format("tensor '{}' has {} in '{}', not a count", name, value.dump(), key));
      }
      out.push_back(value.get<std::uint64_t>());
    }
    return out;
  }

  void read_tensor(const std::string& name, const json& entry) {
    if (!entry.is_object() || entry.size() != 3)
      fail(fmt::format("tensor '{}' is not described as it should be", name));
    const auto type = entry.find("dtype");
    if (type == entry.end() || !type->is_string()) fail(fmt::format("tensor '{}' has no dtype", name));
    const auto known = std::find_if(dtypes.begin(), dtypes.end(),
                                    [&](const DtypeInfo& d) { return type->get<std::string>() == d.name; });
    if (known == dtypes.end()) {
      fail(fmt::format("tensor '{}' has dtype '{}', which mmo does not use", name, type->get<std::string>()));
    }

    Tensor tensor{known->dtype, numbers(name, entry, "shape"), {}};
    const std::vector<std::uint64_t> range = numbers(name, entry, "data_offsets");
    if (range.size() != 2 || range[0] > range[1] || range[1] > data_.size()) {
      fail(fmt::format("tensor '{}' lies at {}, outside the {} bytes of data in the file", name,
                       entry["data_offsets"].dump(), data_.size()));
    }
    std::uint64_t size = known->size;
    bool too_large = false;
    for (const std::uint64_t side : tensor.shape) too_large |= __builtin_mul_overflow(size, side, &size);
    if (too_large || size != range[1] - range[0]) {
      fail(fmt::format("tensor '{}' of type {} and shape {} does not have {} bytes", name, known->name,
                       entry["shape"].dump(), range[1] - range[0]));
    }
    tensor.bytes = data_.substr(range[0], size);
    ranges_.push_back({range[0], range[1], name});
    file_.tensors.emplace(name, std::move(tensor));
  }

  void check_tiling() {
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t expected = 0;
    for (const Range& range : ranges_) {
      if (range.begin != expected) {
        fail(
            fmt::format("tensor '{}' begins at {} where {} was expected", range.name, range.begin, expected));
      }
      expected = range.end;
    }
    if (expected != data_.size()) {
      fail(fmt::format("its tensors end at {} but the file has {} bytes of data", expected, data_.size()));
    }
  }

  TensorFile file_;
  std::string_view data_;
  std::vector<Range> ranges_;
};

std::string safetensors_header(const Tensors& tensors, Metadata metadata) {
  metadata[checksum_key] = checksum(tensors, metadata);
  json header;
  header[metadata_key] = metadata;
  std::uint64_t offset = 0;
  for (const auto* entry : file_order(tensors)) {
    const Tensor& tensor = entry->second;
    header[entry->first] = {{"dtype", dtype_name(tensor.dtype)},
                            {"shape", tensor.shape},
                            {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = header.dump();
  text.append((alignment - text.size() % alignment) % alignment, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), length_bytes) + text;
}

}  // namespace

std::size_t dtype_size(Dtype dtype) { return info(dtype).size; }
std::string dtype_name(Dtype dtype) { return info(dtype).name; }

void write_safetensors(const std::string& path, const Tensors& tensors, Metadata metadata, bool overwrite,
                       FileSet* together) {
  const std::string header = safetensors_header(tensors, std::move(metadata));
  AtomicFile file(path, overwrite, together);
  file.write(header);
  for (const auto* entry : file_order(tensors)) file.write(entry->second.bytes);
  file.commit();
}

std::string safetensors_bytes(const Tensors& tensors, Metadata metadata) {
  std::string bytes = safetensors_header(tensors, std::move(metadata));
  for (const auto* entry : file_order(tensors)) bytes += entry->second.bytes;
  return bytes;
}

void TensorFile::verify_checksum() const {
  const auto stored = metadata.find(checksum_key);
  const std::string actual = checksum(tensors, metadata);
  if (stored == metadata.end() || stored->second != actual) {
    throw ModelError(
        fmt::format("{}: the model file was altered after it was written (checksum {}, stored {}): copy it "
                    "again or train the model again",
                    content.name(), actual, stored == metadata.end() ? "none" : stored->second));
  }
}

TensorFile read_safetensors(FileContent content) { return Reader(std::move(content)).read(); }

}  // namespace mmo
