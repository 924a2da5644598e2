// Replays a corpus and fixed mutations of it through a fuzz target.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void feed(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

std::string mutated(std::string text, std::mt19937& random) {
  const auto any = [&random](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  for (std::size_t k = 1 + any(4); k > 0; --k) {
    if (text.empty()) text = "x";
    switch (any(4)) {
      case 0: text[any(text.size())] = static_cast<char>(any(256)); break;
      case 1: text.erase(any(text.size()), 1 + any(8)); break;
      case 2: text.insert(any(text.size()), text.substr(any(text.size()), 1 + any(16))); break;
      default: text.insert(any(text.size() + 1), 1, "()+-*/^,:{}[]&*!\n\"'%e.0"[any(23)]); break;
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937 random(20240607);
  int count = 0;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
      feed(text);
      for (int k = 0; k < 200; ++k, ++count) feed(mutated(text, random));
    }
  std::printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
