// Single collisions of convex bodies with random shapes, places and motions: their result must not depend on the
// steps that were taken, and nothing may gain energy.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "random_cases.h"
#include "same_bits.h"
#include "scene_runs.h"
#include "transformed_scene.h"

namespace percuss {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double low, double high) {  // the same numbers with every library
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  double between_powers(double low, double high) { return low * std::pow(high / low, in(0, 1)); }
  int below(int n) { return std::min(static_cast<int>(in(0, n)), n - 1); }
  Vec3 direction(bool planar) {
    for (;;) {
      const Vec3 v{in(-1, 1), in(-1, 1), planar ? 0 : in(-1, 1)};
      if (norm(v) > 0.1 && norm(v) < 1) return unit(v);
    }
  }

 private:
  std::mt19937 engine_;
};

enum class Form { box, polyhedron, plane, sphere, polygon, flat_box, segment };
struct PairOfForms {
  Form first, second;
  bool planar;
  const char* name;
};
constexpr PairOfForms kPairs[] = {
    {Form::box, Form::box, false, "box-box"},
    {Form::box, Form::polyhedron, false, "box-polyhedron"},
    {Form::polyhedron, Form::polyhedron, false, "polyhedron-polyhedron"},
    {Form::box, Form::plane, false, "box-plane"},
    {Form::polyhedron, Form::plane, false, "polyhedron-plane"},
    {Form::sphere, Form::box, false, "sphere-box"},
    {Form::sphere, Form::polyhedron, false, "sphere-polyhedron"},
    {Form::polygon, Form::polygon, true, "polygon-polygon"},
    {Form::flat_box, Form::polygon, true, "box-polygon (planar)"},
    {Form::polygon, Form::segment, true, "polygon-segment"},
    {Form::flat_box, Form::flat_box, true, "box-box (planar)"},
};
constexpr int kPairCount = static_cast<int>(std::size(kPairs));

std::string list(const Vec3& v, bool planar) {
  return "[" + text_of(v.x, 17) + ", " + text_of(v.y, 17) + (planar ? "" : ", " + text_of(v.z, 17)) + "]";
}

/// A shape whose bounding radius is about `size`, and that radius.
std::pair<std::string, double> shape_of(Form form, double size, Random& random) {
  const auto points = [&](int count, bool planar) {
    std::string out;
    for (int i = 0; i < count; ++i) {
      const Vec3 p = size * random.in(0.6, 1) * random.direction(planar);
      out += (i ? ", " : "") + list(p, planar);
    }
    return out;
  };
  switch (form) {
    case Form::box:
    case Form::flat_box: {
      const bool planar = form == Form::flat_box;
      const Vec3 s = size * Vec3{random.in(0.5, 1.5), random.in(0.5, 1.5), planar ? 0 : random.in(0.5, 1.5)};
      return {"{kind: box, size: " + list(s, planar) + "}", norm(s) / 2};
    }
    case Form::polyhedron:
      return {"{kind: polyhedron, points: [" + points(6 + random.below(20), false) + "]}", 1.7 * size};
    case Form::polygon: return {"{kind: polygon, points: [" + points(4 + random.below(8), true) + "]}", 1.7 * size};
    case Form::sphere: return {"{kind: sphere, radius: " + text_of(0.7 * size, 17) + "}", 0.7 * size};
    case Form::plane: return {"{kind: plane}", 0};
    case Form::segment: return {"", 0};
  }
  return {};
}

