// Every row of the dissipation table against its formula, typed here a second time from the literature, and against
// an integration of its own. A row without an entry here is not finished: see `entries`.
#include <numbers>

#include "free_collision.h"
#include "percuss/impact/map.h"
#include "sample_laws.h"

namespace percuss::tests {
namespace {

using std::exp;
using std::log;
using std::pow;
using std::sqrt;
using std::numbers::pi;

constexpr double K = kStiffness, m = kMass, v0 = kSpeed;

/// The root of a falling or rising function, by halving.
template <class Function>
double root(double low, double high, const Function& f) {
  const bool rises = f(high) > f(low);
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    ((f(middle) > 0) == rises ? high : low) = middle;
  }
  return (low + high) / 2;
}

// ---- what the families have in common

/// F = K x^1.5 (1 + a x'/v0).
ForceOfPaper proportional(double a) {
  return [a](double x, double rate, double, bool) { return K * pow(x, 1.5) * (1 + a * rate / v0); };
}
/// F = K x^n + chi x^p x'.
ForceOfPaper viscous(double n, double chi, double p) {
  return [=](double x, double rate, double, bool) { return K * pow(x, n) + chi * pow(x, p) * rate; };
}
/// Loading K x^n, unloading straight (n = 1) or as the power to the permanent indentation (1 - r) x_m.
ForceOfPaper indented(double n, double r, double a = 0) {
  return [=](double x, double rate, double deepest, bool) {
    const double left = (1 - r) * deepest,
                 y = x >= deepest ? x : deepest * std::max((x - left) / (r * deepest), 0.0);
    return K * pow(y, n) * (1 + a * rate / v0);
  };
}
/// F = K x^1.5 (1 + mu) in, (1 - mu) out.
ForceOfPaper dry(double mu) {
  return [mu](double x, double, double, bool in) { return K * pow(x, 1.5) * (in ? 1 + mu : 1 - mu); };
}

/// a(1 + c) = ln((1 + a)/(1 - a c)), solved for q = ln(1 - a c) (Gonthier et al. 2004; Carvalho and Martins 2019).
double exact_damping(double c) {
  const double q = root(-(2 + 2 / c), -1e-9, [c](double x) {
    const double a = -std::expm1(x) / c;
    return a * (1 + c) - std::log1p(a) + x;
  });
  return -std::expm1(q) / c;
}
/// Restitution of a damped oscillator, by damping ratio z < 1, at F = 0 (Schwager and Poschel 2007), and with
/// damping on the way in alone. At x = 0 it is c = exp(-pi z/sqrt(1 - z^2)), which can be solved for z.
double at_zero_force(double z) {
  const double w = sqrt(1 - z * z);
  return exp(-z / w * std::atan2(2 * z * w, 2 * z * z - 1));
}
double damped_inwards(double z) {
  if (z >= 1) {
    const double w = sqrt(z * z - 1), t = std::atanh(w / z) / w;
    return exp(-z * t) * std::sinh(w * t) / w;
  }
  const double w = sqrt(1 - z * z), t = std::atan2(w, z) / w;
  return exp(-z * t) * std::sin(w * t) / w;
}
double ratio_at_zero_depth(double c) { return -log(c) / std::hypot(pi, log(c)); }
double ratio_at_zero_force(double c) {
  return root(1e-9, 0.999999, [c](double z) { return c - at_zero_force(z); });
}

// ---- the entries

struct Entry {
  std::string key;
  std::function<ForceOfPaper(double c)> published;        // the paper's; c where the row takes one
  std::function<ForceOfPaper(double c)> exact = nullptr;  // delivers c; none where the row takes no restitution
  ForceOfPaper direct = nullptr;  // from its own parameters, where restitution is the alternative to them
  std::vector<std::pair<std::string, double>> parameters = {};  // of `direct`
};
Entry hunt_crossley_type(std::string key, double (*a)(double c)) {
  return {std::move(key), [a](double c) { return proportional(a(c)); },
          [](double c) { return proportional(exact_damping(c)); }};
}
ForceOfPaper dashpot(double c) { return viscous(1, 2 * ratio_at_zero_depth(c) * sqrt(K * m), 0); }
ForceOfPaper tsuji(double c) { return viscous(1.5, sqrt(5.0) * ratio_at_zero_depth(c) * sqrt(K * m), 0.25); }
ForceOfPaper jankowski(double xi) {
  return [xi](double x, double rate, double, bool) {
    return K * pow(x, 1.5) + (rate > 0 ? 2 * xi * sqrt(m * K * sqrt(x)) * rate : 0);
  };
}
/// ADAMS: c_max STEP(x, 0, 0, d, 1), STEP = s^2 (3 - 2 s).
ForceOfPaper adams(double c_max, double d) {
  return [=](double x, double rate, double, bool) {
    const double s = std::min(x / d, 1.0);
    return std::max(K * pow(x, 1.5) + c_max * s * s * (3 - 2 * s) * rate, 0.0);
  };
}
/// Thornton, J. Appl. Mech. 64 (1997) 383, with R_p in full.
ForceOfPaper thornton(double p_y, double E, double R) {
  return [=](double x, double, double deepest, bool) {
    const double k = 4.0 / 3 * E * sqrt(R), x_y = pow(pi * p_y / (2 * E), 2) * R, F_y = k * pow(x_y, 1.5);
    const auto load = [&](double y) { return y <= x_y ? k * pow(y, 1.5) : F_y + pi * p_y * R * (y - x_y); };
    if (x >= deepest || deepest <= x_y) return load(x);
    const double F_m = load(deepest), R_p = 4 * E / (3 * F_m) * pow((2 * F_m + F_y) / (2 * pi * p_y), 1.5);
    const double x_p = deepest - pow(3 * F_m / (4 * E * sqrt(R_p)), 2.0 / 3);
    return x <= x_p ? 0 : 4.0 / 3 * E * sqrt(R_p) * pow(x - x_p, 1.5);
  };
}
/// G-(a, c) = (1 - p) G+(a) with p = s (1 - c^2)/(2 G+(a)): s of what is lost stays in the indentation.
ForceOfPaper mixed(double c, double s) {
  const auto gained = [](double a) { return 1 / a - log(1 + a) / (a * a); };
  const auto left = [&](double a) { return s * (1 - c * c) / (2 * gained(a)); };
  const double a = root(1e-6, (1 - 1e-12) / c,
                        [&](double x) { return -c / x - log(1 - x * c) / (x * x) - (1 - left(x)) * gained(x); });
  return indented(1.5, 1 - left(a), a);
}

/// One entry a row of src/contact/dissipation_table.cpp, with the constants of tests/sample_laws.h. Type the
/// formula from the source, not from the table.
std::vector<Entry> entries() {
  const auto always = [](ForceOfPaper f) { return [f](double) { return f; }; };
  std::vector<Entry> out;
  out.push_back({"none", always(viscous(1.5, 0, 0))});  // Hertz
  // Flores et al. 2011, eq. 4; D from restitution: Anagnostopoulos 1988
  out.push_back({"kelvin-voigt", dashpot, dashpot, viscous(1, 9000, 0), {{"damping", 9000}}});
  out.push_back({"anagnostopoulos", dashpot, dashpot});
  out.push_back({"ristow", always(viscous(1.5, 1500, 0))});             // Schafer, Dippel, Wolf 1996
  out.push_back({"lee-herrmann", always(viscous(1.5, 20000 * m, 0))});  // m gamma x'
  out.push_back(hunt_crossley_type("hunt-crossley", [](double c) { return 3 * (1 - c) / 2; }));
  out.push_back({"hunt-crossley-alpha", always(proportional(3.0 / 2 * 1 * v0))});  // alpha = 1 s/m
  out.push_back(
      hunt_crossley_type("herbert-mcwhannell", [](double c) { return 6 * (1 - c) / (pow(2 * c - 1, 2) + 3); }));
  out.push_back(hunt_crossley_type("lee-wang", [](double c) { return 3 * (1 - c) / 4; }));
  out.push_back(hunt_crossley_type("lankarani-nikravesh", [](double c) { return 3 * (1 - c * c) / 4; }));
  out.push_back(hunt_crossley_type("gonthier", [](double c) { return (1 - c * c) / c; }));
  out.push_back(
      hunt_crossley_type("zhiying-qishao", [](double c) { return 3 * (1 - c * c) * exp(2 * (1 - c)) / 4; }));
  out.push_back(hunt_crossley_type("flores", [](double c) { return 8 * (1 - c) / (5 * c); }));
  out.push_back(hunt_crossley_type("gharib-hurmuzlu", [](double c) { return 1 / c; }));
  out.push_back({"kuwabara-kono", always(viscous(1.5, K * 3 / 2 * 1e-5, 0.5))});  // A = 10 us
  // Tsuji, Tanaka, Ishida 1992: alpha sqrt(m K) x^(1/4) x'
  out.push_back({"tsuji", tsuji, tsuji, viscous(1.5, 0.4 * sqrt(m * K), 0.25), {{"alpha", 0.4}}});
  out.push_back({"jankowski",
                 [](double c) {  // Jankowski 2006
                   return jankowski(9 * sqrt(5.0) / 2 * (1 - c * c) / (c * (c * (9 * pi - 16) + 16)));
                 },
                 [](double c) {
                   return jankowski(sqrt(5.0) / 2 *
                                    root(1e-9, 50, [c](double z) { return c - damped_inwards(z); }));
                 }});
  out.push_back({"bordbar-hyppanen", always(viscous(1.5, 1e6, 0.65))});  // Alves et al. 2015, Table 1
  out.push_back(hunt_crossley_type("hu-guo", [](double c) { return 3 * (1 - c) / (2 * c); }));
  out.push_back(
      hunt_crossley_type("carvalho-martins", [](double c) { return 3 * (1 - c) * (11 - c) / (2 * (1 + 9 * c)); }));
  out.push_back(hunt_crossley_type("exact", exact_damping));
  out.push_back({"adams-impact", always(adams(1500, 1e-5))});
  // Lankarani and Nikravesh 1994: x_p = x_m (1 - c^2)
  out.push_back({"lankarani-nikravesh-plastic", [](double c) { return indented(1.5, c * c); },
                 [](double c) { return indented(1.5, c * c); }});
  // Walton and Braun 1986: c = sqrt(k1/k2)
  out.push_back({"walton-braun",
                 [](double c) { return indented(1, c * c); },
                 [](double c) { return indented(1, c * c); },
                 indented(1, K / 8e9),
                 {{"unloading_stiffness", 8e9}}});
  out.push_back({"thornton", always(thornton(1.2e9, 4e10, 0.0106))});
  // Batlle 2001; Barjau et al., eq. 1-2: mu = (1 - c^2)/(1 + c^2)
  out.push_back({"bistiffness",
                 [](double c) { return dry((1 - c * c) / (1 + c * c)); },
                 [](double c) { return dry((1 - c * c) / (1 + c * c)); },
                 dry(0.3),
                 {{"mu", 0.3}}});
  out.push_back({"mixed", [](double c) { return mixed(c, 0.4); }, [](double c) { return mixed(c, 0.4); }});
  return out;
}
const Entry* entry_of(std::string_view key) {
  static const std::vector<Entry> all = entries();
  for (const Entry& e : all)
    if (e.key == key) return &e;
  return nullptr;
}

// ---- the claims

/// Forces at points of a course: on the way in, and on the way out from a deepest point.
void expect_forces(const contact::Law& law, const ForceOfPaper& paper, const std::string& what) {
  for (const double depth : {1e-8, 3e-7, 2e-6, 1.1e-5, 4e-5})
    for (const double rate : {0.3, 0.11, -0.02, -0.1})
      for (const double part : {1.0, 0.93, 0.7}) {
        if ((rate > 0) != (part == 1.0)) continue;
        const double deepest = depth / part;
        double wanted = paper(depth, rate, deepest, rate > 0);
        if (!law.pulls()) wanted = std::max(wanted, 0.0);
        const double size = std::abs(paper(depth, 0, deepest, true)) + std::abs(wanted);
        EXPECT_NEAR(contact::force_N(law, {depth, rate, deepest}), wanted, 1e-9 * size)
            << what << ": x = " << depth << ", x' = " << rate << ", x_m = " << deepest;
      }
}

double delivered(const contact::Law& law, const ForceOfPaper& paper) {
  const double exponent = std::get<Power<>>(law.elastic).exponent;
  const double depth =
      pow((exponent + 1) / 2 * m * v0 * v0 / std::get<Power<>>(law.elastic).stiffness, 1 / (exponent + 1));
  return delivered_restitution({m, v0, 3 * depth / v0, law.pulls()}, paper);
}

class EveryRow : public ::testing::TestWithParam<DissipationRow> {
 protected:
  void SetUp() override {
    ASSERT_NE(entry_of(GetParam().key), nullptr)
        << "row \"" << GetParam().key << "\" has no expected formula: add an entry to entries() in "
        << "tests/verify/law_rows_test.cpp, typed from its source, for what is published"
        << (GetParam().exact.plain ? " and for what delivers the prescribed restitution" : "")
        << (GetParam().direct.plain ? " and for its own parameters" : "");
  }
  const Entry& entry() const { return *entry_of(GetParam().key); }
  std::vector<double> restitutions() const {
    return GetParam().restitution == RestitutionUse::none ? std::vector{1.0} : std::vector{0.3, 0.6, 0.9};
  }
};

TEST_P(EveryRow, IsTheFormulaOfItsSource) {
  for (const double c : restitutions())
    expect_forces(sample_collision(sample_spec(GetParam(), c)).law, entry().published(c),
                  "c = " + std::to_string(c));
}

TEST_P(EveryRow, DeliversWhatAnIndependentIntegrationDelivers) {
  for (const double c : restitutions()) {
    const auto collision = sample_collision(sample_spec(GetParam(), c));
    EXPECT_NEAR(impact::collide(collision)->restitution, delivered(collision.law, entry().published(c)), 2e-6) << c;
  }
}

TEST_P(EveryRow, CalibratedExactlyDeliversWhatIsPrescribed) {
  ASSERT_EQ(GetParam().exact.plain != nullptr, entry().exact != nullptr) << "the entry and the row must agree";
  if (!entry().exact) return;
  for (const double c : restitutions()) {
    const auto collision = sample_collision(sample_spec(GetParam(), c, Calibration::exact));
    const ForceOfPaper paper = entry().exact(c);
    expect_forces(collision.law, paper, "exact, c = " + std::to_string(c));
    EXPECT_NEAR(delivered(collision.law, paper), c, 2e-6);
    EXPECT_NEAR(impact::collide(collision)->restitution, c, 1e-9);
  }
}

/// Laws that would pull, told not to: the damping ratio is another one.
TEST_P(EveryRow, CalibratedExactlyDeliversWhatIsPrescribedWithoutPulling) {
  if (GetParam().release != contact::Release::zero_indentation) return;
  const double n = GetParam().fixed_exponent;
  for (const double c : {0.3, 0.6, 0.9}) {
    LawRequest request = sample_request(GetParam(), c);
    request.calibration = Calibration::exact;
    request.release = contact::Release::zero_force;
    const auto collision = sample_collision(*specify(request));
    const double z = ratio_at_zero_force(c), chi = sqrt(2 * (n + 1)) * z * sqrt(K * m);
    expect_forces(collision.law, viscous(n, chi, (n - 1) / 2), "without pulling, c = " + std::to_string(c));
    EXPECT_NEAR(impact::collide(collision)->restitution, c, 1e-9);
  }
}

TEST_P(EveryRow, TakesItsOwnParameters) {
  ASSERT_EQ(GetParam().direct.plain != nullptr, entry().direct != nullptr) << "the entry and the row must agree";
  if (!entry().direct) return;
  LawRequest request = sample_request(GetParam());
  request.restitution.reset();
  request.parameters = entry().parameters;
  const auto collision = sample_collision(*specify(request));
  expect_forces(collision.law, entry().direct, "by its own parameters");
  EXPECT_NEAR(impact::collide(collision)->restitution, delivered(collision.law, entry().direct), 2e-6);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryRow, ::testing::ValuesIn(dissipation_rows().begin(), dissipation_rows().end()),
                         test_name);

TEST(LawRows, HaveNoEntryWithoutARow) {
  for (const Entry& e : entries()) EXPECT_NE(find_dissipation(e.key), nullptr) << e.key;
}

}  // namespace
}  // namespace percuss::tests
