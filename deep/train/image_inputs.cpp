#include "deep/train/image_inputs.h"

#include "mmo/core/file.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"

namespace mmo::deep {

Batch ImageInputs::batch(std::span<const std::uint32_t> rows, std::uint64_t seed) const {
  constexpr auto side = static_cast<std::int64_t>(image_size);
  Batch out;
  out.images_NCHW = at::empty({static_cast<std::int64_t>(rows.size()), 3, side, side});
  auto* pixels = out.images_NCHW.data_ptr<float>();
  parallel_for(rows.size(), [&](std::size_t r) {
    const std::string& path = paths_[rows[r]];
    const bool flip = seed != 0 && Random(seed ^ (0x9e3779b97f4a7c15ULL * (rows[r] + 1))).uniform() < 0.5;
    const Image image = decode_jpeg(FileContent::open(path).bytes(), path);
    resize_into(image, image_size, normalisation_, flip, pixels + r * 3 * image_size * image_size);
  });
  return out;
}

}  // namespace mmo::deep
