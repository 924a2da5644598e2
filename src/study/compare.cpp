// Variants of a scene, run side by side.
#include "percuss/study/compare.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "percuss/base/words.h"
#include "percuss/contact/rows.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/model/compile.h"
#include "percuss/scene/read.h"

namespace percuss::study {

namespace {

/// The contact laws of a scene, those of clearance joints too.
std::vector<scene::ContactLaw*> laws_of(scene::Scene& scene) {
  std::vector<scene::ContactLaw*> out;
  for (scene::Contact& c : scene.contacts) out.push_back(&c.law);
  for (scene::Joint& j : scene.joints)
    if (j.contact) out.push_back(&*j.contact);
  return out;
}

const contact::DissipationRow* row_of(const std::string& word) {
  const contact::Alias* alias = contact::find_alias(word);
  return contact::find_dissipation(alias ? alias->key : std::string_view(word));
}

/// Another law for a contact. What the new one does not know is not asked of it.
void ask_for(scene::ContactLaw& contact, const std::string& key, contact::Calibration calibration) {
  contact.law_file.clear();
  contact.law.user_law.reset();
  contact.law.law = key;
  contact.law.release.reset();
  const contact::DissipationRow* row = row_of(key);
  const bool takes_restitution = row && row->restitution != contact::RestitutionUse::none;
  contact.law.calibration = takes_restitution ? calibration : contact::Calibration::published;
  if (!takes_restitution) contact.law.restitution.reset();
  const auto has = [](const contact::DissipationRow& r, const std::string& name) {
    return std::ranges::any_of(r.parameters, [&](const contact::Parameter& own) { return own.name == name; });
  };
  std::erase_if(contact.parameters, [&](const auto& p) {
    const auto rows = contact::dissipation_rows();
    return !(row && has(*row, p.first)) &&
           std::ranges::any_of(rows, [&](const auto& r) { return has(r, p.first); });
  });
}

/// All combinations of the values, the first key slowest.
std::vector<std::vector<std::string>> variants_of(const CompareRequest& request) {
  std::vector<std::vector<std::string>> out{{}};
  for (const auto& [key, values] : request.varied) {
    std::vector<std::vector<std::string>> next;
    for (const std::vector<std::string>& before : out)
      for (const std::string& value : values) {
        next.push_back(before);
        next.back().push_back(key + "=" + value);
      }
    out = std::move(next);
  }
  return out;
}

void simulate(ComparedRun& run, const scene::Scene& scene, const model::Model& as_it_is,
              const std::function<bool()>& go_on) {
  Result<model::Model> model = model::compile(scene);
  if (!model) {
    run.refused = model.errors();
    return;
  }
  model->sample_in_contact = true;
  for (std::size_t i = 0; i < std::min(model->contact_kinds.size(), as_it_is.contact_kinds.size()); ++i) {
    const contact::LawSpec &own = model->contact_kinds[i].spec, &theirs = as_it_is.contact_kinds[i].spec;
    if (own.exponent == theirs.exponent || own.stiffness != theirs.stiffness) continue;
    run.other_stiffness = true;
    model->warnings.push_back("the number " + text_of(own.stiffness, 4) + " is a stiffness in " +
                              unit_of(dimension::stiffness(own.exponent)) + " here and in " +
                              unit_of(dimension::stiffness(theirs.exponent)) +
                              " in the scene: forces and depths cannot be compared");
    break;
  }
  recording::MemorySink sink;
  dynamics::Options options;
  options.sink = &sink;
  options.go_on = [&go_on](double) { return go_on(); };
  const auto begin = std::chrono::steady_clock::now();
  run.recording = dynamics::simulate(*model, options);
  run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.tables = sink.take();
  run.warnings = model->warnings;
  run.warnings.insert(run.warnings.end(), run.recording.warnings.begin(), run.recording.warnings.end());
}

}  // namespace

std::string ComparedRun::name() const {
  std::string out = law;
  if (!calibration.empty()) out += " (" + calibration + ")";
  if (!variant.empty()) out += ", " + variant;
  return out;
}

ComparedNumbers numbers_of(const ComparedRun& run) {
  ComparedNumbers out;
  out.wanted = out.delivered = out.miss = std::nan("");
  double sum = 0;
  long counted = 0;
  for (const recording::Impact& k : run.recording.impacts) {
    out.peak_N = std::max(out.peak_N, k.max_force_N);
    out.depth_m = std::max(out.depth_m, k.max_depth_m);
    if (!k.delivered) continue;
    if (std::isnan(out.delivered)) {
      out.delivered = *k.delivered;
      out.wanted = k.wanted.value_or(std::nan(""));
    }
    if (k.wanted) sum += std::abs(*k.delivered - *k.wanted), ++counted;
  }
  if (counted > 0) out.miss = sum / static_cast<double>(counted);
  out.impacts = run.recording.impact_count;
  const recording::Ledger& l = run.recording.ledger;
  out.lost_J = l.end.lost_J() - l.start.lost_J();
  out.gap = l.moved_J > 0 ? l.largest_gap_J / l.moved_J : 0;
  return out;
}

Result<Comparison> compare(const CompareRequest& request) {
  std::vector<Diagnostic> errors;
  std::vector<std::string> keys = request.laws;
  for (const std::string& key : keys)
    if (const auto words = contact::law_words(); std::ranges::find(words, key) == words.end())
      errors.push_back({{"--laws"}, "no law is called " + in_quotes(key) + did_you_mean(key, words)});
  if (keys.empty())
    for (const contact::DissipationRow& row : contact::dissipation_rows()) keys.emplace_back(row.key);
  if (!errors.empty()) return errors;

  Comparison out;
  out.scene_file = request.scene_file;
  out.overrides = request.overrides;
  std::vector<scene::Scene> scenes;                            // [run]
  std::vector<std::shared_ptr<const model::Model>> originals;  // [run] with the scene's own law
  for (const std::vector<std::string>& variant : variants_of(request)) {
    std::vector<std::string> overrides = request.overrides;
    overrides.insert(overrides.end(), variant.begin(), variant.end());
    Result<scene::Scene> scene = scene::read_scene(request.scene_file, overrides);
    if (!scene) return scene.errors();
    scene->law_folder = request.law_folder;
    Result<model::Model> as_it_is = model::compile(*scene);
    if (!as_it_is) return as_it_is.errors();
    if (as_it_is->contacts.empty())
      return Diagnostic{{request.scene_file}, "the scene has no contacts to compare laws in"};
    if (out.runs.empty()) {
      out.title = as_it_is->provenance.title;
      out.scene_text = as_it_is->provenance.text;
      out.planar = as_it_is->planar;
      for (const model::Contact& c : as_it_is->contacts) out.contacts.push_back(c.name);
    }
    const auto original = std::make_shared<const model::Model>(std::move(*as_it_is));
    for (const std::string& key : keys)
      for (const contact::Calibration calibration :
           {contact::Calibration::published, contact::Calibration::exact}) {
        const bool exact = calibration == contact::Calibration::exact;
        if (!(exact ? request.exact : request.published)) continue;
        const contact::DissipationRow* row = row_of(key);
        const bool both = request.published && request.exact;
        if (both && exact && (!row || !row->exact.plain)) continue;  // one calibration is all it has
        ComparedRun run;
        run.law = key;
        if (both) run.calibration = exact ? "exact" : "published";
        for (const std::string& v : variant) run.variant += (run.variant.empty() ? "" : ", ") + v;
        out.runs.push_back(std::move(run));
        scenes.push_back(*scene);
        originals.push_back(original);
        for (scene::ContactLaw* law : laws_of(scenes.back())) ask_for(*law, key, calibration);
      }
  }

  const bool whole = do_jobs(out.runs.size(), request.threads, request.go_on,
                             [&](std::size_t i, const std::function<bool()>& go_on) {
                               simulate(out.runs[i], scenes[i], *originals[i], go_on);
                             });
  if (!whole) return Diagnostic{{"percuss"}, "interrupted"};

  for (std::size_t i = 0; i < out.runs.size(); ++i)
    if (out.runs[i].ran()) out.ranking.push_back(i);
  std::ranges::stable_sort(out.ranking, [&](std::size_t a, std::size_t b) {
    const ComparedNumbers x = numbers_of(out.runs[a]), y = numbers_of(out.runs[b]);
    if (out.runs[a].other_stiffness != out.runs[b].other_stiffness) return out.runs[b].other_stiffness;
    const bool has_x = !std::isnan(x.miss), has_y = !std::isnan(y.miss);
    if (has_x != has_y) return has_x;
    return has_x && x.miss != y.miss ? x.miss < y.miss : x.lost_J < y.lost_J;
  });
  return out;
}

}  // namespace percuss::study
