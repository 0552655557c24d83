#include <cstring>
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>

#include "fuzz/mutators.h"
#include "mmo/core/error.h"
#include "mmo/core/json.h"
#include "mmo/model/safetensors.h"

namespace mmo::fuzz {
namespace {

using nlohmann::json;

template <class Map>
auto& any_of(Map& map, Random& random) {
  auto at = map.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random.below(map.size())));
  return *at;
}

template <class T>
void put_unusual(std::string& bytes, std::size_t at, Random& random) {
  using Limits = std::numeric_limits<T>;
  const T values[] = {T{0},
                      T{1},
                      static_cast<T>(-1),
                      T{2},
                      Limits::max(),
                      Limits::min(),
                      Limits::lowest(),
                      Limits::infinity(),
                      Limits::quiet_NaN(),
                      static_cast<T>(100)};
  std::memcpy(bytes.data() + at * sizeof(T), &values[random.below(std::size(values))], sizeof(T));
}

void change_element(const Tensor& tensor, std::string& bytes, Random& random) {
  const std::size_t at = random.below(bytes.size() / dtype_size(tensor.dtype));
  switch (tensor.dtype) {
    case Dtype::u8:
      return put_unusual<std::uint8_t>(bytes, at, random);
    case Dtype::u16:
      return put_unusual<std::uint16_t>(bytes, at, random);
    case Dtype::i32:
      return put_unusual<std::int32_t>(bytes, at, random);
    case Dtype::i64:
      return put_unusual<std::int64_t>(bytes, at, random);
    case Dtype::f32:
      return put_unusual<float>(bytes, at, random);
    case Dtype::f64:
      return put_unusual<double>(bytes, at, random);
  }
}

// One row more or less.
void change_length(Tensor& tensor, std::string& bytes, Random& random) {
  if (tensor.shape.empty() || tensor.shape[0] == 0) return;
  const std::size_t row = bytes.size() / tensor.shape[0];
  const bool grow = random.below(2) == 0;
  tensor.shape[0] += grow ? 1 : std::uint64_t{0} - 1;
  bytes.resize(grow ? bytes.size() + row : bytes.size() - row);
}

void mutate_tensor(Tensors& tensors, std::deque<std::string>& owned, Random& random,
                   const MutateBytes& mutate) {
  auto& [name, tensor] = any_of(tensors, random);
  std::string bytes(tensor.bytes);
  switch (random.below(8)) {
    case 0:
      tensors.erase(std::string(name));
      return;
    case 1:
      tensor = Tensor(any_of(tensors, random).second);
      return;
    case 2:
      change_length(tensor, bytes, random);
      break;
    case 3:
      bytes = mutate(bytes, bytes.size());
      bytes.resize(tensor.bytes.size());
      break;
    default:
      if (!bytes.empty()) change_element(tensor, bytes, random);
  }
  owned.push_back(std::move(bytes));
  tensor.bytes = owned.back();
}

}  // namespace

std::string mutate_model(const std::string& bytes, Random& random, const MutateBytes& mutate) {
  TensorFile file;
  try {
    file = read_safetensors(FileContent::from_string(bytes, "data"));
  } catch (const Error&) {
    return mutate(bytes, longest_input);
  }
  if (file.tensors.empty() || random.below(16) == 0) return mutate(bytes, longest_input);
  std::deque<std::string> owned;
  if (random.below(2) == 0) {
    mutate_tensor(file.tensors, owned, random, mutate);
  } else if (json model = try_parse_json(file.metadata["model"]); model.is_discarded()) {
    file.metadata["model"] = mutate(file.metadata["model"], longest_input);
  } else {
    mutate_json(model, random, mutate);
    file.metadata["model"] = model.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  try {
    return safetensors_bytes(file.tensors, file.metadata);
  } catch (const json::exception&) {  // a text that is not UTF-8
    return bytes;
  }
}

}  // namespace mmo::fuzz
