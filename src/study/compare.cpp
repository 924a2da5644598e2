// Variants of a scene, run side by side.
#include "percuss/study/compare.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <span>

#include "percuss/base/words.h"
#include "percuss/contact/rows.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"

namespace percuss::study {

namespace {

/// The contact laws of a scene, those of clearance joints too.
std::vector<scene::ContactLaw*> laws_of(scene::Scene& scene) {
  std::vector<scene::ContactLaw*> out;
  for (scene::Contact& c : scene.contacts) out.push_back(&c.law);
  for (scene::Joint& j : scene.joints)
    if (j.contact) out.push_back(&*j.contact);
  for (scene::Joint& j : scene.joints)
    if (j.limits) out.push_back(&j.limits->law);
  return out;
}

const contact::DissipationRow* row_of(const std::string& word) {
  const contact::Alias* alias = contact::find_alias(word);
  return contact::find_dissipation(alias ? alias->key : std::string_view(word));
}

/// Another law for a contact. What the new one does not know is not asked of it.
void ask_for(scene::ContactLaw& contact, const std::string& key, contact::Calibration calibration) {
  contact.law_file.clear();
  contact.own_law.reset();
  contact.law.user_law.reset();
  contact.law.law = key;
  contact.law.release.reset();
  const contact::DissipationRow* row = row_of(key);
  const bool takes_restitution = row && row->restitution != contact::RestitutionUse::none;
  contact.law.calibration = takes_restitution ? calibration : contact::Calibration::published;
  if (!takes_restitution) contact.law.restitution.reset(), contact.law.restitution_of_speed.reset();
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

void simulate(ComparedRun& run, scene::Scene scene, const model::Model& as_it_is, bool with_horizon,
              const std::function<bool()>& go_on) {
  scene.outputs.in_contact = true;
  scene.outputs.horizon = scene.outputs.horizon || with_horizon;
  const Result<model::Compiled> compiled = model::compile(scene);
  if (!compiled) {
    run.refused = compiled.errors();
    return;
  }
  const model::Model* const model = &compiled->model;
  run.warnings = model->warnings;
  for (std::size_t i = 0; i < std::min(model->contact_kinds.size(), as_it_is.contact_kinds.size()); ++i) {
    const contact::LawSpec &own = model->contact_kinds[i].law.spec, &theirs = as_it_is.contact_kinds[i].law.spec;
    if (own.exponent == theirs.exponent || own.stiffness != theirs.stiffness) continue;
    run.other_stiffness = true;
    run.warnings.push_back("the number " + text_of(own.stiffness, 4) + " is a stiffness in " +
                           unit_of(dimension::stiffness(own.exponent)) + " here and in " +
                           unit_of(dimension::stiffness(theirs.exponent)) +
                           " in the scene: forces and indentations cannot be compared");
    break;
  }
  dynamics::Options options;
  options.keep_samples = true;
  options.go_on = [&go_on](double) { return go_on(); };
  const auto begin = std::chrono::steady_clock::now();
  run.recording = dynamics::simulate(*compiled, options);
  run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.warnings.insert(run.warnings.end(), run.recording.warnings.begin(), run.recording.warnings.end());
}

}  // namespace

std::string ComparedRun::law_name() const {
  std::string out = law;
  if (also.size() == 1) out += ", " + also.front();
  if (also.size() > 1) out += " and " + std::to_string(also.size()) + " more";
  return calibration.empty() ? out : out + " (" + calibration + ")";
}

std::string ComparedRun::name() const { return law_name() + (variant.empty() ? "" : ", " + variant); }

namespace {

/// Laws of one family that are calibrated by one function are one law: it is run once, under all their names.
bool same_as_before(const contact::DissipationRow& row, contact::Calibration calibration,
                    std::span<ComparedRun> runs) {
  const auto calibrator = [](const contact::DissipationRow& r, bool exact) {
    return exact ? r.exact.plain : r.published.plain;
  };
  const auto own = calibrator(row, calibration == contact::Calibration::exact);
  for (ComparedRun& run : runs) {
    const contact::DissipationRow* other = row_of(run.law);
    if (!own || !other || calibrator(*other, run.calibration == "exact") != own ||
        other->fixed_exponent != row.fixed_exponent || other->needs_power_law != row.needs_power_law ||
        other->release != row.release || other->jump != row.jump)
      continue;
    if (other != &row && std::ranges::find(run.also, row.key) == run.also.end()) run.also.emplace_back(row.key);
    return true;
  }
  return false;
}

/// Ranks within each variant, and means over all of them.
void rank(Comparison& c) {
  for (std::size_t i = 0; i < c.runs.size(); ++i)
    if (c.runs[i].ran()) c.ranking.push_back(i);
  std::map<std::string, std::size_t> variants;  // in the order of the request
  for (const ComparedRun& run : c.runs) variants.emplace(run.variant, variants.size());
  std::ranges::stable_sort(c.ranking, [&](std::size_t a, std::size_t b) {
    const ComparedRun &p = c.runs[a], &q = c.runs[b];
    if (p.variant != q.variant) return variants[p.variant] < variants[q.variant];
    const ComparedNumbers x = numbers_of(p), y = numbers_of(q);
    if (p.other_stiffness != q.other_stiffness) return q.other_stiffness;
    const bool has_x = !std::isnan(x.bias), has_y = !std::isnan(y.bias);
    if (has_x != has_y) return has_x;
    return has_x && x.bias != y.bias ? x.bias < y.bias : x.lost_J < y.lost_J;
  });
  std::map<std::string, int> ranked;
  for (const std::size_t i : c.ranking) c.runs[i].rank = ++ranked[c.runs[i].variant];
  if (variants.size() < 2) return;
  std::map<std::string, std::pair<OverallBias, std::size_t>> laws;
  for (const std::size_t i : c.ranking) {
    const ComparedRun& run = c.runs[i];
    const double bias = numbers_of(run).bias;
    if (std::isnan(bias) || run.other_stiffness) continue;
    auto& [overall, count] = laws[run.law_name()];
    overall.law = run.law_name();
    overall.mean += bias / static_cast<double>(variants.size());
    if (count++ == 0 || bias > overall.worst) overall.worst = bias, overall.worst_variant = run.variant;
  }
  for (const auto& [name, law] : laws)
    if (law.second == variants.size()) c.overall.push_back(law.first);
  std::ranges::stable_sort(c.overall, {}, &OverallBias::mean);
}

}  // namespace

ComparedNumbers numbers_of(const ComparedRun& run) {
  ComparedNumbers out;
  out.prescribed = out.delivered = out.bias = std::nan("");
  double sum = 0, weight = 0;  // late bounces, soon gravity's more than the law's, do not decide
  for (const recording::Impact& k : run.recording.impacts) {
    out.peak_N = std::max(out.peak_N, k.peak_force_N);
    out.depth_m = std::max(out.depth_m, k.peak_indentation_m);
    if (!k.delivered) continue;
    if (std::isnan(out.delivered)) {
      out.delivered = *k.delivered;
      out.prescribed = k.prescribed.value_or(std::nan(""));
    }
    if (!k.prescribed || !k.energetic) continue;
    const double energy = k.approach_speed_mps * k.approach_speed_mps;
    sum +=
        energy * std::abs(*k.energetic - *k.prescribed);  // a load changes the speeds, not what the law gives back
    weight += energy;
  }
  if (weight > 0) out.bias = sum / weight;
  out.impacts = run.recording.impact_count;
  out.horizon_s = run.recording.horizon ? run.recording.horizon->parted_s : std::nan("");
  const recording::Ledger& l = run.recording.ledger;
  out.lost_J = l.end.lost_J() - l.start.lost_J();
  out.energy_error = l.exchanged_J > 0 ? l.largest_error_J / l.exchanged_J : 0;
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
    Result<scene::Scene> scene = io::read_scene(request.scene_file, overrides, request.law_folder);
    if (!scene) return scene.errors();
    Result<model::Compiled> compiled = model::compile(*scene);
    if (!compiled) return compiled.errors();
    model::Model* const as_it_is = &compiled->model;
    if (as_it_is->contacts.empty())
      return Diagnostic{{request.scene_file}, "the scene has no contacts to compare laws in"};
    if (out.runs.empty()) {
      out.title = as_it_is->provenance.title;
      out.scene_text = as_it_is->provenance.text;
      out.planar = as_it_is->planar;
      for (const model::Contact& c : as_it_is->contacts) out.contacts.push_back(c.name);
    }
    const auto original = std::make_shared<const model::Model>(std::move(*as_it_is));
    const auto first_of_variant = static_cast<std::ptrdiff_t>(out.runs.size());
    for (const std::string& key : keys)
      for (const contact::Calibration calibration :
           {contact::Calibration::published, contact::Calibration::exact}) {
        const bool exact = calibration == contact::Calibration::exact;
        if (!(exact ? request.exact : request.published)) continue;
        const contact::DissipationRow* row = row_of(key);
        const bool both = request.published && request.exact;
        if (both && exact && (!row || !row->exact.plain)) continue;  // one calibration is all it has
        if (both && row && same_as_before(*row, calibration, {out.runs.begin() + first_of_variant, out.runs.end()}))
          continue;
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
                               simulate(out.runs[i], scenes[i], *originals[i], request.horizon, go_on);
                             });
  if (!whole) return Diagnostic{{"percuss"}, "interrupted"};

  rank(out);
  return out;
}

}  // namespace percuss::study