/// The first body comes with speed v towards the second; both spin.
std::string random_collision(const PairOfForms& pair, unsigned seed) {
  Random random(seed);
  const bool planar = pair.planar, fixed = pair.second == Form::plane || pair.second == Form::segment;
  const double size_1 = random.between_powers(0.1, 0.4), size_2 = random.between_powers(0.1, 0.4);
  const auto [shape_1, reach_1] = shape_of(pair.first, size_1, random);
  auto [shape_2, reach_2] = shape_of(pair.second, size_2, random);
  const double mass_1 = random.between_powers(0.3, 3), mass_2 = mass_1 * random.between_powers(0.1, 10);
  const double stiffness = random.between_powers(1e5, 1e9);
  // an isolated collision goes K x^2.5 = 1.25 m v^2 deep: at most a fifth of the smaller body
  const double deepest = 0.2 * std::min(size_1, size_2);
  const double fastest = std::sqrt(stiffness * std::pow(deepest, 2.5) / (1.25 * mass_1));
  const double speed = std::min(random.between_powers(0.3, 30), fastest);
  Vec3 along = random.direction(planar);
  if (pair.second == Form::plane) along = Vec3{0.3 * along.x, 0.3 * along.y, -1};
  if (pair.second == Form::segment) {
    along = Vec3{0.5 * along.x, -1, 0};
    reach_2 = 0.2 * size_1;
    shape_2 =
        "{kind: segment, points: [[" + text_of(-2 * size_1, 17) + ", 0], [" + text_of(2 * size_1, 17) + ", 0]]}";
  }
  // half of them face to face, nearly: many contact points come and go while the bodies are pressed together
  const bool face_to_face = random.below(2) == 0;
  if (face_to_face && !fixed) along = planar ? Vec3{0.05, -1, 0} : Vec3{0.03, 0.05, -1};
  along = unit(along);
  const Vec3 aside = 0.5 * std::min(size_1, size_2) * random.direction(planar);
  const double apart = 1.05 * (reach_1 + reach_2) + norm(aside);
  const Vec3 at_1 = Vec3{} - apart * along + aside;
  const auto turn = [&] {
    const double most = face_to_face ? random.between_powers(1e-3, 0.3) : 3;
    const std::string angle = ", angle: " + text_of(random.in(-most, most), 17);
    return planar ? angle : angle + ", axis: " + list(random.direction(false), false);
  };
  const auto spin = [&](double size) {
    const double w = random.in(-1, 1) * (face_to_face ? 0.1 : 1) * speed / size;
    return ", angular_velocity: " + (planar ? text_of(w, 17) : list(w * random.direction(false), false));
  };
  const double inertia_1 = 0.4 * mass_1 * size_1 * size_1, inertia_2 = 0.4 * mass_2 * size_2 * size_2;
  std::string text = std::string(planar ? "planar: true\ngravity: [0, 0]\n" : "gravity: [0, 0, 0]\n") + "bodies:\n";
  text += "  first: {mass: " + text_of(mass_1, 17) + ", inertia: " + text_of(inertia_1, 17) +
          ", shape: " + shape_1 + ", at: " + list(at_1, planar) + ", velocity: " + list(speed * along, planar) +
          turn() + spin(size_1) + "}\n";
  if (fixed)
    text += "  second: {fixed: true, shape: " + shape_2 + "}\n";
  else
    text += "  second: {mass: " + text_of(mass_2, 17) + ", inertia: " + text_of(inertia_2, 17) +
            ", shape: " + shape_2 + ", at: " + list({}, planar) + turn() + spin(size_2) + "}\n";
  const int law = random.below(4);
  text += "contacts: {hit: {between: [first, second], law: ";
  text += law == 0 ? "hunt-crossley, restitution: 0.7" : "hertz";
  text += ", stiffness: " + text_of(stiffness, 17);
  if (law == 1) text += ", friction: {law: coulomb-tanh, coefficient: 0.3}";
  text += "}}\nsolver: {duration: " + text_of(2.5 * apart / speed, 17) + "}\n";
  return text;
}

struct Outcome {
  double start_J = 0, end_J = 0, stored_J = 0, error = 0;
  std::size_t impacts = 0;
};
Outcome run_compiled(const model::Compiled& compiled, const std::string& what) {
  Outcome out;
  if (compiled.model.bodies.empty()) return out;
  const recording::Recording r = dynamics::simulate(compiled.model, compiled.settings, {});
  EXPECT_EQ(r.failure, "") << what;
  out.start_J = r.ledger.start.kinetic_J;
  out.end_J = r.ledger.end.kinetic_J;
  out.stored_J = r.ledger.end.contacts_J;
  out.error = r.ledger.largest_error_J / r.ledger.exchanged_J;
  out.impacts = r.impacts.size();
  return out;
}
std::string at_tolerance(double tolerance) { return "solver.tolerance=" + text_of(tolerance, 3); }

