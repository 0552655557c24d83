#include "mmo/comm/checkpoint.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "mmo/core/atomic_file.h"
#include "mmo/core/file.h"

namespace mmo {
namespace {

namespace fs = std::filesystem;

constexpr auto about_file = "about.txt";
constexpr auto ending = ".task";

void write_whole(const std::string& path, std::string_view content) {
  AtomicFile file(path, /*overwrite=*/true);
  file.write(content);
  file.commit();
}

}  // namespace

Checkpoint::Checkpoint(Communicator& processes, std::string folder, const std::string& work)
    : processes_(processes), folder_(std::move(folder)) {
  together(processes_, [&] {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (failed) throw IoError(fmt::format("{}: {}", folder_, failed.message()));
    const std::string about = (fs::path(folder_) / about_file).string();
    if (!fs::exists(about)) {
      if (!fs::is_empty(folder_))
        throw UsageError(folder_ + ": the folder of a checkpoint must be empty or not there yet");
      return;
    }
    const FileContent found = FileContent::open(about);
    if (found.bytes() != work)
      throw UsageError(
          fmt::format("{}: the checkpoint of other work: {}, not {}; name another folder or delete it",
                      folder_, found.bytes(), work));
  });
  if (processes_.rank() == 0) write_whole((fs::path(folder_) / about_file).string(), work);
}

std::string Checkpoint::file_of(std::uint64_t call, std::size_t task) const {
  return (fs::path(folder_) / fmt::format("{}-{}{}", call, task, ending)).string();
}

void Checkpoint::share(std::size_t count, const SharedTasks& tasks) {
  const std::uint64_t call = calls_++;
  SharedTasks kept = tasks;
  kept.solve = [&](std::size_t task) {
    const std::string path = file_of(call, task);
    if (fs::exists(path)) {
      const FileContent found = FileContent::open(path);
      ByteReader in(std::as_bytes(std::span(found.bytes())));
      return tasks.unpack(task, in);
    }
    tasks.solve(task);
    Bytes bytes;
    ByteWriter out(bytes);
    tasks.pack(task, out);
    write_whole(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  processes_.share(count, kept);
}

void remove_checkpoint(const std::string& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ending || entry.path().filename() == about_file)
      fs::remove(entry.path(), ignored);
  }
  fs::remove(folder, ignored);
}

}  // namespace mmo
