// The bytes of a checkpoint, with a head line and a checksum.
#include "percuss/io/checkpoint_file.h"

#include <fstream>
#include <iterator>

#include "percuss/base/hexadecimal.h"
#include "percuss/io/checksum.h"
#include "percuss/io/files.h"

namespace percuss::io {

namespace {
constexpr std::string_view kHead = "# percuss checkpoint 1\n";
}

std::optional<Diagnostic> write_checkpoint(const std::filesystem::path& path, const CheckpointFile& c) {
  Writer out;
  for (const std::string* text : {&c.build, &c.scene, &c.settings}) out.put(*text);
  out.put(c.journal_size);
  out.put(c.state);
  out.put(c.observers);
  Checksum sum;
  sum.add(out.bytes().data(), out.bytes().size());
  std::string content(kHead);
  content += hexadecimal(sum.value()) + "\n";
  content.append(reinterpret_cast<const char*>(out.bytes().data()), out.bytes().size());
  return write_whole(path, content);
}

Result<CheckpointFile> read_checkpoint(const std::filesystem::path& path) {
  const auto fail = [&path](const std::string& text) { return Diagnostic{{path.string()}, text}; };
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail("there is no checkpoint to go on from");
  const std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::size_t begin = kHead.size() + 17;  // behind the checksum and its line
  if (!content.starts_with(kHead) || content.size() < begin) return fail("is not a checkpoint of this format");
  const auto* first = reinterpret_cast<const std::byte*>(content.data() + begin);
  const Bytes bytes(first, first + (content.size() - begin));
  Checksum sum;
  sum.add(bytes.data(), bytes.size());
  CheckpointFile c;
  Reader reader(bytes);
  if (content.compare(kHead.size(), 17, hexadecimal(sum.value()) + "\n") != 0 || !reader.get(c.build) ||
      !reader.get(c.scene) || !reader.get(c.settings) || !reader.get(c.journal_size) || !reader.get(c.state) ||
      !reader.get(c.observers) || !reader.is_whole())
    return fail("is damaged");
  return c;
}

std::vector<Diagnostic> differences(const std::filesystem::path& path, const CheckpointFile& kept,
                                    const CheckpointFile& now) {
  std::vector<Diagnostic> out;
  const auto compare = [&](const char* what, const std::string& a, const std::string& b) {
    if (a != b)
      out.push_back({{path.string()}, std::string(what) + " differs: the checkpoint has " + a + ", this run " + b});
  };
  compare("the program", kept.build, now.build);
  compare("the scene", kept.scene, now.scene);
  compare("the solver", kept.settings, now.settings);
  return out;
}

}  // namespace percuss::io
