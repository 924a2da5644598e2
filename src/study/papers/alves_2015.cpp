// Alves et al. 2015: eight laws on two aluminium spheres and on a steel ball against measurements.
#include <algorithm>
#include <limits>

#include "percuss/contact/stiffness.h"
#include "percuss/study/papers/collisions.h"

namespace percuss::study {

namespace {

constexpr NamedLaw kLaws[] = {{"hunt-crossley", "Hunt and Crossley, Marhefka and Orin"},
                              {"herbert-mcwhannell", "Herbert and McWhannell"},
                              {"lee-wang", "Lee and Wang"},
                              {"lankarani-nikravesh", "Lankarani and Nikravesh"},
                              {"gonthier", "Gonthier et al., Zhang and Sharf"},
                              {"zhiying-qishao", "Zhiying and Qishao"},
                              {"flores", "Flores et al."},
                              {"gharib-hurmuzlu", "Gharib and Hurmuzlu"}};

/// Section 4: equal spheres of 0.092 kg at 0.15 m/s each, K = 5.5e9, c = 0.7.
constexpr double kSpheres_kg = 0.046, kSpheres_mps = 0.3, kSpheresStiffness = 5.5e9, kSpheresRestitution = 0.7;

/// Tables 2 to 4: what was measured.
struct Test {
  const char *id, *name;
  double young_Pa, velocity_mps, restitution, measured_N;
};
constexpr Test kTests[] = {{"C1-0.094", "C1, 0.094 m/s", 213e9, 0.094, 0.974, 663.0},
                           {"C1-0.5", "C1, 0.5 m/s", 213e9, 0.5, 0.955, 4709.6},
                           {"C2-0.094", "C2, 0.094 m/s", 205e9, 0.094, 0.917, 660.2},
                           {"C2-0.5", "C2, 0.5 m/s", 205e9, 0.5, 0.757, 4364.6}};
/// The rows of Table 4; their numbers stand in expected.csv.
constexpr NamedLaw kTable4[] = {{"none", "Hertz"},
                                {"hunt-crossley", "Hunt and Crossley"},
                                {"herbert-mcwhannell", "Herbert and McWhannell"},
                                {"lee-wang", "Lee and Wang"},
                                {"lankarani-nikravesh", "Lankarani and Nikravesh"},
                                {"gonthier", "Gonthier et al., Zhang and Sharf"},
                                {"zhiying-qishao", "Zhiying and Qishao"},
                                {"flores", "Flores et al."}};

constexpr double kBall_kg = 0.54, kSteelBallRadius_m = 0.0254;

double stiffness_of(const Test& t) {
  return contact::hertz_stiffness(contact::effective_modulus_Pa(210e9, 0.30, t.young_Pa, 0.29), kSteelBallRadius_m);
}

Collided spheres(const std::string& law) {
  return collide({law, kSpheresRestitution, kSpheresStiffness, kSpheres_kg, kSpheres_mps});
}

void show_spheres(PaperWork& work) {
  const Collided hertz = spheres("none");
  double least = std::numeric_limits<double>::infinity(), most = 0;
  std::string least_key, most_key;
  char panel = 'a';
  for (const NamedLaw& law : kLaws) {
    const Collided c = spheres(law.key);
    if (c.outcome.lost_energy_J < least) least = c.outcome.lost_energy_J, least_key = law.key;
    if (c.outcome.lost_energy_J > most) most = c.outcome.lost_energy_J, most_key = law.key;
    work.ours["exit." + std::string(law.key)] = -c.outcome.restitution * kSpheres_mps;
    PaperCurve reference = force_over_depth("Hertz", hertz);
    reference.muted = true;
    work.figures.push_back({std::string("fig3") + panel,
                            std::string("Fig. 3") + panel + ": " + law.name,
                            "indentation",
                            "m",
                            "force",
                            "N",
                            {reference, force_over_depth(law.name, c)}});
    reference = rate_over_depth("Hertz", hertz);
    reference.muted = true;
    work.figures.push_back({std::string("fig4") + panel,
                            std::string("Fig. 4") + panel + ": " + law.name,
                            "indentation",
                            "m",
                            "velocity",
                            "m/s",
                            {reference, rate_over_depth(law.name, c)}});
    ++panel;
  }
  work.ours["exit.none"] = -hertz.outcome.restitution * kSpheres_mps;
  work.ours["least.lee-wang"] = least_key == "lee-wang";
  work.ours["most.gharib-hurmuzlu"] = most_key == "gharib-hurmuzlu";
}

void show_table_4(PaperWork& work) {
  PaperTable table{"table4",
                   "Table 4: peak force; errors against the measurement",
                   {"specimen and speed", "model", "measured (N)", "paper (N)", "ours (N)", "ours over paper (%)",
                    "error in the paper (%)", "our error (%)"},
                   {}};
  int figure = 6;
  for (const int t : {0, 2, 1, 3}) {  // Fig. 6 to 9: C1 and C2 at 0.094 m/s, then at 0.5 m/s
    const Test& test = kTests[t];
    PaperFigure f{"fig" + std::to_string(figure),
                  "Fig. " + std::to_string(figure) + ": " + test.name,
                  "time",
                  "s",
                  "force",
                  "N",
                  {},
                  "Dots: the peak force that was measured, at the time of ours (its own time is not stated)."};
    double peak_s = 0;
    for (const NamedLaw& row : kTable4) {
      const Collided c = collide({row.key, test.restitution, stiffness_of(test), kBall_kg, test.velocity_mps});
      const double ours = c.outcome.peak_force_N, error = 100 * (ours / test.measured_N - 1);
      const std::string entry = std::string(row.key) + "." + test.id;
      const double printed_N = work.paper["table4." + entry];
      work.ours["table4." + entry] = ours;
      work.ours["error." + entry] = error;
      table.rows.push_back({std::string(test.name), std::string(row.name), test.measured_N, printed_N, ours,
                            100 * (ours / printed_N - 1), work.paper["error." + entry], error});
      f.curves.push_back(force_over_time(row.name, c));
      peak_s = c.outcome.peak_force_time_s;
    }
    f.curves.push_back({"measured, peak", {peak_s}, {test.measured_N}, false, false, true});
    work.figures.push_back(std::move(f));
    work.ours["stiffness." + std::string(test.id, 2)] = stiffness_of(test);
    ++figure;
  }
  work.tables.push_back(std::move(table));
}

}  // namespace

std::optional<Diagnostic> work_on_alves_2015(PaperWork& work) {
  PaperFigure damping{"fig2", "Fig. 2: damping factor over restitution", "restitution", "", "chi v0/K", "", {}};
  for (const NamedLaw& law : kLaws) {
    PaperCurve curve{law.name, {}, {}};
    for (int i = 10; i <= 100; ++i) {
      curve.x.push_back(i / 100.0);
      curve.y.push_back(damping_factor(law.key, i / 100.0));
    }
    damping.curves.push_back(std::move(curve));
  }
  work.figures.push_back(std::move(damping));
  show_spheres(work);
  show_table_4(work);
  return std::nullopt;
}

}  // namespace percuss::study
