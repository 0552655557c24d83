#include "deep/data/image.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdio>

// After cstdio: jpeglib.h uses FILE without including it.
#include <jpeglib.h>

#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"

namespace mmo::deep {
namespace {

// libjpeg reports errors through callbacks that must not return; we jump back and throw from our own code.
struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

void on_error(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  info->err->format_message(info, errors->message);
  std::longjmp(errors->back, 1);
}

// Warnings ("premature end of file") mean damaged data: libjpeg would carry on with grey.
void on_message(j_common_ptr info, int level) {
  if (level < 0) on_error(info);
}

// No object with a destructor may live in this frame, because of longjmp. On failure returns false and sets
// errors.message.
bool decode(std::string_view bytes, JpegErrors& errors, jpeg_decompress_struct& info, Image& image) {
  if (setjmp(errors.back) != 0) return false;
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  image.width = info.output_width;
  image.height = info.output_height;
  if (image.width * image.height * 3 > input_limit(bytes.size())) {
    std::snprintf(errors.message, sizeof errors.message, "it announces %u x %u pixels; see --max-input",
                  info.output_width, info.output_height);
    return false;
  }
  image.rgb.resize(image.width * image.height * 3);
  while (info.output_scanline < info.output_height) {
    unsigned char* row = image.rgb.data() + std::size_t{info.output_scanline} * image.width * 3;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

// Which inputs contribute to one output of a line, and with what weights.
struct Tap {
  std::size_t first = 0;
  std::vector<float> weights;
};

std::vector<Tap> make_taps(std::size_t from, std::size_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double radius = std::max(scale, 1.0);
  std::vector<Tap> taps(to);
  for (std::size_t k = 0; k < to; ++k) {
    const double centre = (static_cast<double>(k) + 0.5) * scale;
    const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(centre - radius + 0.5)));
    const auto end = std::min(from, static_cast<std::size_t>(std::floor(centre + radius + 0.5)));
    taps[k].first = first;
    double sum = 0;
    for (std::size_t i = first; i < end; ++i) {
      const double weight = std::max(0.0, 1 - std::fabs(static_cast<double>(i) + 0.5 - centre) / radius);
      taps[k].weights.push_back(static_cast<float>(weight));
      sum += weight;
    }
    for (float& weight : taps[k].weights) weight = static_cast<float>(weight / sum);
  }
  return taps;
}

}  // namespace

Image decode_jpeg(std::string_view bytes, const std::string& source) {
  Image image;
  JpegErrors errors{};
  jpeg_decompress_struct info{};
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = on_error;
  errors.manager.emit_message = on_message;
  const bool complete = decode(bytes, errors, info, image);
  jpeg_destroy_decompress(&info);
  if (!complete)
    throw DataError(
        source, 0,
        fmt::format("not a usable JPEG picture: {}; repair or remove it, or leave such pictures out with "
                    "--skip-corrupt",
                    errors.message));
  return image;
}

void resize_into(const Image& image, std::size_t size, const Normalisation& normalisation, bool flip,
                 float* out) {
  const std::vector<Tap> across = make_taps(image.width, size);
  const std::vector<Tap> down = make_taps(image.height, size);
  std::vector<float> narrow(image.height * size * 3);  // height × size × 3
  for (std::size_t y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.rgb.data() + y * image.width * 3;
    for (std::size_t x = 0; x < size; ++x) {
      float* to = narrow.data() + (y * size + x) * 3;
      for (std::size_t k = 0; k < across[x].weights.size(); ++k) {
        const std::uint8_t* from = row + (across[x].first + k) * 3;
        for (std::size_t c = 0; c < 3; ++c) to[c] += across[x].weights[k] * static_cast<float>(from[c]);
      }
    }
  }
  for (std::size_t y = 0; y < size; ++y) {
    for (std::size_t x = 0; x < size; ++x) {
      std::array<float, 3> sum{};
      for (std::size_t k = 0; k < down[y].weights.size(); ++k) {
        const float* from = narrow.data() + ((down[y].first + k) * size + x) * 3;
        for (std::size_t c = 0; c < 3; ++c) sum[c] += down[y].weights[k] * from[c];
      }
      const std::size_t column = flip ? size - 1 - x : x;
      for (std::size_t c = 0; c < 3; ++c)
        out[(c * size + y) * size + column] = (sum[c] - normalisation.mean[c]) / normalisation.scale[c];
    }
  }
}

}  // namespace mmo::deep
