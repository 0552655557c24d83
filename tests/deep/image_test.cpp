#include "deep/data/image.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "deep/data/coco.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"

namespace mmo::deep {
namespace {

constexpr float rounding = 1e-4F;
const Normalisation as_is{};

Image ramp(std::size_t width, std::size_t height) {
  Image image{width, height, {}};
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      for (const std::size_t value : {x, y, x + y}) image.rgb.push_back(static_cast<std::uint8_t>(value));
    }
  }
  return image;
}

std::vector<float> resized(const Image& image, std::size_t size, bool flip = false) {
  std::vector<float> out(3 * size * size);
  resize_into(image, size, as_is, flip, out.data());
  return out;
}

TEST(Resize, TheSameSizeChangesNothing) {
  const std::vector<float> out = resized(ramp(4, 4), 4);
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t x = 0; x < 4; ++x) {
      EXPECT_NEAR(out[y * 4 + x], static_cast<float>(x), rounding);
      EXPECT_NEAR(out[16 + y * 4 + x], static_cast<float>(y), rounding);
      EXPECT_NEAR(out[32 + y * 4 + x], static_cast<float>(x + y), rounding);
    }
  }
}

TEST(Resize, AFlipMirrorsColumns) {
  const std::vector<float> out = resized(ramp(4, 4), 4, true);
  EXPECT_NEAR(out[0], 3, rounding);
  EXPECT_NEAR(out[16 + 4], 1, rounding);  // rows stay
}

// Half the size: each output takes four inputs with the triangle's weights 1/8, 3/8, 3/8, 1/8; at the edge
// the first falls away.
TEST(Resize, ReducingUsesTheWidenedTriangle) {
  Image image{8, 8, std::vector<std::uint8_t>(8 * 8 * 3, 0)};
  for (std::size_t y = 0; y < 8; ++y) image.rgb[(y * 8 + 3) * 3] = 80;  // a red column
  const std::vector<float> out = resized(image, 4);
  EXPECT_NEAR(out[0], 0, rounding);
  EXPECT_NEAR(out[1], 80 * 3.0F / 8, rounding);
  EXPECT_NEAR(out[2], 80 * 1.0F / 8, rounding);
  EXPECT_NEAR(out[3], 0, rounding);
}

TEST(Resize, NormalisesEachChannel) {
  std::vector<float> out(3);
  resize_into({1, 1, {10, 20, 30}}, 1, {{1, 2, 3}, {3, 6, 9}}, false, out.data());
  EXPECT_EQ(out, (std::vector<float>{3, 3, 3}));
}

TEST(Jpeg, BytesThatAreNoPictureAreRefusedByName) {
  try {
    static_cast<void>(decode_jpeg("not a picture", "cat.jpg"));
    FAIL() << "accepted";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("cat.jpg"), std::string::npos);
  }
}

std::filesystem::path coco() { return std::filesystem::path(MMO_TEST_SHARED_DATA) / "coco-mini"; }

TEST(RealDataCoco, ReadsAnnotationsAndPictures) {
  if (!std::filesystem::exists(coco())) GTEST_SKIP() << "no coco-mini in ../shared/data";
  const Dataset data = read_coco((coco() / "annotations/instances_val2017.json").string());
  EXPECT_EQ(data.rows(), 79U);
  EXPECT_EQ(data.labels(), 80U);
  EXPECT_EQ(data.label_names[0], "person");
  const auto paths = picture_paths(data, (coco() / "val2017").string());
  const FileContent content = FileContent::open(paths[0]);
  const Image image = decode_jpeg(content.bytes(), paths[0]);
  EXPECT_EQ(image.rgb.size(), image.width * image.height * 3);
  EXPECT_THROW(
      static_cast<void>(decode_jpeg(content.bytes().substr(0, content.bytes().size() / 2), paths[0])),
      DataError);
}

std::string written(const std::string& text) {
  const std::string path = testing::TempDir() + "mmo_deep_coco.json";
  std::ofstream(path) << text;
  return path;
}

LoadOptions expecting(const std::vector<std::string>& labels) {
  LoadOptions options;
  if (!labels.empty()) options.expected_labels = labels;
  return options;
}

std::string error_of(const std::string& text, const std::vector<std::string>& expected = {}) {
  try {
    static_cast<void>(read_coco(written(text), expecting(expected)));
  } catch (const DataError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Coco, NamesWhatIsWrong) {
  const std::string head =
      R"({"categories": [{"id": 7, "name": "cat"}], "images": [{"id": 1, "file_name": "a.jpg"}], )";
  EXPECT_NE(error_of("{").find("JSON"), std::string::npos);
  EXPECT_NE(error_of("{}").find("categories"), std::string::npos);
  EXPECT_NE(error_of(head + R"("annotations": [{"id": 5, "image_id": 2, "category_id": 7}]})")
                .find("annotation 5 is of picture 2"),
            std::string::npos);
  EXPECT_NE(error_of(head + R"("annotations": [{"id": 5, "image_id": 1, "category_id": 8}]})")
                .find("unknown category 8"),
            std::string::npos);
  EXPECT_NE(error_of(head + R"("annotations": []})", {"dog"}).find("'cat'"), std::string::npos);
  const Dataset data =
      read_coco(written(head + R"("annotations": [{"id": 5, "image_id": 1, "category_id": 7}]})"),
                expecting({"dog", "cat"}));
  EXPECT_EQ(data.y.indices, (std::vector<std::uint32_t>{1}));
  EXPECT_THROW(static_cast<void>(picture_paths(data, "/nonexistent")), IoError);
}

}  // namespace
}  // namespace mmo::deep
