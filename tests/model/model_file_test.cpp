#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "mmo/core/error.h"
#include "mmo/model/model.h"
#include "mmo/model/safetensors.h"
#include "model/random_model.h"
#include "support/paths.h"

namespace mmo {
namespace {

using MapKind = FeatureMap::Kind;

class ModelFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("mmo-model-file-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "model.mmo").string(); }

  [[nodiscard]] std::string content() const {
    std::ifstream in(path(), std::ios::binary);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
  }
  // The message with which these bytes, or the file, are refused; empty if they are a model.
  static std::string refusal(const std::string& bytes) {
    try {
      (void)load_model(FileContent::from_string(bytes, "bytes"));
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  }
  [[nodiscard]] std::string refusal() const { return refusal(content()); }

  std::filesystem::path folder_;
};

// Bit by bit, so that NaN and −0 count too.
std::string bits(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.metric.name, b.metric.name);
  EXPECT_EQ(a.metric.average, b.metric.average);
  EXPECT_EQ(a.metric.ratios, b.metric.ratios);
  EXPECT_TRUE(a.metric.zero_division == b.metric.zero_division ||
              (std::isnan(a.metric.zero_division) && std::isnan(b.metric.zero_division)));
  EXPECT_EQ(a.label_names, b.label_names);
  ASSERT_EQ(a.text.has_value(), b.text.has_value());
  if (a.text) {
    EXPECT_EQ(a.text->vocabulary(), b.text->vocabulary());
    EXPECT_EQ(bits(a.text->idf()), bits(b.text->idf()));
    EXPECT_EQ(a.text->options().min_n, b.text->options().min_n);
    EXPECT_EQ(a.text->options().max_n, b.text->options().max_n);
    EXPECT_EQ(a.text->options().min_df, b.text->options().min_df);
    EXPECT_EQ(a.text->options().max_df, b.text->options().max_df);
    EXPECT_EQ(a.text->options().sublinear_tf, b.text->options().sublinear_tf);
    EXPECT_EQ(a.text->options().lowercase, b.text->options().lowercase);
    EXPECT_EQ(a.text->options().max_features, b.text->options().max_features);
  }
  EXPECT_EQ(a.encoder.raw_columns, b.encoder.raw_columns);
  EXPECT_EQ(bits(a.encoder.fill), bits(b.encoder.fill));
  ASSERT_EQ(a.encoder.columns.size(), b.encoder.columns.size());
  for (std::size_t k = 0; k < a.encoder.columns.size(); ++k) {
    EXPECT_EQ(a.encoder.columns[k].name, b.encoder.columns[k].name);
    EXPECT_EQ(a.encoder.columns[k].categories, b.encoder.columns[k].categories);
  }
  EXPECT_EQ(a.feature_map.kind, b.feature_map.kind);
  EXPECT_EQ(bits(a.feature_map.centre), bits(b.feature_map.centre));
  EXPECT_EQ(bits(a.feature_map.scale), bits(b.feature_map.scale));
  EXPECT_EQ(bits(a.feature_map.offset), bits(b.feature_map.offset));
  EXPECT_EQ(a.feature_map.knots, b.feature_map.knots);
  EXPECT_EQ(bits(a.feature_map.knot_values), bits(b.feature_map.knot_values));
  EXPECT_EQ(bits(a.feature_map.knot_scores), bits(b.feature_map.knot_scores));
  EXPECT_EQ(a.weights.rows, b.weights.rows);
  EXPECT_EQ(a.weights.cols, b.weights.cols);
  EXPECT_EQ(bits(a.weights.values), bits(b.weights.values));
  EXPECT_EQ(bits(a.bias), bits(b.bias));
  ASSERT_EQ(a.mix.has_value(), b.mix.has_value());
  if (a.mix) {
    EXPECT_EQ(a.mix->scale, b.mix->scale);
    EXPECT_EQ(a.mix->shift, b.mix->shift);
    EXPECT_EQ(bits(a.mix->centre), bits(b.mix->centre));
    EXPECT_EQ(a.mix->weights.rows, b.mix->weights.rows);
    EXPECT_EQ(bits(a.mix->weights.values), bits(b.mix->weights.values));
  }
  EXPECT_EQ(a.rule.kind, b.rule.kind);
  EXPECT_EQ(bits(a.rule.thresholds), bits(b.rule.thresholds));
  EXPECT_EQ(a.rule.ratio, b.rule.ratio);
  EXPECT_EQ(a.rule.min_labels, b.rule.min_labels);
  EXPECT_EQ(a.rule.max_labels, b.rule.max_labels);
  EXPECT_EQ(a.history, b.history);
}

TEST_F(ModelFile, BytesAreThoseOfTheFile) {
  Random random(5);
  const Model model = random_model({.map = MapKind::standardise, .mix = true}, random);
  save_model(model, path(), false);
  EXPECT_EQ(model_bytes(model), content());
}

TEST_F(ModelFile, RoundTripOfEveryKind) {
  Random random(1);
  for (const MapKind map : {MapKind::identity, MapKind::standardise, MapKind::arcsinh, MapKind::rank_gauss,
                            MapKind::l2_rows, MapKind::idf_l2, MapKind::sqrt_l2}) {
    for (const auto rule : {DecisionRule::Kind::thresholds, DecisionRule::Kind::expected_count}) {
      const Model model = random_model({.map = map,
                                        .mix = map == MapKind::arcsinh,
                                        .rule = rule,
                                        .min_labels = 1,
                                        .max_labels = 4,
                                        .infinite_thresholds = true},
                                       random);
      save_model(model, path(), true);
      expect_same(load_model(path()), model);
    }
  }
}

TEST_F(ModelFile, RoundTripOfOtherLearners) {
  Random random(4);
  const Model model = random_model({.map = MapKind::standardise, .mix = true, .others = true}, random);
  save_model(model, path(), true);
  const Model loaded = load_model(path());
  expect_same(loaded, model);
  ASSERT_EQ(loaded.others.size(), model.others.size());
  const DenseMatrix x = random_features(50, 7, random);
  EXPECT_EQ(bits(score(loaded, x).values), bits(score(model, x).values));
  EXPECT_EQ(model_bytes(loaded), content());
}

// What a learner's arrays promise is checked before a row is scored.
TEST_F(ModelFile, DamagedLearnersAreRefused) {
  Random random(4);
  const Model healthy = random_model({.others = true}, random);
  const std::vector<std::function<void(Model&)>> damages{
      [](Model& m) { m.others[0].weights.pop_back(); },
      [](Model& m) { m.others[1].weights[0] = std::numeric_limits<float>::infinity(); },
      [](Model& m) { std::get<KernelScorer>(m.others[0].scorer).kernel.decay = -1; },
      [](Model& m) { std::get<KernelScorer>(m.others[0].scorer).landmarks = DenseMatrix(3, 11, 1.0F); },
      [](Model& m) { std::get<ForestScorer>(m.others[2].scorer).columns = 8; },
      [](Model& m) { std::get<ForestScorer>(m.others[2].scorer).child[0] = 9; },
      [](Model& m) { std::get<ForestScorer>(m.others[3].scorer).feature[4] = 7; },
  };
  for (std::size_t k = 0; k < damages.size(); ++k) {
    Model model = healthy;
    damages[k](model);
    save_model(model, path(), true);
    EXPECT_THROW((void)load_model(path()), ModelError) << k;
  }
}

TEST_F(ModelFile, RoundTripOfNamesMetricTextAndEncoder) {
  Random random(2);
  Model model = random_model({.columns = 6, .labels = 3}, random);
  model.label_names = {"naïve \"quoted\"", "日本語\n\t", std::string("latin-1 \xe9 and \0 nul", 20)};
  model.metric = {
      "macro:(3*TP)/(3*TP+FP+2*FN)",
      Average::macro,
      {{{1, 2, 3, 4}, {0.1, 0.2, 0.3, 1e-300}}, {{1, 0, 0, 0}, {1, 1, 1, 0}}, {{0, 0, 0, 1}, {1, 1, 1, 1}}},
      std::numeric_limits<double>::quiet_NaN()};
  model.encoder.raw_columns = 4;
  model.encoder.columns = {{"länge", {}}, {"", {}}, {"colour", {"röd", "", "blå"}}, {"x", {}}};
  model.encoder.fill = {0.5F, -0.0F, -1, 2};
  model.history["nested"] = {{"λ", {0.1, 0.2}}, {"text", "ü"}};
  save_model(model, path(), false);
  expect_same(load_model(path()), model);

  model.text = Vectorizer({.min_n = 1, .max_n = 2, .min_df = 3, .max_df = 0.1, .sublinear_tf = false},
                          {"a b", "ab", "été", "東京", "東京 x", "ω"}, {1, 2, 3, 4, 5, 6});
  model.encoder = {};
  model.rule.kind = DecisionRule::Kind::expected_count;
  model.rule.thresholds.clear();
  save_model(model, path(), true);
  expect_same(load_model(path()), model);
}

TEST_F(ModelFile, MostlyZeroWeightsAreStoredSparse) {
  Random random(3);
  Model model = random_model({.columns = 400, .labels = 30}, random);
  for (std::size_t e = 0; e < model.weights.values.size(); ++e) {
    if (e % 10 != 0) model.weights.values[e] = 0;
  }
  save_model(model, path(), false);
  const TensorFile file = read_safetensors(FileContent::open(path()));
  EXPECT_EQ(file.tensors.count("weights"), 0U);
  EXPECT_EQ(file.tensors.at("weights.values").shape, (std::vector<std::uint64_t>{1200}));
  expect_same(load_model(path()), model);
}

TEST_F(ModelFile, EveryTruncationIsRefused) {
  Random random(4);
  save_model(random_model({.columns = 3, .labels = 2, .map = MapKind::standardise}, random), path(), false);
  const std::string whole = content();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    ASSERT_NE(refusal(whole.substr(0, length)), "") << length << " of " << whole.size() << " bytes";
  }
  EXPECT_NE(refusal(whole + '\0'), "");
  EXPECT_EQ(refusal(whole), "");
}

TEST_F(ModelFile, FlippedBytesAreRefusedOrHarmless) {
  Random random(5);
  const Model model = random_model({.columns = 4, .labels = 3, .map = MapKind::arcsinh, .mix = true}, random);
  save_model(model, path(), false);
  const std::string whole = content();
  std::size_t refused = 0;
  constexpr std::size_t trials = 4000;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    std::string altered = whole;
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips) {
      altered[random.below(altered.size())] ^= static_cast<char>(1 + random.below(255));
    }
    if (!refusal(altered).empty()) {
      ++refused;
    } else {
      expect_same(load_model(FileContent::from_string(altered, "bytes")), model);
      ASSERT_FALSE(HasFailure()) << "trial " << trial;
    }
  }
  EXPECT_GT(refused, trials * 9 / 10);  // harmless: white space, and flips that undo each other
}

