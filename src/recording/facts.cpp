// One table of facts: each says how it is written and how it is read.
#include "percuss/recording/facts.h"

#include <algorithm>
#include <charconv>

#include "percuss/base/hexadecimal.h"
#include "percuss/base/units.h"

namespace percuss::recording {

namespace {

// ---- values as texts, and back; what cannot be read leaves the value as it was ----

std::string text(const std::string& v) { return v; }
std::string text(double v) { return text_of(v); }
std::string text(int v) { return std::to_string(v); }
std::string text(std::int64_t v) { return std::to_string(v); }
std::string text(std::uint64_t v) { return hexadecimal(v); }
std::string text(End v) { return std::string(word_of(v)); }
std::string text(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}
std::string text(const Energy& e) {
  std::string out;
  for (const EnergyTerm& term : kEnergyTerms) out += std::string(term.key) + " " + text_of(e.*term.value) + "\n";
  return out;
}

std::string text(const std::optional<Horizon>& h) {
  return h ? text_of(h->parted_s) + " " + text_of(h->largest_difference) + " " + h->against : "";
}

void read(const std::string& from, std::string& v) { v = from; }
template <class Number>
void read_number(const std::string& from, Number& v) {
  std::from_chars(from.data(), from.data() + from.size(), v);
}
void read(const std::string& from, double& v) { read_number(from, v); }
void read(const std::string& from, int& v) { read_number(from, v); }
void read(const std::string& from, std::int64_t& v) { read_number(from, v); }
void read(const std::string& from, std::uint64_t& v) {
  std::from_chars(from.data(), from.data() + from.size(), v, 16);
}
void read(const std::string& from, End& v) {
  for (const End end : {End::done, End::stopped_by_event, End::interrupted, End::failed})
    if (from == word_of(end)) v = end;
}
void read(const std::string& from, std::vector<std::string>& lines) {
  lines.clear();
  for (std::size_t begin = 0; begin < from.size();) {
    const std::size_t end = std::min(from.find('\n', begin), from.size());
    lines.push_back(from.substr(begin, end - begin));
    begin = end + 1;
  }
}
void read(const std::string& from, Energy& e) {
  std::vector<std::string> lines;
  read(from, lines);
  for (const std::string& line : lines)
    for (const EnergyTerm& term : kEnergyTerms)
      if (line.starts_with(std::string(term.key) + " ")) read(line.substr(term.key.size() + 1), e.*term.value);
}

void read(const std::string& from, std::optional<Horizon>& h) {
  if (from.empty()) return;
  const std::size_t first = from.find(' '), second = from.find(' ', first + 1);
  if (second == std::string::npos) return;
  h.emplace();
  read(from.substr(0, first), h->parted_s);
  read(from.substr(first + 1, second - first - 1), h->largest_difference);
  h->against = from.substr(second + 1);
}

// ---- the table ----

struct Fact {
  std::string_view name;
  bool opens;  // known before the first step
  std::string (*write)(const Recording&);
  void (*set)(const std::string&, Recording&);
};

#define PERCUSS_FACT(name, opens, member)                                   \
  Fact {                                                                    \
    name, opens, [](const Recording& r) { return text(r.member); },         \
        [](const std::string& from, Recording& r) { read(from, r.member); } \
  }
constexpr Fact kFacts[] = {
    PERCUSS_FACT("program", true, head.program),
    PERCUSS_FACT("version", true, head.version),
    PERCUSS_FACT("build", true, head.build),
    PERCUSS_FACT("title", true, head.title),
    PERCUSS_FACT("scene_file", true, head.scene_file),
    PERCUSS_FACT("scene_text", true, head.scene_text),
    PERCUSS_FACT("scene_overrides", true, head.overrides),
    PERCUSS_FACT("scene_inputs", true, head.inputs),
    PERCUSS_FACT("scene_hash", true, head.scene_hash),
    PERCUSS_FACT("integrator", true, head.integrator),
    PERCUSS_FACT("tolerance", true, head.tolerance),
    PERCUSS_FACT("model", true, head.model),
    PERCUSS_FACT("degrees_of_freedom", true, head.degrees_of_freedom),
    PERCUSS_FACT("constraint_rows", true, head.constraint_rows),
    PERCUSS_FACT("redundant_rows", true, head.redundant_rows),
    PERCUSS_FACT("undetermined_reactions", true, head.undetermined_reactions),
    PERCUSS_FACT("contacts", true, head.contacts),
    PERCUSS_FACT("events", true, head.events),
    PERCUSS_FACT("model_warnings", true, head.warnings),
    PERCUSS_FACT("picture", true, head.picture),
    PERCUSS_FACT("end", false, end),
    PERCUSS_FACT("failure", false, failure),
    PERCUSS_FACT("time_s", false, time_s),
    PERCUSS_FACT("steps", false, counts.steps),
    PERCUSS_FACT("rejected", false, counts.rejected),
    PERCUSS_FACT("evaluations", false, counts.evaluations),
    PERCUSS_FACT("near_singular", false, counts.near_singular),
    PERCUSS_FACT("handed_over", false, counts.handed_over),
    PERCUSS_FACT("events_located", false, counts.events),
    PERCUSS_FACT("event_evaluations", false, counts.event_evaluations),
    PERCUSS_FACT("position_residual", false, worst_position_residual),
    PERCUSS_FACT("velocity_residual", false, worst_velocity_residual),
    PERCUSS_FACT("impact_count", false, impact_count),
    PERCUSS_FACT("law_speed_raised", false, raised_count),
    PERCUSS_FACT("energy_start", false, ledger.start),
    PERCUSS_FACT("energy_end", false, ledger.end),
    PERCUSS_FACT("exchanged_J", false, ledger.exchanged_J),
    PERCUSS_FACT("largest_error_J", false, ledger.largest_error_J),
    PERCUSS_FACT("horizon", false, horizon),
    PERCUSS_FACT("warnings", false, warnings),
    PERCUSS_FACT("fingerprint", false, fingerprint),
};
#undef PERCUSS_FACT

Facts facts_of(const Recording& recording, bool opening) {
  Facts out;
  for (const Fact& f : kFacts)
    if (f.opens == opening) out.emplace_back(f.name, f.write(recording));
  return out;
}

}  // namespace

Facts opening_facts(const Head& head) {
  Recording r;
  r.head = head;
  return facts_of(r, true);
}

Facts closing_facts(const Recording& recording) {
  Facts out = facts_of(recording, false);
  out.emplace_back("status", recording.is_whole() ? "complete" : "partial");
  return out;
}

void set_facts(const Facts& facts, Recording& recording) {
  recording.end = End::killed;
  for (const auto& [name, value] : facts)
    for (const Fact& f : kFacts)
      if (f.name == name) f.set(value, recording);
}

}  // namespace percuss::recording
