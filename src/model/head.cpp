// Names, provenance and a description.
#include "percuss/model/head.h"

#include <algorithm>

#include "percuss/base/hexadecimal.h"
#include "percuss/base/version.h"
#include "percuss/model/picture.h"
#include "percuss/model/rows.h"

namespace percuss::model {

namespace {

constexpr std::size_t kMostRedundantNamed = 12;

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

/// Of the start, where joints may be off.
int degrees_of_freedom(const Model& m) { return m.velocity_count - static_cast<int>(independent_rows(m).size()); }

/// The name alone: where the file stands is no part of what was computed.
std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

/// FNV-1a.
std::string scene_hash(const Provenance& p) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto mix = [&hash](const std::string& text) {
    for (const char c : text + "\n") hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  };
  mix(p.text);
  for (const std::string& o : p.overrides) mix(o);
  for (const std::string& i : p.inputs) mix(i);
  return hexadecimal(hash);
}

std::string describe(const Model& m) {
  std::size_t moving = 0, prescribed = 0;
  for (std::size_t i = 1; i < m.bodies.size(); ++i) (m.bodies[i].velocity_count > 0 ? moving : prescribed) += 1;
  std::string out = std::string(m.planar ? "planar" : "spatial") + ", " + counted(moving, "body", "bodies") + " (" +
                    counted(m.joints.size(), "joint", "joints") + "), " +
                    counted(static_cast<std::size_t>(std::max(degrees_of_freedom(m), 0)), "degree", "degrees") +
                    " of freedom";
  if (prescribed > 0) out += ", " + counted(prescribed, "body", "bodies") + " of prescribed motion";
  if (!m.contacts.empty()) out += ", " + counted(m.contacts.size(), "contact", "contacts");
  const auto redundant = m.redundant_rows();
  if (!redundant.empty()) {
    out += "\nredundant: " + std::to_string(redundant.size()) + " of " + std::to_string(m.rows.size()) +
           " rows follow from the others:";
    for (std::size_t i = 0; i < std::min(redundant.size(), kMostRedundantNamed); ++i) out += " " + redundant[i];
    if (redundant.size() > kMostRedundantNamed) out += " ...";
  }
  return out;
}

recording::Head head_of(const Model& m, const Settings& settings) {
  recording::Head head;
  head.program = "percuss";
  head.version = version_number();
  head.build = build_text();
  head.title = m.provenance.title;
  head.scene_file = file_name(m.provenance.source);
  head.scene_text = m.provenance.text;
  head.overrides = m.provenance.overrides;
  head.inputs = m.provenance.inputs;
  head.scene_hash = scene_hash(m.provenance);
  if (settings.integrator) head.integrator = std::string(settings.integrator->key);
  head.tolerance = settings.tolerance;
  head.model = describe(m);
  head.degrees_of_freedom = degrees_of_freedom(m);
  head.constraint_rows = static_cast<int>(m.rows.size());
  head.redundant_rows = m.redundant_rows();
  head.undetermined_reactions = m.undetermined_reactions;
  for (const Contact& c : m.contacts) head.contacts.push_back(c.name);
  for (const Event& e : m.events) head.events.push_back(e.name);
  head.warnings = m.warnings;
  head.picture = replay_picture(m);
  return head;
}

}  // namespace percuss::model