TEST_F(ModelFile, AnAlteredWeightNamesTheChecksum) {
  Random random(6);
  save_model(random_model({}, random), path(), false);
  std::string bytes = content();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_NE(refusal(bytes).find("altered"), std::string::npos) << refusal(bytes);
}

// Rewrites the metadata and tensors of a good file, with a correct checksum.
template <class Edit>
void rewrite(const std::string& path, const Edit& edit) {
  TensorFile file = read_safetensors(FileContent::open(path));
  edit(file);
  write_safetensors(path, file.tensors, file.metadata, true);
}

TEST_F(ModelFile, VersionsAndForeignFiles) {
  Random random(7);
  save_model(random_model({}, random), path(), false);
  rewrite(path(), [](TensorFile& file) {
    EXPECT_EQ(file.metadata["format_version"], "1");  // linear models stay readable by older programs
  });
  rewrite(path(), [](TensorFile& file) { file.metadata["format_version"] = "99"; });
  EXPECT_NE(refusal().find("newer mmo"), std::string::npos) << refusal();
  for (const char* version : {"0", "-1", "x", "", "99999999999999999999"}) {
    rewrite(path(), [&](TensorFile& file) { file.metadata["format_version"] = version; });
    EXPECT_NE(refusal().find("not a version"), std::string::npos) << refusal();
  }
  rewrite(path(), [](TensorFile& file) { file.metadata.clear(); });
  EXPECT_NE(refusal().find("not a model of mmo"), std::string::npos) << refusal();
  EXPECT_NE(refusal("@relation emotions\n@attribute a numeric\n").find("not a usable model file"),
            std::string::npos);
}