/// The two runs of a grazing collision find different numbers of impacts: what one of them has more is shallower
/// than the difference between their motions.
TEST(RandomConvexCollisions, DoNotDependOnTheToleranceAndGainNothing) {
  const int count = cases(165, 2200);
  int within_6 = 0, within_4 = 0, grazing = 0, gains = 0, hits = 0;
  std::vector<int> beyond(kPairCount, 0);
  double most_gain = -1, loose_error = 0, tight_error = 0;
  for (int i = 0; i < count; ++i) {
    const PairOfForms& pair = kPairs[i % kPairCount];
    const std::string text = random_collision(pair, static_cast<unsigned>(i));
    const Outcome loose = run_compiled(from_text(text, {at_tolerance(1e-8)}), text),
                  tight = run_compiled(from_text(text, {at_tolerance(1e-11)}), text);
    const double off = std::abs(loose.end_J - tight.end_J) / tight.start_J;
    const bool grazes = loose.impacts != tight.impacts;
    hits += tight.impacts > 0;
    grazing += grazes;
    within_6 += off <= 1e-6;
    within_4 += off <= 1e-4;
    beyond[static_cast<std::size_t>(i % kPairCount)] += off > 1e-6;
    const double rattles = std::max(1.0, static_cast<double>(tight.impacts) / 20);  // a wedge: no single collision
    EXPECT_TRUE(off <= 1e-4 * rattles || grazes) << "case " << i << ", " << pair.name << ": off by " << off << "\n"
                                                 << text;
    for (const Outcome& one : {loose, tight}) {
      const double gain = (one.end_J + one.stored_J) / one.start_J - 1;
      most_gain = std::max(most_gain, gain);
      gains += gain > 1e-6;
      EXPECT_LE(gain, 1e-6) << "case " << i << ", " << pair.name << "\n" << text;
    }
    loose_error = std::max(loose_error, loose.error);
    tight_error = std::max(tight_error, tight.error);
  }
  std::string by_pair;
  for (int k = 0; k < kPairCount; ++k)
    by_pair +=
        std::string(k ? ", " : "") + kPairs[k].name + " " + std::to_string(beyond[static_cast<std::size_t>(k)]);
  report_figure("random convex collisions: " + std::to_string(count) + ", of which " + std::to_string(hits) +
                " hit; final energies at 1e-8 and 1e-11 agree to 1e-6 in " + std::to_string(within_6) +
                ", to 1e-4 in " + std::to_string(within_4) + "; grazing " + std::to_string(grazing) + "; " +
                std::to_string(gains) + " gain energy, at most " + text_of(most_gain, 2) +
                " of it; energy error at most " + text_of(loose_error, 2) + " and " + text_of(tight_error, 2) +
                "; beyond 1e-6 by pair: " + by_pair);
  EXPECT_GE(within_6, 0.99 * count);
  EXPECT_GT(hits, 0.95 * count);
  EXPECT_LT(tight_error, 1e-2 * loose_error) << "the energy error falls with the tolerance";
}

