#include "mmo/core/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"
#include "mmo/core/mapped_file.h"
#include "mmo/core/random.h"
#include "mmo/core/write_target.h"

namespace mmo {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, removed afterwards.
class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "mmo-file-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  [[nodiscard]] std::string raw(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  void save(const std::string& name, const std::string& text) const {
    AtomicFile file(path(name), true);
    file.write(text);
    file.commit();
  }
  [[nodiscard]] std::string load(const std::string& name) const {
    return std::string(FileContent::open(path(name)).bytes());
  }

  fs::path folder_;
};

template <class E>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another error: ") + error.what();
  }
  return "no error";
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" not in: " << text;
}

std::string noise(std::size_t bytes) {
  Random random(7);
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>('a' + random.below(9));
  return text;
}

TEST_F(FileTest, PlainGzipAndZstdComeBack) {
  const std::string text = noise(5'000'003);  // several blocks of every kind
  for (const std::string name : {"a.txt", "a.txt.gz", "a.txt.zst"}) {
    save(name, text);
    EXPECT_EQ(load(name), text) << name;
  }
  EXPECT_EQ(raw("a.txt"), text);
  EXPECT_LT(raw("a.txt.gz").size(), text.size());
  EXPECT_LT(raw("a.txt.zst").size(), text.size());
}

TEST_F(FileTest, CompressionIsRecognisedByContentNotName) {
  save("a.gz", "hello");
  fs::rename(path("a.gz"), path("a.txt"));
  EXPECT_EQ(load("a.txt"), "hello");
  put("plain.gz", "not compressed");
  EXPECT_EQ(load("plain.gz"), "not compressed");
}

TEST_F(FileTest, EmptyFiles) {
  for (const std::string name : {"e", "e.gz", "e.zst"}) {
    save(name, "");
    EXPECT_EQ(load(name), "") << name;
  }
}

TEST_F(FileTest, GzipMembersAndZstdFramesAreJoined) {
  for (const std::string ending : {".gz", ".zst"}) {
    save("a" + ending, "first ");
    save("b" + ending, "second");
    put("c" + ending, raw("a" + ending) + raw("b" + ending));
    EXPECT_EQ(load("c" + ending), "first second");
  }
  put("padded.gz", raw("a.gz") + std::string(512, '\0'));
  EXPECT_EQ(load("padded.gz"), "first ");
}

TEST_F(FileTest, DamagedCompressionIsNamed) {
  const std::string text = noise(300'000);
  for (const std::string name : {"a.gz", "a.zst"}) {
    save(name, text);
    const std::string whole = raw(name);
    for (const std::size_t keep : {std::size_t{6}, whole.size() / 2, whole.size() - 1}) {
      put(name, whole.substr(0, keep));
      const std::string message = message_of<DataError>([&] { FileContent::open(path(name)); });
      expect_contains(message, path(name));
      expect_contains(message, "truncated");
    }
    std::string flipped = whole;
    flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 0x55);
    put(name, flipped);
    expect_contains(message_of<DataError>([&] { FileContent::open(path(name)); }), "corrupt");
    put(name, whole + "rubbish");
    expect_contains(message_of<DataError>([&] { FileContent::open(path(name)); }), "corrupt");
  }
}

TEST_F(FileTest, MissingFileAndFolderAreIoErrors) {
  const std::string missing = message_of<IoError>([&] { FileContent::open(path("none")); });
  expect_contains(missing, path("none"));
  expect_contains(missing, "No such file");
  expect_contains(message_of<IoError>([&] { FileContent::open(folder_.string()); }), "Is a directory");
}

TEST_F(FileTest, UnreadableFileIsIoError) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  put("secret", "x");
  chmod(path("secret").c_str(), 0);
  expect_contains(message_of<IoError>([&] { FileContent::open(path("secret")); }), "Permission denied");
}

TEST_F(FileTest, PipesAndSystemFilesAreDrained) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    std::ofstream(path("pipe")) << noise(3'000'000);
    _exit(0);
  }
  EXPECT_EQ(load("pipe"), noise(3'000'000));
  EXPECT_FALSE(FileContent::open("/proc/self/status").bytes().empty());
}