// A file written by the first release: every later one must read it and score alike.
TEST(OldModelFile, Format1StaysReadable) {
  const auto path = std::filesystem::path(test::test_folder()) / "model" / "golden" / "format1.mmo";
  const Model model = load_model(path.string());
  EXPECT_EQ(model.metric.name, "micro-f1");
  EXPECT_EQ(model.label_names, (std::vector<std::string>{"été", "two"}));
  EXPECT_EQ(model.encoder.columns[1].categories, (std::vector<std::string>{"red", "blue"}));
  EXPECT_EQ(model.history["lambda"], 0.625);
  DenseMatrix x(2, 3);
  x.values = {1, 0, 1, -3, 1, 0};
  const std::vector<float> expected{0.809851825F, -3.03202033F, -2.04326391F, -2.36726308F};
  const DenseMatrix scores = score(model, x);
  for (std::size_t e = 0; e < 4; ++e) EXPECT_NEAR(scores.values[e], expected[e], 1e-5);  // float32 roundings
  EXPECT_EQ(predict(model, x).indices, (std::vector<std::uint32_t>{0, 0}));
}

TEST_F(ModelFile, PartsThatDoNotFitTogetherAreRefused) {
  Random random(8);
  const Model model = random_model({.map = MapKind::rank_gauss, .mix = true}, random);
  save_model(model, path(), false);
  const Tensors tensors = read_safetensors(FileContent::open(path())).tensors;
  for (const auto& entry : tensors) {
    save_model(model, path(), true);
    rewrite(path(), [&](TensorFile& file) { file.tensors.erase(entry.first); });
    EXPECT_NE(refusal(), "") << "without " << entry.first;
    save_model(model, path(), true);
    rewrite(path(), [&](TensorFile& file) {
      Tensor& tensor = file.tensors[entry.first];
      tensor = {Dtype::u8, {tensor.bytes.size(), 1, 1}, tensor.bytes};
    });
    EXPECT_NE(refusal(), "") << "another type for " << entry.first;
  }
  // one label name too few, a descending offset, a kind that does not exist
  save_model(model, path(), true);
  const std::vector<std::int64_t> offsets{0, 9, 3, 27, 35};
  rewrite(path(), [&](TensorFile& file) {
    file.tensors["labels.offsets"] = tensor_view(std::span<const std::int64_t>(offsets), {5});
  });
  EXPECT_NE(refusal().find("out of order"), std::string::npos) << refusal();
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"rank-gauss", "rank-gauzz"},
                                 {"\"min_labels\"", "\"min_lobels\""},
                                 {"\"knots\":", "\"knots\":1"},
                                 {"\"average\":\"micro\"", "\"average\":\"mikro\""},
                                 {"\"kind\":\"thresholds\"", "\"kind\":\"thresh\""},
                                 {"\"raw_columns\":7", "\"raw_columns\":70000000000000"},
                                 {"{", "["}}) {
    save_model(model, path(), true);
    rewrite(path(), [&, &find = from, &with = to](TensorFile& file) {
      std::string& text = file.metadata["model"];
      const std::size_t at = text.find(find);
      ASSERT_NE(at, std::string::npos) << find;
      text.replace(at, find.size(), with);
    });
    EXPECT_NE(refusal(), "") << from;
  }
}

