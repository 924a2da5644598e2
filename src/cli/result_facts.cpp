// Provenance of results.
#include "percuss/cli/result_facts.h"

#include <fmt/format.h>

#include <filesystem>

#include "percuss/cli/program.h"
#include "percuss/recording/facts.h"
#include "percuss/report/picture.h"

namespace percuss::cli {

namespace fs = std::filesystem;

recording::Facts result_facts(const model::Compiled& compiled) {
  const model::Model& m = compiled.model;
  std::string overrides;
  for (const std::string& o : m.provenance.overrides) overrides += o + "\n";
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : m.provenance.text + overrides)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  std::string contacts, events;
  for (const model::Contact& c : m.contacts) contacts += c.name + "\n";
  for (const model::Event& e : m.events) events += e.name + "\n";
  return {{"program", "percuss"},
          {"version", version_number()},
          {"build", build_text()},
          {"title", m.provenance.title},
          {"scene_file", fs::path(m.provenance.source).filename().string()},
          {"scene_text", m.provenance.text},
          {"scene_overrides", overrides},
          {"scene_hash", fmt::format("{:016x}", hash)},
          {"integrator", std::string(compiled.settings.integrator->key)},
          {"tolerance", fmt::format("{}", compiled.settings.tolerance)},
          {"contacts", contacts},
          {"picture", report::replay_picture(m)},
          {"events", events}};
}

}  // namespace percuss::cli
