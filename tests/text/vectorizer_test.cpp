#include "mmo/text/vectorizer.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"

namespace mmo {
namespace {

const std::vector<std::string> corpus{
    "The cocoa harvest in Bahia: cocoa prices rose.", "Oil prices fell; crude oil at 15.6 dlrs",
    "Crude oil exports rose, oil prices rose", "", "Élan ÉLAN élan naïve prices"};

// Expected numbers are scikit-learn's, printed with seven decimals; ours are single precision.
constexpr float tolerance = 2e-7F;

void expect_row(const CsrMatrix& x, std::size_t i, const std::vector<std::uint32_t>& indices,
                const std::vector<float>& values) {
  const auto row = x.row_indices(i);
  ASSERT_EQ(std::vector<std::uint32_t>(row.begin(), row.end()), indices) << "row " << i;
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(x.row_values(i)[k], values[k], tolerance);
}

// TfidfVectorizer(sublinear_tf=True, min_df=2)
TEST(Vectorizer, AgreesWithScikitLearn) {
  const Vectorizer vectorizer = Vectorizer::fit(corpus, {});
  EXPECT_EQ(vectorizer.vocabulary(), (std::vector<std::string>{"crude", "oil", "prices", "rose"}));
  const std::vector<float> idf{1.6931472F, 1.6931472F, 1.1823216F, 1.6931472F};
  for (std::size_t k = 0; k < idf.size(); ++k) EXPECT_NEAR(vectorizer.idf()[k], idf[k], tolerance);
  const CsrMatrix x = vectorizer.transform(corpus);
  ASSERT_EQ(x.rows, 5U);
  ASSERT_EQ(x.cols, 4U);
  expect_row(x, 0, {2, 3}, {0.5725255F, 0.8198869F});
  expect_row(x, 1, {0, 1, 2}, {0.4792228F, 0.8113947F, 0.3346404F});
  expect_row(x, 2, {0, 1, 2, 3}, {0.3721327F, 0.6300755F, 0.2598596F, 0.6300755F});
  expect_row(x, 3, {}, {});
  expect_row(x, 4, {2}, {1.0F});
}

// TfidfVectorizer(min_df=1, max_df=0.5, ngram_range=(1, 2))
TEST(Vectorizer, NgramsAgreeWithScikitLearn) {
  TextOptions options;
  options.max_n = 2;
  options.min_df = 1;
  options.max_df = 0.5;
  options.sublinear_tf = false;
  const Vectorizer vectorizer = Vectorizer::fit(corpus, options);
  ASSERT_EQ(vectorizer.vocabulary().size(), 35U);
  EXPECT_EQ(vectorizer.vocabulary()[1], "15 dlrs");
  EXPECT_EQ(vectorizer.vocabulary()[34], "élan élan");
  const CsrMatrix x = vectorizer.transform(corpus);
  expect_row(x, 2, {9, 10, 12, 13, 22, 24, 25, 27, 28, 29},
             {0.2347574F, 0.2347574F, 0.2909757F, 0.2909757F, 0.4695148F, 0.2909757F, 0.2347574F, 0.2347574F,
              0.4695148F, 0.2909757F});
  expect_row(x, 4, {20, 21, 32, 33, 34}, {0.25F, 0.25F, 0.75F, 0.25F, 0.5F});
}

TEST(Vectorizer, MaxFeaturesKeepsTheMostFrequent) {
  TextOptions options;
  options.min_df = 1;
  options.max_features = 3;  // prices and oil occur four times, rose and élan three: rose comes first
  EXPECT_EQ(Vectorizer::fit(corpus, options).vocabulary(),
            (std::vector<std::string>{"oil", "prices", "rose"}));
}

TEST(Vectorizer, StoredPartsGiveTheSameRows) {
  const Vectorizer fitted = Vectorizer::fit(corpus, {});
  const Vectorizer stored(fitted.options(), fitted.vocabulary(), fitted.idf());
  EXPECT_EQ(stored.transform(corpus).values, fitted.transform(corpus).values);
  EXPECT_EQ(stored.transform({"unseen words only"}).nonzeros(), 0U);
  EXPECT_EQ(stored.transform({}).rows, 0U);
}

// A model file may hold any number.
TEST(Vectorizer, StoredNgramsThatMakeNoSenseAreRefused) {
  for (const auto& [from, to] : {std::pair(0, 1), std::pair(-1, 1), std::pair(2, 1)}) {
    TextOptions options;
    options.min_n = from;
    options.max_n = to;
    EXPECT_THROW(Vectorizer(options, {"a"}, {1.0F}), UsageError) << from << " " << to;
  }
  TextOptions huge;
  huge.max_n = std::numeric_limits<int>::max();  // as many as a document has words
  EXPECT_EQ(Vectorizer(huge, {"two", "two words"}, {1.0F, 1.0F}).transform({"two words"}).nonzeros(), 2U);
}

TEST(Vectorizer, DoesNotDependOnThreads) {
  Random random(3);
  std::vector<std::string> documents(5000);
  for (std::string& document : documents) {
    const std::uint64_t length = random.below(20);
    for (std::uint64_t k = 0; k < length; ++k) document += fmt::format("w{} ", random.below(400));
  }
  TextOptions options;
  options.max_n = 2;
  options.max_features = 700;
  const auto rows = [&](int count) {
    set_threads(count);
    const Vectorizer vectorizer = Vectorizer::fit(documents, options);
    return std::make_tuple(vectorizer.vocabulary(), vectorizer.idf(), vectorizer.transform(documents).indices,
                           vectorizer.transform(documents).values);
  };
  const auto one = rows(1);
  const auto four = rows(4);
  set_threads(0);
  EXPECT_EQ(one, four);
  EXPECT_EQ(std::get<0>(one).size(), 700U);
}

TEST(Vectorizer, ErrorsSayWhatToDo) {
  TextOptions ngrams;
  ngrams.min_n = 2;
  EXPECT_THROW((void)Vectorizer::fit(corpus, ngrams), UsageError);
  TextOptions share;
  share.max_df = 1.5;
  EXPECT_THROW((void)Vectorizer::fit(corpus, share), UsageError);
  TextOptions rare;
  rare.min_df = 9;
  EXPECT_THROW((void)Vectorizer::fit(corpus, rare), DataError);
  EXPECT_THROW((void)Vectorizer::fit({}, {}), DataError);
  EXPECT_THROW(Vectorizer({}, {"a", "b"}, {1.0F}), ModelError);
  EXPECT_THROW(Vectorizer({}, {"a", "a"}, {1.0F, 1.0F}), ModelError);
}

}  // namespace
}  // namespace mmo