// With a checksum that is right: the file was written so.
TEST_F(ModelFile, ValuesThatAreNotFiniteAreRefusedInEveryTensor) {
  Random random(12);
  Model model = random_model({.map = MapKind::rank_gauss, .mix = true}, random);
  model.rule.thresholds[0] = std::numeric_limits<float>::infinity();  // never: means something
  save_model(model, path(), false);
  EXPECT_EQ(refusal(), "");
  const TensorFile good = read_safetensors(FileContent::open(path()));
  std::size_t tried = 0;
  for (const auto& [name, tensor] : good.tensors) {
    if (tensor.bytes.empty() || (tensor.dtype != Dtype::f32 && tensor.dtype != Dtype::f64)) continue;
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      if (name == "rule.thresholds" && std::isinf(bad)) continue;
      std::string bytes(tensor.bytes);
      const auto single = static_cast<float>(bad);
      if (tensor.dtype == Dtype::f32) {
        std::memcpy(bytes.data(), &single, sizeof single);
      } else {
        std::memcpy(bytes.data(), &bad, sizeof bad);
      }
      save_model(model, path(), true);
      rewrite(path(), [&, &key = name](TensorFile& file) { file.tensors[key].bytes = bytes; });
      EXPECT_NE(refusal().find(name), std::string::npos) << name << " holds " << bad << ": " << refusal();
      ++tried;
    }
  }
  EXPECT_GT(tried, 10U);
  for (const char* number : {"1e300", "-1e300"}) {  // beyond float: infinite
    save_model(model, path(), true);
    rewrite(path(), [&](TensorFile& file) {
      std::string& text = file.metadata["model"];
      const std::size_t at = text.find("\"scale\":") + 8;
      text.replace(at, text.find_first_of(",}", at) - at, number);
    });
    EXPECT_NE(refusal().find("label mix"), std::string::npos) << refusal();
  }
  save_model(model, path(), true);
  rewrite(path(), [](TensorFile& file) {
    std::string& text = file.metadata["model"];
    const std::size_t at = text.find("\"zero_division\":") + 16;
    text.replace(at, text.find_first_of(",}", at) - at, "7");
  });
  EXPECT_NE(refusal().find("0/0"), std::string::npos) << refusal();
}

