// Pictures: JPEG files to normalised channels of a given size.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mmo::deep {

struct Image {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // height × width × 3
};

// Grey or colour JPEG, but not CMYK. Throws DataError naming `source` if the file is damaged or cut short.
[[nodiscard]] Image decode_jpeg(std::string_view bytes, const std::string& source);

// (value − mean) / scale per channel, values 0 … 255.
struct Normalisation {
  std::array<float, 3> mean{}, scale{1, 1, 1};
};
inline constexpr Normalisation imagenet_normalisation{{123.675F, 116.28F, 103.53F},
                                                      {58.395F, 57.12F, 57.375F}};
inline constexpr Normalisation lite_normalisation{{127, 127, 127}, {128, 128, 128}};

inline constexpr std::size_t image_size = 224;

// Writes 3 × size × size floats. Interpolation is linear; for reduction the triangle widens by the same
// factor (as in Pillow's BILINEAR), so that small versions of large pictures do not alias.
void resize_into(const Image& image, std::size_t size, const Normalisation& normalisation, bool flip,
                 float* out);

}  // namespace mmo::deep
