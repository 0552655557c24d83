#include "mmo/model/safetensors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "mmo/core/error.h"

namespace mmo {
namespace {

class Safetensors : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("mmo-safetensors-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path() const { return (folder_ / "file").string(); }

  // A file with this header and this many bytes of data.
  void write(const std::string& header, std::size_t data, std::uint64_t announced) const {
    std::ofstream out(path(), std::ios::binary);
    out.write(reinterpret_cast<const char*>(&announced), sizeof announced);
    out << header << std::string(data, '\0');
  }
  void write(const std::string& header, std::size_t data) const { write(header, data, header.size()); }

  // The message with which the file is refused; empty if it is read.
  [[nodiscard]] std::string refusal() const {
    try {
      (void)read_safetensors(FileContent::open(path()));
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  }
  void expect_refused(const std::string& header, std::size_t data, const std::string& reason) const {
    write(header, data);
    EXPECT_NE(refusal().find(reason), std::string::npos) << header << "\n" << refusal();
  }

  std::filesystem::path folder_;
};

TEST_F(Safetensors, RoundTrip) {
  const std::vector<float> floats{1.5F, -2, 0};
  const std::vector<std::int64_t> numbers{1, 2};
  const std::vector<unsigned char> bytes{7};
  const std::vector<double> none;
  const std::string name = "größe \"\\\n 漢字";
  Tensors tensors;
  tensors["bytes"] = tensor_view(std::span<const unsigned char>(bytes), {1});
  tensors[name] = tensor_view(std::span<const float>(floats), {1, 3});
  tensors["numbers"] = tensor_view(std::span<const std::int64_t>(numbers), {2});
  tensors["empty"] = tensor_view(std::span<const double>(none), {0, 4});
  write_safetensors(path(), tensors, {{"key", "värde"}}, false);

  const TensorFile file = read_safetensors(FileContent::open(path()));
  file.verify_checksum();
  EXPECT_EQ(file.metadata.at("key"), "värde");
  ASSERT_EQ(file.tensors.size(), 4U);
  for (const auto& [key, tensor] : tensors) {
    const Tensor& read = file.tensors.at(key);
    EXPECT_EQ(read.dtype, tensor.dtype);
    EXPECT_EQ(read.shape, tensor.shape);
    EXPECT_EQ(read.bytes, tensor.bytes);
    // every tensor is aligned for its type
    EXPECT_EQ(
        static_cast<std::size_t>(read.bytes.data() - file.content.bytes().data()) % dtype_size(read.dtype),
        0U);
  }
}

TEST_F(Safetensors, AcceptsWhatTheStandardAllows) {
  write(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   )", 4);
  EXPECT_EQ(refusal(), "");
  write("{}", 0);
  EXPECT_EQ(refusal(), "");
}

TEST_F(Safetensors, RefusesBrokenHeaders) {
  write("{}", 0, 3);
  EXPECT_NE(refusal().find("announce a header of 3 bytes"), std::string::npos) << refusal();
  write("{}", 0, ~std::uint64_t{0});
  EXPECT_NE(refusal().find("announce a header"), std::string::npos) << refusal();
  write("", 0, 0);
  EXPECT_NE(refusal().find("not a JSON object"), std::string::npos) << refusal();
  expect_refused("[]", 0, "not a JSON object");
  expect_refused("{\"a\":", 0, "not valid JSON");
  expect_refused("{\"\xff\":1}", 0, "not valid JSON");
  expect_refused(R"({"__metadata__":{"a":1}})", 0, "not a string");
  expect_refused(R"({"__metadata__":[]})", 0, "metadata");
  expect_refused("{" + std::string(100000, '['), 0, "not valid JSON");
}

TEST_F(Safetensors, RefusesBrokenTensors) {
  expect_refused(R"({"a":3})", 0, "'a'");
  expect_refused(R"({"a":{"dtype":"F32","shape":[1]}})", 4, "'a'");
  expect_refused(R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})", 4, "F31");
  expect_refused(R"({"a":{"dtype":4,"shape":[1],"data_offsets":[0,4]}})", 4, "no dtype");
  expect_refused(R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})", 4, "'shape'");
  expect_refused(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "-1");
  expect_refused(R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4, "1.0");
  expect_refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4, "[0]");
  expect_refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, "[4,0]");
  expect_refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4, "does not have 4 bytes");
  expect_refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4, "outside the 4 bytes");
}

TEST_F(Safetensors, RefusesAbsurdSizes) {
  // 2^62 · 4 and 2^32 · 2^32 · 4 bytes overflow to 0
  expect_refused(R"({"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}})", 0,
                 "does not have");
  expect_refused(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0,
                 "does not have");
  expect_refused(R"({"a":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,4]}})", 4,
                 "not a count");
  expect_refused(
      R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[18446744073709551607,18446744073709551615]}})", 9,
      "outside");
}

TEST_F(Safetensors, RefusesOverlapsGapsAndRepeatedNames) {
  const std::string a = R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  expect_refused("{" + a + R"(,"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})", 6,
                 "begins at 2 where 4");
  expect_refused("{" + a + R"(,"b":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}})", 6,
                 "begins at 5 where 4");
  expect_refused("{" + a + "}", 5, "end at 4 but the file has 5");
  expect_refused("{" + a + "," + a + "}", 4, "'a' twice");
  expect_refused(R"({"__metadata__":{"k":"1","k":"2"}})", 0, "'k' twice");
}

TEST_F(Safetensors, ChecksumCoversMetadataNamesAndBytes) {
  const std::vector<float> values{1, 2};
  Tensors tensors;
  tensors["a"] = tensor_view(std::span<const float>(values), {2});
  write_safetensors(path(), tensors, {{"key", "one"}}, false);
  const TensorFile good = read_safetensors(FileContent::open(path()));
  good.verify_checksum();
  TensorFile bad = good;
  bad.metadata["key"] = "two";
  EXPECT_THROW(bad.verify_checksum(), ModelError);
  bad = good;
  bad.tensors["a"].shape = {1, 2};
  EXPECT_THROW(bad.verify_checksum(), ModelError);
  bad = good;
  bad.tensors["b"] = bad.tensors["a"];
  EXPECT_THROW(bad.verify_checksum(), ModelError);
  bad = good;
  bad.metadata.erase("crc32");
  EXPECT_THROW(bad.verify_checksum(), ModelError);
}

}  // namespace
}  // namespace mmo