TEST_F(ModelFile, SparseWeightsOutsideTheMatrixOrMemoryAreRefused) {
  Random random(9);
  Model model = random_model({.columns = 10, .labels = 4}, random);
  std::fill(model.weights.values.begin() + 1, model.weights.values.end(), 0.0F);
  save_model(model, path(), false);
  const std::vector<std::int32_t> column{4};
  rewrite(path(), [&](TensorFile& file) {
    file.tensors["weights.columns"] = tensor_view(std::span<const std::int32_t>(column), {1});
  });
  EXPECT_NE(refusal().find("outside"), std::string::npos) << refusal();
  // 2^20 rows × 2^20 labels: 4 TB from a file of 12 MB
  const std::vector<std::int64_t> offsets((1U << 20U) + 1, 0);
  const std::vector<float> bias(1U << 20U, 0.0F);
  const std::vector<float> none;
  const std::vector<std::int64_t> no_names{0};
  rewrite(path(), [&](TensorFile& file) {
    file.tensors["weights.offsets"] = tensor_view(std::span<const std::int64_t>(offsets), {offsets.size()});
    file.tensors["weights.columns"] = tensor_view(std::span<const std::int32_t>(column).first(0), {0});
    file.tensors["weights.values"] = tensor_view(std::span<const float>(none), {0});
    file.tensors["labels.offsets"] = tensor_view(std::span<const std::int64_t>(no_names), {1});
    file.tensors["labels.bytes"] = {Dtype::u8, {0}, {}};
    file.tensors["bias"] = tensor_view(std::span<const float>(bias), {bias.size()});
  });
  EXPECT_NE(refusal().find("memory"), std::string::npos) << refusal();
}

TEST_F(ModelFile, NothingIsOverwrittenAndFullDisksAreReported) {
  Random random(10);
  const Model model = random_model({}, random);
  save_model(model, path(), false);
  const std::string before = content();
  EXPECT_THROW(save_model(model, path(), false), IoError);
  EXPECT_THROW(export_onnx(model, path(), false), IoError);
  EXPECT_EQ(content(), before);
  EXPECT_THROW(save_model(model, (folder_ / "missing" / "m").string(), false), IoError);
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_THROW(save_model(model, "/dev/full", true), IoError);
    EXPECT_THROW(export_onnx(model, "/dev/full", true), IoError);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  }
  EXPECT_THROW((void)load_model((folder_ / "absent").string()), IoError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);  // no temporary left
}

}  // namespace
}  // namespace mmo