/// Turned, mirrored, in other units, with the bodies in the other order: the energy is the same.
TEST(RandomConvexCollisions, KeepTheirEnergyWhenTheWorldIsChanged) {
  const int count = cases(22, 330);
  int changed = 0, tried = 0;
  for (int i = 0; i < count; ++i) {
    const PairOfForms& pair = kPairs[i % kPairCount];
    const std::string text = random_collision(pair, static_cast<unsigned>(10'000 + i));
    const auto scene = io::read_scene_text(text, "scene.yaml", {at_tolerance(1e-10)});
    ASSERT_TRUE(scene);
    const Outcome plain = run_compiled(must_compile(scene), text);
    const Mat3 turn = matrix_of(rotation_about(pair.planar ? kAxisZ : unit(Vec3{0.3, -0.5, 0.9}), 0.7));
    const Transform worlds[] = {
        {.Q = turn}, {.Q = diagonal(-1, 1, 1)}, {.length = 1e3}, {.mass = 1e-3}, {.time = 1e3}};
    std::vector<double> energies;
    for (const Transform& world : worlds) {
      const double factor = world.mass * std::pow(world.length / world.time, 2);
      energies.push_back(run_compiled(must_compile(transformed(*scene, world)), text).end_J / factor);
    }
    std::string swapped = text;
    swapped.replace(swapped.find("[first, second]"), 15, "[second, first]");
    energies.push_back(run_compiled(from_text(swapped, {at_tolerance(1e-10)}), swapped).end_J);
    for (std::size_t k = 0; k < energies.size(); ++k) {
      ++tried;
      const double off = std::abs(energies[k] - plain.end_J) / plain.start_J;
      changed += off > 1e-6;
      EXPECT_LT(off, 1e-4) << "case " << i << ", " << pair.name << ", world " << k << "\n" << text;
    }
  }
  report_figure("random convex collisions in other worlds: " + std::to_string(tried) +
                ", energies beyond 1e-6 in " + std::to_string(changed));
  EXPECT_LE(changed, 0.01 * tried);
}

/// In the middle of a collision all that the next step needs is in the State.
TEST(RandomConvexCollisions, GoOnFromASavedStateToTheSameBits) {
  for (int i = 0; i < cases(22, 330); ++i) {
    const std::string text = random_collision(kPairs[i % kPairCount], static_cast<unsigned>(20'000 + i));
    const model::Compiled c = from_text(text, {at_tolerance(1e-8)});
    dynamics::Simulation whole(c.model, c.settings);
    std::vector<dynamics::State> in_contact;
    while (whole.step() == dynamics::Progress::going)
      if (!whole.current().modes.contacts.empty()) in_contact.push_back(whole.state());
    if (in_contact.empty()) continue;
    for (const std::size_t k :
         {std::size_t{0}, in_contact.size() / 3, in_contact.size() / 2, in_contact.size() - 1}) {
      Writer bytes;
      save(in_contact[k], bytes);
      Reader in(bytes.bytes());
      dynamics::State state;
      ASSERT_TRUE(restore(in, c.model, state) && in.is_whole());
      dynamics::Simulation rest(c.model, c.settings, state);
      while (rest.step() == dynamics::Progress::going) {
      }
      ASSERT_EQ(difference(whole.state(), rest.state()), "") << "case " << i << "\n" << text;
    }
  }
}

// ---- what a few of them do

std::string stack(int boxes, double duration_s) {
  const std::string law = ", law: hunt-crossley, calibration: exact, restitution: 0.3, stiffness: 1e8";
  std::string bodies = "bodies:\n  ground: {shape: {kind: plane}}\n";
  std::string contacts = "contacts:\n  c0: {between: [b0, ground]" + law + "}\n";
  for (int i = 0; i < boxes; ++i) {
    const std::string name = "b" + std::to_string(i);
    bodies += "  " + name + ": {mass: 1, shape: {kind: box, size: [0.2, 0.2, 0.1]}, at: [0, 0, " +
              text_of(0.0505 + 0.1001 * i) + "]}\n";
    if (i > 0)
      contacts +=
          "  c" + std::to_string(i) + ": {between: [b" + std::to_string(i - 1) + ", " + name + "]" + law + "}\n";
  }
  return bodies + contacts + "solver: {duration: " + text_of(duration_s) +
         ", tolerance: 1e-9}\noutputs: {every: 0.5}\n";
}

/// Corner exactly above corner, edge along edge: each box stands on four points, and they carry what lies above.
TEST(ConvexContacts, EqualBoxesStandExactlyOnEachOther) {
  for (const int boxes : {2, 5}) {
    const SceneRun run = run_text(stack(boxes, 3));
    for (int i = 0; i < boxes; ++i) {
      const std::string table = "contacts/c" + std::to_string(i);
      EXPECT_EQ(run.samples.last(table, "points"), 4) << boxes << " boxes, contact " << i;
      EXPECT_NEAR(run.samples.last(table, "force"), (boxes - i) * 9.81, 0.01 * 9.81)
          << boxes << " boxes, contact " << i;
    }
    EXPECT_LT(gap_share(run), 1e-7);
  }
}

/// A box at rest on a smooth table slides over its edge: the two corners in front leave the table, and the edges
/// that cross there carry on. Nothing is lost, the support does not give way, and the number of points stays.
TEST(ConvexContacts, SlidingOverAnEdgeHandsTheLoadOver) {
  const double stiffness = 1e7, depth = std::pow(9.81 / (4 * stiffness), 2.0 / 3);
  for (const bool planar : {false, true}) {
    const double deep = planar ? std::pow(9.81 / (2 * stiffness), 2.0 / 3) : depth;
    const std::string height = text_of(0.05 - deep, 17);
    const SceneRun run = run_text(
        (planar ? "planar: true\ngravity: [0, -9.81]\n" : std::string("gravity: [0, 0, -9.81]\n")) +
        "bodies:\n  table: {fixed: true, shape: {kind: box, size: " +
        (planar ? "[1, 0.2]}, at: [-0.5, -0.1]}\n" : "[1, 1, 0.2]}, at: [-0.5, 0, -0.1]}\n") +
        "  box: {mass: 1, shape: {kind: box, size: " +
        (planar ? "[0.2, 0.1]}, at: [-0.12, " + height + "], velocity: [0.5, 0]}\n"
                : "[0.2, 0.15, 0.1]}, at: [-0.12, 0, " + height + "], velocity: [0.5, 0, 0]}\n") +
        "contacts: {top: {between: [table, box], law: hertz, stiffness: 1e7, allow_initial_overlap: true}}\n"
        "solver: {duration: 0.16, tolerance: 1e-10}\noutputs: {every: 0.02}\n");
    EXPECT_EQ(run.samples.last("contacts/top", "points"), planar ? 2 : 4);
    EXPECT_LT(std::abs(run.recording.ledger.end.lost_in_contacts_J), 1e-12);
    EXPECT_LT(gap_share(run), 1e-8);
    const std::string y = planar ? "y" : "z";
    EXPECT_GT(run.samples.last("bodies/box", y), 0.05 - 10 * deep) << "it has not sunk in";
  }
}

}  // namespace
}  // namespace percuss
