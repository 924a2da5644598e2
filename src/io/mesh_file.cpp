// Both formats are tiny; what cannot be a mesh is refused with the line or byte where it stops making sense.
#include "percuss/io/mesh_file.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "percuss/base/words.h"
#include "percuss/io/files.h"

namespace percuss::io {

namespace {

constexpr std::uintmax_t kMostBytes = 64 << 20;

Result<Mesh> read_binary_stl(const std::string& bytes, const std::string& name) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  if (bytes.size() != 84 + std::uintmax_t{count} * 50)
    return Diagnostic{{name},
                      "a binary STL of " + std::to_string(count) + " triangles has " +
                          std::to_string(84 + std::uintmax_t{count} * 50) + " bytes, this file " +
                          std::to_string(bytes.size())};
  Mesh mesh;
  for (std::uint32_t k = 0; k < count; ++k) {
    float numbers[9];
    std::memcpy(numbers, bytes.data() + 84 + std::size_t{k} * 50 + 12, sizeof numbers);
    for (std::size_t v = 0; v < 9; v += 3) {
      const Vec3 p{numbers[v], numbers[v + 1], numbers[v + 2]};
      if (!std::isfinite(p.x + p.y + p.z))
        return Diagnostic{{name}, "triangle " + std::to_string(k + 1) + " has a corner that is not a number"};
      mesh.vertices.push_back(p);
    }
    const int first = static_cast<int>(3 * k);
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

Result<Mesh> read_text_mesh(const std::string& text, const std::string& name, bool obj) {
  Mesh mesh;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word)) continue;
    const Where here{name, number, 1};
    if (word == (obj ? "v" : "vertex")) {
      Vec3 p;
      if (!(words >> p.x >> p.y >> p.z) || !std::isfinite(p.x + p.y + p.z))
        return Diagnostic{here, "expected three numbers after " + in_quotes(word)};
      mesh.vertices.push_back(p);
      if (!obj && mesh.vertices.size() % 3 == 0) {
        const int last = static_cast<int>(mesh.vertices.size()) - 1;
        mesh.triangles.push_back({last - 2, last - 1, last});
      }
    } else if (obj && word == "f") {
      std::vector<int> corners;
      while (words >> word) {
        if (word.starts_with('#')) break;
        long index = 0;
        try {
          std::size_t end = 0;
          index = std::stol(word, &end);  // the number before the first /
          if (end < word.size() && word[end] != '/') throw std::invalid_argument(word);
        } catch (const std::exception&) {
          return Diagnostic{here, "a face lists numbers of vertices; found " + in_quotes(word)};
        }
        const long count = static_cast<long>(mesh.vertices.size());
        if (index < 0) index += count + 1;
        if (index < 1 || index > count)
          return Diagnostic{here, "a face names vertex " + word + "; there are " + std::to_string(count)};
        corners.push_back(static_cast<int>(index) - 1);
      }
      if (corners.size() < 3) return Diagnostic{here, "a face has at least three vertices"};
      for (std::size_t k = 1; k + 1 < corners.size(); ++k)
        mesh.triangles.push_back({corners[0], corners[k], corners[k + 1]});
    }
  }
  return mesh;
}

}  // namespace

Result<Mesh> read_mesh(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) return Diagnostic{{name}, "no such file" + similar_file(file)};
  if (size > kMostBytes) return Diagnostic{{name}, "the file is larger than 64 MiB"};
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::string ending = file.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending != ".stl" && ending != ".obj") return Diagnostic{{name}, "a mesh is a .stl or .obj file"};
  Result<Mesh> mesh =
      ending == ".obj" ? read_text_mesh(bytes, name, true)
      : bytes.size() >= 84 && (!bytes.starts_with("solid") || bytes.find("facet") == std::string::npos)
          ? read_binary_stl(bytes, name)
          : read_text_mesh(bytes, name, false);
  if (mesh && mesh->triangles.empty()) return Diagnostic{{name}, "the file has no triangles"};
  return mesh;
}

}  // namespace percuss::io