TEST_F(FileTest, StandardInputIsDash) {
  put("in", "from standard input");
  const int saved = dup(STDIN_FILENO);
  ASSERT_NE(freopen(path("in").c_str(), "r", stdin), nullptr);
  const FileContent content = FileContent::open("-");
  dup2(saved, STDIN_FILENO);
  close(saved);
  EXPECT_EQ(content.bytes(), "from standard input");
  EXPECT_EQ(content.name(), "standard input");
}

TEST_F(FileTest, ContentOutlivesItsSource) {
  save("a", "kept");
  FileContent copy = FileContent::from_string("", "nothing");
  {
    const FileContent content = FileContent::open(path("a"));
    copy = content;
  }
  fs::remove(path("a"));
  EXPECT_EQ(copy.bytes(), "kept");
}

TEST_F(FileTest, NothingAppearsWithoutCommit) {
  {
    AtomicFile file(path("a"), false);
    file.write(noise(3'000'000));
    EXPECT_EQ(entries(), 1U);  // the temporary file
    EXPECT_FALSE(fs::exists(path("a")));
  }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(FileTest, ExistingFileIsReplacedOnlyWhenAsked) {
  put("a", "old");
  const std::string refused = message_of<ExistsError>([&] { AtomicFile(path("a"), false); });
  EXPECT_EQ(refused, path("a") + " exists");  // how to ask for more, the program and Python say
  {
    AtomicFile abandoned(path("a"), true);
    abandoned.write("half");
  }
  EXPECT_EQ(raw("a"), "old");
  save("a", "new");
  EXPECT_EQ(raw("a"), "new");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, ReplacingKeepsModeAndFollowsLinks) {
  put("a", "old");
  chmod(path("a").c_str(), 0640);
  fs::create_symlink(path("a"), path("link"));
  save("link", "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(raw("a"), "new");
  EXPECT_EQ(static_cast<unsigned>(fs::status(path("a")).permissions()), 0640U);
}

TEST_F(FileTest, UnwritableTargetsAreNamed) {
  const std::string lost = message_of<IoError>([&] { AtomicFile(path("no/such/folder"), false); });
  expect_contains(lost, path("no/such/folder"));
  expect_contains(lost, "No such file");
  expect_contains(message_of<IoError>([&] { AtomicFile(folder_.string(), true); }), "it is a folder");
}

TEST(FullDisk, IsReportedOnDevices) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const std::string message = message_of<IoError>([] {
    AtomicFile file("/dev/full", false);
    file.write("some bytes");
    file.commit();
  });
  expect_contains(message, "/dev/full");
  expect_contains(message, "No space left");
}

TEST_F(FileTest, ShortWritesAreReportedAndLeaveNothing) {
  // A limit on the file size makes write() stop half-way and then fail, as a full disk does.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1'000'000;
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = message_of<IoError>([&] { save("big", noise(3'000'000)); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  expect_contains(message, path("big"));
  expect_contains(message, "File too large");
  EXPECT_EQ(entries(), 0U);
}

// The readers work in blocks of 1 MiB; a stream may end exactly with one.
TEST_F(FileTest, PackedSizesAroundWholeBlocksComeBack) {
  constexpr std::size_t block = std::size_t{1} << 20;
  for (const std::string name : {"a.gz", "a.zst"}) {
    for (const std::size_t size : {std::size_t{1}, block - 1, block, block + 1, 2 * block, 3 * block}) {
      const std::string text = noise(size);
      save(name, text);
      EXPECT_EQ(load(name), text) << name << " " << size;
      save("empty" + name, "");
      put("joined", raw("empty" + name) + raw(name) + raw("empty" + name) + raw(name));
      EXPECT_EQ(load("joined"), text + text) << name << " " << size;
    }
  }
}

TEST_F(FileTest, SkippableZstdFramesAreSkipped) {
  save("a.zst", "hello");
  const std::string frame("\x51\x2a\x4d\x18\x04\x00\x00\x00junk", 12);  // pzstd begins its files so
  put("b.zst", frame + raw("a.zst") + frame);
  EXPECT_EQ(load("b.zst"), "hello");
}

TEST_F(FileTest, AFileThatIsShortenedIsAnErrorAndNoCrash) {
  const std::string text = noise(3'000'000);
  put("a", text);
  const FileContent content = FileContent::open(path("a"));
  EXPECT_EQ(if_unchanged(content.bytes(), content.name(), [&] { return content.bytes() == text; }), true);
  fs::resize_file(path("a"), 1'000'000);
  EXPECT_EQ(content.bytes().substr(0, 1'000'000), std::string_view(text).substr(0, 1'000'000));
  EXPECT_EQ(content.bytes().back(), '\0');  // raised SIGBUS
  expect_contains(message_of<IoError>([&] { throw_if_changed(content.bytes(), content.name()); }),
                  "changed while it was read");
  expect_contains(message_of<IoError>([&] {
                    (void)if_unchanged(content.bytes(), content.name(),
                                       [&]() -> int { throw DataError("rubbish"); });
                  }),
                  "changed while it was read");
  put("small", "text");
  const FileContent small = FileContent::open(path("small"));
  fs::resize_file(path("small"), 0);
  EXPECT_EQ(small.bytes(), "text");
}

TEST_F(FileTest, MoreFilesThanCanBeMappedAreRead) {
  const std::string text = noise(1'500'000);
  put("a", text);
  std::vector<FileContent> many;
  for (int k = 0; k < 70; ++k) many.push_back(FileContent::open(path("a")));
  for (const FileContent& content : many) EXPECT_EQ(content.bytes(), text);
}

TEST_F(FileTest, TheStartOfAFileIsEnough) {
  const std::string text = noise(5'000'000);
  for (const std::string name : {"a", "a.gz", "a.zst"}) {
    save(name, text);
    const FileContent start = FileContent::open_start(path(name), 1'000'000);
    EXPECT_GE(start.bytes().size(), 1'000'000U) << name;
    EXPECT_LT(start.bytes().size(), text.size()) << name;
    EXPECT_TRUE(text.starts_with(start.bytes())) << name;
  }
}

TEST_F(FileTest, UnpackingIsLimited) {
  const std::string zeros(10'000'000, '\0');
  for (const std::string name : {"a.gz", "a.zst"}) {
    save(name, zeros);
    set_input_limit(9'000'000);
    expect_contains(message_of<DataError>([&] { FileContent::open(path(name)); }), "--max-input");
    set_input_limit(10'000'000);
    EXPECT_EQ(load(name), zeros);
    set_input_limit(0);
    EXPECT_EQ(load(name), zeros);
  }
}

TEST_F(FileTest, WhatAppearedMeanwhileIsNotReplaced) {
  AtomicFile first(path("a"), false);
  AtomicFile second(path("a"), false);
  first.write("first");
  second.write("second");
  first.commit();
  expect_contains(message_of<IoError>([&] { second.commit(); }), "exists (another run wrote it meanwhile)");
  EXPECT_EQ(raw("a"), "first");
}

TEST_F(FileTest, FilesOfASetAppearTogether) {
  put("old", "old");
  FileSet set;
  {
    AtomicFile a(path("old"), true, &set);
    AtomicFile b(path("new"), false, &set);
    AtomicFile c(path("late"), false, &set);
    for (AtomicFile* file : {&a, &b, &c}) {
      file->write("new");
      file->commit();
    }
  }
  EXPECT_EQ(raw("old"), "old");
  EXPECT_FALSE(fs::exists(path("new")));
  put("late", "of another run");
  EXPECT_THROW(set.commit(), IoError);
  EXPECT_EQ(raw("old"), "old");
  EXPECT_FALSE(fs::exists(path("new")));
  EXPECT_EQ(raw("late"), "of another run");

  FileSet again;
  for (const std::string name : {"old", "new"}) {
    AtomicFile file(path(name), true, &again);
    file.write("new");
    file.commit();
  }
  again.commit();
  EXPECT_EQ(raw("old") + raw("new"), "newnew");
}

TEST_F(FileTest, LinksToNothingAndReadOnlyFiles) {
  fs::create_symlink("target", path("link"));
  save("link", "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(raw("target"), "new");
  chmod(path("target").c_str(), 0444);
  expect_contains(message_of<IoError>([&] { save("link", "newer"); }), "read-only");
  EXPECT_EQ(raw("target"), "new");
}

TEST_F(FileTest, DashIsStandardOutput) {
  ::testing::internal::CaptureStdout();
  {
    AtomicFile file("-", false);
    file.write("printed");
    file.commit();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "printed");
}

}  // namespace
}  // namespace mmo
