// The description of a scene.
#include "percuss/scene/schema.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

#include "percuss/base/words.h"
#include "percuss/contact/friction.h"
#include "percuss/contact/rows.h"
#include "percuss/expression/parse.h"
#include "percuss/joint/table.h"
#include "percuss/ode/integrator.h"
#include "percuss/scene/shape_table.h"
#include "percuss/scene/spring_table.h"

namespace percuss::scene {

namespace {

using Words = std::span<const std::string_view>;

template <class Rows>
std::vector<std::string_view> keys_of(const Rows& rows) {
  std::vector<std::string_view> keys;
  for (const auto& row : rows) keys.push_back(row.key);
  return keys;
}
Words joint_words() {
  static const std::vector<std::string_view> words = keys_of(joint::joint_rows());
  return words;
}
Words integrator_words() {
  static const std::vector<std::string_view> words = keys_of(ode::integrator_rows());
  return words;
}
Words shape_words() {
  static const std::vector<std::string_view> words = keys_of(shape_rows());
  return words;
}
Words spring_words() {
  static const std::vector<std::string_view> words = keys_of(spring_rows());
  return words;
}
Words law_keys() {
  static const std::vector<std::string_view> words = contact::law_words();
  return words;
}
Words friction_keys() {
  static const std::vector<std::string_view> words = keys_of(contact::friction_rows());
  return words;
}
Words elastic_keys() {
  static const std::vector<std::string_view> words = keys_of(contact::elastic_rows());
  return words;
}
#define PERCUSS_WORDS(name, ...)                                                 \
  Words name() {                                                                 \
    static constexpr auto list = std::to_array<std::string_view>({__VA_ARGS__}); \
    return list;                                                                 \
  }
PERCUSS_WORDS(axes_words, "world", "body")
PERCUSS_WORDS(calibration_words, "published", "exact")
PERCUSS_WORDS(release_words, "zero-force", "zero-indentation")
PERCUSS_WORDS(response_words, "force", "impulsive")
PERCUSS_WORDS(side_words, "both", "tension", "compression")
PERCUSS_WORDS(memory_words, "fresh", "persistent")
PERCUSS_WORDS(stabilization_words, "projection", "baumgarte")
PERCUSS_WORDS(stiff_words, "hand-over", "warn")
#undef PERCUSS_WORDS

namespace d = dimension;

template <std::size_t N, std::size_t M>
constexpr std::array<Key, N + M> joined(const std::array<Key, N>& first, const std::array<Key, M>& second) {
  std::array<Key, N + M> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = first[i];
  for (std::size_t i = 0; i < M; ++i) all[N + i] = second[i];
  return all;
}

constexpr Key in_world(Key key) {
  key.in_world = true;
  return key;
}

constexpr Key kMaterialKeys[] = {
    {"young", Kind::number, d::pressure, "Young's modulus", "contacts need a stiffness", false, nullptr, nullptr,
     0},
    {"restitution", Kind::number, d::number,
     "of two parts of it; contacts without one combine those of their materials", "none", false, nullptr, nullptr,
     0, true},
    {"friction", Kind::number, d::number, "coefficient of two parts of it, combined likewise", "none", false,
     nullptr, nullptr, 0, true},
    {"poisson", Kind::number, d::number, "Poisson's ratio", "contacts need a stiffness", false, nullptr, nullptr,
     -1},
    {"density", Kind::number, d::density, "mass per volume", "bodies need a mass", false, nullptr, nullptr, 0},
};
constexpr Section kMaterial{"materials", "a material, for stiffness and density", kMaterialKeys,
                            "materials:\n  steel: {young: 207 GPa, poisson: 0.3, density: 7800}"};

constexpr Key kShapeKeys[] = {
    {"kind", Kind::word, {}, "what it is", "", true, shape_words},
    {"name", Kind::text, {}, "to tell shapes of one body apart, as body.shape", "the kind"},
    {"material", Kind::name, {}, "of the materials", "none"},
    {"radius", Kind::number, d::length, "of a sphere, circle, cylinder, capsule, rod, hole or socket", "", false,
     nullptr, nullptr, 0},
    {"length", Kind::number, d::length,
     "of a cylinder or rod; of a capsule between the centres of its ends; of a hole (without end if left out)", "",
     false, nullptr, nullptr, 0},
    {"width", Kind::number, d::length, "of a slot, between its two sides", "", false, nullptr, nullptr, 0},
    {"points", Kind::points, d::length,
     "of a polyhedron or polygon (their hull is taken); the two ends of a segment", ""},
    {"file", Kind::file, {}, "of a polyhedron: STL or OBJ, a closed convex mesh", ""},
    {"scale", Kind::number, {}, "times the numbers of the file are metres", "1", false, nullptr, nullptr, 0},
    {"corner_radius", Kind::number, d::length,
     "of the corners of a box, polyhedron or polygon, for their stiffness", "none: such contacts need a stiffness",
     false, nullptr, nullptr, 0},
    {"size", Kind::vector, d::length, "edges of a box (thickness along z may be left out in a planar scene: 1 m)",
     ""},
    {"density", Kind::number, d::density, "mass per volume; 0: no mass", "that of the material", false, nullptr,
     nullptr, 0, true},
    {"at", Kind::vector, d::length, "centre in the body's frame; a point of a plane", "[0, 0, 0]"},
    {"axis",
     Kind::direction,
     {},
     "of a cylinder, rod, capsule or hole; outer normal of a plane; from side to side of a slot; of `angle`",
     "x; z (y if planar) for a plane or slot; z for a hole and for `angle`"},
    {"angle", Kind::number, d::number, "turn of a box, polyhedron or polygon in the body's frame, about `axis`",
     "0"},
};
constexpr Section kShape{"shapes", "a shape, for mass and contact", kShapeKeys,
                         "shapes:\n  - {kind: sphere, radius: 20 mm, material: steel}"};

constexpr Key kPointMassKeys[] = {
    {"mass", Kind::number, d::mass, "", "", true, nullptr, nullptr, 0},
    {"at", Kind::vector, d::length, "in the body's frame", "[0, 0, 0]"},
};
constexpr Section kPointMass{"point_masses", "a point mass attached to the body", kPointMassKeys,
                             "point_masses:\n  - {mass: 5 kg, at: [1 m, 0, 0]}"};

constexpr Key kMotionKeys[] = {
    {"x", Kind::function, d::length, "displacement from `at`", "0"},
    {"y", Kind::function, d::length, "displacement from `at`", "0"},
    {"z", Kind::function, d::length, "displacement from `at`", "0"},
    {"angle", Kind::function, d::number, "turn about the axis", "0"},
    {"axis", Kind::direction, {}, "of the turn, in the world", "z"},
};
constexpr Section kMotion{"motion", "a motion wholly prescribed: functions of t", kMotionKeys,
                          "motion: {y: 0.1*sin(7.5*t)}"};

constexpr Key kBodyKeys[] = {
    {"mass", Kind::number, d::mass, "", "from shapes, density and point masses", false, nullptr, nullptr, 0},
    {"inertia", Kind::numbers, d::inertia,
     "about the centre of mass, in body axes: one number, three (xx yy zz) or six (xx yy zz xy xz yz)",
     "from shapes, density and point masses"},
    {"particle", Kind::flag, {}, "a point without inertia", "false"},
    {"fixed", Kind::flag, {}, "does not move", "false"},
    {"centre_of_mass", Kind::vector, d::length, "in the body's frame", "from shapes, or the origin"},
    {"shape", Kind::mapping, {}, "its only shape", "none", false, nullptr, &kShape},
    {"shapes", Kind::list, {}, "its shapes", "none", false, nullptr, &kShape},
    {"point_masses", Kind::list, {}, "masses attached to it", "none", false, nullptr, &kPointMass},
    {"markers", Kind::named_points, d::length, "points in its frame that expressions read, as BODY.MARKER.x",
     "none"},
    in_world({"at", Kind::vector, d::length, "place of the origin of the body's frame at the start",
              "found by assembly, or the origin"}),
    {"angle", Kind::number, d::number, "turn of the body's frame at the start, about `axis`",
     "found by assembly, or 0"},
    {"axis", Kind::direction, {}, "of `angle`", "z"},
    {"rotation", Kind::numbers, d::number, "quaternion w x y z, instead of angle and axis", "from angle and axis"},
    {"touching",
     Kind::name,
     {},
     "body, or body.shape, that it is put against: from `at` along gravity, or along `towards`, until they touch",
     "it stands at `at`"},
    in_world({"towards", Kind::direction, {}, "with `touching`: the way on which it is put", "that of gravity"}),
    in_world({"guess_at", Kind::vector, d::length, "where assembly begins to look", "from the joints"}),
    {"guess_angle", Kind::number, d::number, "turn with which assembly begins", "0"},
    in_world({"velocity", Kind::vector, d::velocity, "of the origin of the body's frame at the start",
              "found by assembly, or 0"}),
    in_world({"angular_velocity", Kind::numbers, d::angular_velocity, "world axes; one number (about z) if planar",
              "found by assembly, or 0"}),
    {"motion",
     Kind::mapping,
     {},
     "makes the motion a given function of time",
     "the body moves freely",
     false,
     nullptr,
     &kMotion},
};
constexpr Section kBody{"bodies", "a rigid body; `ground` is there already and may be given shapes", kBodyKeys,
                        "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 1]}"};

constexpr Key kFrictionKeys[] = {
    {"law", Kind::word, {}, "a key of the friction table", contact::kDefaultFriction, false, friction_keys},
    {"coefficient", Kind::number, {}, "of sliding", "from the materials", false, nullptr, nullptr, 0, true},
    {"static_coefficient",
     Kind::number,
     {},
     "of rest, for the laws that tell the two apart",
     "that of sliding",
     false,
     nullptr,
     nullptr,
     0,
     true},
    {"rolling",
     Kind::number,
     {},
     "rolling resistance: torque over normal force times effective radius",
     "0",
     false,
     nullptr,
     nullptr,
     0,
     true},
    {"spinning",
     Kind::number,
     {},
     "resistance against spin about the normal, alike",
     "0",
     false,
     nullptr,
     nullptr,
     0,
     true},
    {"parameters", Kind::constants, {}, "constants of the friction law, by name", "as its row says"},
};
constexpr Section kFriction{"friction", "what resists sliding, rolling and spinning", kFrictionKeys,
                            "friction: {law: lugre, coefficient: 0.3}"};

constexpr auto kLawKeys = std::to_array<Key>({
    {"law",
     Kind::word,
     {},
     "a key of percuss laws",
     "needed unless `law_file`; with `response: impulsive`: bistiffness with hooke",
     false,
     law_keys},
    {"law_file", Kind::file, {}, "a law of your own", ""},
    {"elastic",
     Kind::word,
     {},
     "elastic law under the dissipation",
     "as the law says, or hertz",
     false,
     elastic_keys},
    {"stiffness", Kind::function, {}, "K of F = K delta^n", "from the materials"},
    {"exponent", Kind::number, {}, "n", "that of the elastic law", false, nullptr, nullptr, 0},
    {"restitution",
     Kind::function,
     {},
     "prescribed, 0 to 1; or an expression of the approach speed v in m/s",
     "from the materials, where the law needs it"},
    {"calibration",
     Kind::word,
     {},
     "as printed, or so that the prescribed restitution is delivered",
     "published",
     false,
     calibration_words},
    {"release", Kind::word, {}, "where contact ends", "as the law says", false, release_words},
    {"parameters", Kind::constants, {}, "constants of the law, by name", "none"},
    {"memory",
     Kind::word,
     {},
     "each touch finds fresh surfaces, or the permanent indentation stays",
     "fresh",
     false,
     memory_words},
    {"response",
     Kind::word,
     {},
     "the force of the law, or impulsive: collisions without duration, solved at all contact points at once",
     "force",
     false,
     response_words},
    {"law_speed",
     Kind::function,
     {},
     "the speed a law is calibrated with: touch, the approach speed (at least rest_speed), or a speed",
     "touch"},
    {"rest_speed", Kind::number, d::velocity,
     "the least approach speed a law is calibrated with, 0 for none; with `response: impulsive`, no bounce below "
     "it",
     "0.01 sqrt(2 g d) from the load and static indentation at touch; impulsive: sqrt(2 g d)", false, nullptr,
     nullptr, 0, true},
    {"allow_initial_overlap", Kind::flag, {}, "begin with shapes that overlap", "false: that is an error"},
    {"friction",
     Kind::mapping,
     {},
     "friction law and coefficients",
     "none, or that of the materials",
     false,
     nullptr,
     &kFriction},
});
constexpr Section kClearance{
    "contact", "what holds where journal and bearing touch", kLawKeys,
    "contact: {law: lankarani-nikravesh, restitution: 0.9, friction: {coefficient: 0.03}}"};

constexpr auto kLimitsKeys =
    joined(std::to_array<Key>({
               {"coordinate", Kind::text, {}, "of the joint", "its first"},
               {"lower", Kind::function, {}, "smallest value, in the unit of the coordinate", "none"},
               {"upper", Kind::function, {}, "largest value", "none"},
           }),
           kLawKeys);
constexpr Section kLimits{"limits", "stops of a joint: a contact law in its coordinate (per radian, of an angle)",
                          kLimitsKeys,
                          "limits: {lower: -30 deg, upper: 60 deg, law: flores, restitution: 0.5, stiffness: 1e5}"};

constexpr Key kJointKeys[] = {
    {"type", Kind::word, {}, "of the joint table", "", true, joint_words},
    {"between", Kind::names, {}, "two bodies, A and B", "needed but for gear and rack"},
    in_world({"at", Kind::vector, d::length, "place in the world at the start", "the anchors"}),
    {"anchors", Kind::vectors, d::length, "the point in the frame of A and in that of B", "both at `at`"},
    in_world({"axis", Kind::direction, {}, "in the world at the start", "z if planar"}),
    in_world({"second_axis", Kind::direction, {}, "of a universal joint, on B, in the world at the start", ""}),
    {"axes", Kind::directions, {}, "the axis in the frame of A and in that of B", "both along `axis`"},
    {"pitch", Kind::number, d::length, "of a screw: advance in one turn", ""},
    {"length", Kind::number, d::length, "of a rod; of the bearing of a clearance joint",
     "a rod: as it is at the start", false, nullptr, nullptr, 0},
    {"joints", Kind::names, {}, "of a gear or rack: the joints whose coordinates are coupled", ""},
    {"ratio", Kind::number, d::number, "of a gear: coordinate of the first joint over that of the second", ""},
    {"radius", Kind::number, d::length, "of a rack's pinion", "", false, nullptr, nullptr, 0},
    {"bearing_radius", Kind::number, d::length, "of a clearance joint, on A", "journal radius plus clearance",
     false, nullptr, nullptr, 0},
    {"journal_radius", Kind::number, d::length, "of a clearance joint, on B", "bearing radius less clearance",
     false, nullptr, nullptr, 0},
    {"clearance", Kind::number, d::length, "of a clearance joint: radial, or on each side of a slider",
     "from the radii", false, nullptr, nullptr, 0, true},
    {"size", Kind::vector, d::length,
     "of the slider of a translational-clearance: along its axis, across (and across)", ""},
    {"material", Kind::name, {}, "of both sides of a clearance joint", "contacts need a stiffness"},
    {"materials", Kind::names, {}, "of A and B instead", "`material`"},
    {"contact", Kind::mapping, {}, "of a clearance joint: the contact law", "", false, nullptr, &kClearance},
    {"limits",
     Kind::mapping,
     {},
     "stops of a coordinate; the contact JOINT_stop",
     "none",
     false,
     nullptr,
     &kLimits},
    {"enabled", Kind::flag, {}, "holds from the start; an event engages it where its bodies are then", "true"},
};
constexpr Section kJoint{"joints", "a joint of two bodies", kJointKeys,
                         "joints:\n  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 1], axis: y}"};

constexpr Key kDriverKeys[] = {
    {"joint", Kind::name, {}, "whose coordinate is driven", "", true},
    {"coordinate", Kind::text, {}, "of the joint", "its first"},
    {"value", Kind::function, d::number, "what the coordinate shall be, in SI units",
     "its value at the start plus the integral of `rate`"},
    {"rate", Kind::function, d::number, "how fast it shall change, in SI units", "derivative of `value`"},
    {"enabled", Kind::flag, {}, "drives from the start; an event engages it where the coordinate is then", "true"},
};
constexpr Section kDriver{"drivers", "a joint coordinate as a function of time", kDriverKeys,
                          "drivers:\n  motor: {joint: hinge, rate: 5000 rpm}"};

constexpr Key kSpringKeys[] = {
    {"type",
     Kind::word,
     {},
     "along a line, on a joint coordinate (torsional springs too), a bushing, or a rope, which only pulls",
     "linear; coordinate where there is a `joint`",
     false,
     spring_words},
    {"between", Kind::names, {}, "two bodies", "needed but for `coordinate`"},
    {"anchors", Kind::vectors, d::length, "its ends in the frames of the bodies", "`at`, or the origins"},
    in_world({"at", Kind::vectors, d::length, "its ends in the world at the start", "the anchors"}),
    {"joint", Kind::name, {}, "of a `coordinate` spring", ""},
    {"coordinate", Kind::text, {}, "of the joint", "its first"},
    {"stiffness",
     Kind::numbers,
     {},
     "N/m or N m/rad; a bushing takes three, along its axes",
     "0",
     false,
     nullptr,
     nullptr,
     0,
     true},
    {"damping",
     Kind::numbers,
     {},
     "N s/m or N m s/rad; a bushing takes three",
     "0",
     false,
     nullptr,
     nullptr,
     0,
     true},
    {"turning_stiffness", Kind::numbers, d::torque, "of a bushing: three, about its axes", "0", false, nullptr,
     nullptr, 0, true},
    {"turning_damping", Kind::numbers, d::angular_damping, "of a bushing: three, about its axes", "0", false,
     nullptr, nullptr, 0, true},
    {"rest", Kind::function, {}, "free length or angle", "as it is at the start"},
    {"acts",
     Kind::word,
     {},
     "in one direction only: where it is longer than at rest, or shorter",
     "both",
     false,
     side_words},
    {"force",
     Kind::function,
     {},
     "instead of stiffness and damping: an expression of length, rate and stretch (length - rest), of t and of "
     "what the "
     "scene measures; above 0 it pulls",
     "stiffness*stretch + damping*rate"},
    {"enabled", Kind::flag, {}, "acts from the start; events switch it", "true"},
};
constexpr Section kSpring{"springs", "springs, dampers, bushings and ropes", kSpringKeys,
                          "springs:\n  strut: {between: [ground, arm], anchors: [[0, 0, 0], [1, 0, 0]], stiffness: "
                          "1000, damping: 20, rest: 0.5}"};

constexpr Key kForceKeys[] = {
    {"body", Kind::name, {}, "what it acts on", "needed unless `joint`"},
    {"at", Kind::vector, d::length, "point in the body's frame", "its origin"},
    {"force", Kind::functions, d::force, "for each axis; one function on a joint coordinate", "0"},
    {"torque", Kind::functions, d::torque, "for each axis; one function (about z) if planar", "0"},
    {"axes", Kind::word, {}, "in which the components are", "world", false, axes_words},
    {"joint", Kind::name, {}, "acts on a coordinate of this joint instead", ""},
    {"coordinate", Kind::text, {}, "of the joint", "its first"},
    {"every", Kind::number, d::time, "computed at multiples of this time and held between (a sampled controller)",
     "at every instant", false, nullptr, nullptr, 0},
    {"enabled", Kind::flag, {}, "acts from the start; events switch it", "true"},
};
constexpr Section kForce{"forces", "applied forces and torques: functions of t and of what the scene measures",
                         kForceKeys, "forces:\n  push: {body: cart, force: [10*sin(2*t), 0, 0]}"};

constexpr auto kContactKeys = joined(
    std::to_array<Key>({
        {"between", Kind::names, {}, "two bodies (all their shapes), or body.shape", "needed unless `materials`"},
        {"materials",
         Kind::names,
         {},
         "all shapes of these two materials, on bodies that no joint connects",
         "needed unless `between`; an entry with `between` overrides one with `materials`"},
        {"enabled", Kind::flag, {}, "acts from the start; events switch it", "true"},
    }),
    kLawKeys);
constexpr Section kContact{
    "contacts", "shapes that can touch, and what holds there", kContactKeys,
    "contacts:\n  bounce: {between: [ball, ground], law: flores, restitution: 0.9,\n           stiffness: 1.4e8}"};

constexpr Key kEventKeys[] = {
    {"when", Kind::condition, {}, "EXPRESSION crosses (rises through, falls through) VALUE", "", true},
    {"then",
     Kind::words,
     {},
     "record; stop; enable or disable NAME (a force, spring, joint, driver or contact); release NAME (a joint, as "
     "disable); lock or unlock JOINT (its coordinates where they are); set VARIABLE EXPRESSION",
     "record"},
    {"once", Kind::flag, {}, "happens the first time only", "false"},
};
constexpr Section kEvent{"events", "something to watch for, located to the tolerance", kEventKeys,
                         "events:\n  half: {when: crank.angle crosses 90 deg, then: [record]}"};

constexpr Key kSolverKeys[] = {
    {"duration", Kind::number, d::time, "simulated time", "", true, nullptr, nullptr, 0},
    {"integrator", Kind::word, {}, "of the integrator table", "dop853", false, integrator_words},
    {"tolerance",
     Kind::number,
     {},
     "local error per step, relative to the characteristic size of each unknown",
     "1e-9",
     false,
     nullptr,
     nullptr,
     0},
    {"step", Kind::number, d::time, "of a fixed-step integrator", "", false, nullptr, nullptr, 0},
    {"largest_step", Kind::number, d::time, "no step is longer", "none", false, nullptr, nullptr, 0},
    {"stabilization", Kind::word, {}, "of joints against drift", "projection", false, stabilization_words},
    {"baumgarte_rate", Kind::number, d::angular_velocity, "rate at which Baumgarte's terms pull back", "20 rad/s",
     false, nullptr, nullptr, 0},
    {"when_stiff", Kind::word, {}, "go on with radau5, or only say so", "hand-over", false, stiff_words},
    {"most_steps", Kind::whole, {}, "after which the run fails", "10000000", false, nullptr, nullptr, 0},
};
constexpr Section kSolver{"solver", "how the motion is computed", kSolverKeys,
                          "solver: {duration: 10 s, tolerance: 1e-10}"};

constexpr Key kOutputKeys[] = {
    {"every", Kind::number, d::time, "time between samples", "duration/500", false, nullptr, nullptr, 0},
    {"at", Kind::numbers, d::time, "further times", "none"},
    {"in_contact",
     Kind::flag,
     {},
     "also some fifty times in each impact, and at each touch, maximum compression and separation",
     "false"},
    {"account",
     Kind::flag,
     {},
     "account for the difference between delivered and prescribed restitution of each impact",
     "false"},
    {"horizon",
     Kind::flag,
     {},
     "the predictability horizon: until when a second solution, at a hundredth of the tolerance, stays with this "
     "one",
     "false"},
    {"channels", Kind::constants, {}, "named expressions of what the scene measures", "none"},
};
constexpr Section kOutputs{"outputs", "what is written", kOutputKeys,
                           "outputs: {every: 1 ms, channels: {height: ball.z - 0.1}}"};

constexpr Key kPartKeys[] = {
    {"file",
     Kind::file,
     {},
     "a scene file: its mechanism is taken, not its gravity, ground, solver and outputs",
     "",
     true},
    {"at", Kind::vector, d::length, "where the origin of that file stands", "[0, 0, 0]"},
    {"angle", Kind::number, d::number, "turn of the part about `axis`, in that place", "0"},
    {"axis", Kind::direction, {}, "of `angle`", "z"},
    {"with", Kind::constants, {}, "constants of that file that are given from here", "as the file has them"},
};
constexpr Section kPart{"parts", "a mechanism from another file; its names get the part's in front: wheel_rim",
                        kPartKeys, "parts:\n  wheel: {file: wheel.yaml, at: [0, 0, 0.2], with: {R: 20 mm}}"};

constexpr Key kRepetitionKeys[] = {
    {"for",
     Kind::constants,
     {},
     "names and their values: a range 1..40, first..last..step, or a list of numbers",
     "the entry stands once"},
    {"name", Kind::text, {}, "of an instance, such as \"link{i}\"", "the name of the entry, likewise with {i}"},
};
constexpr Section kRepetition{
    "for", "repeats an entry of any mapping of names", kRepetitionKeys,
    "bodies:\n  link{i}: {for: {i: 1..40}, mass: 2*rho*L, shape: {kind: rod, length: L}, at: [(i - 0.5)*L, 0, 0]}"};

constexpr Key kStartKeys[] = {
    {"equilibrium",
     Kind::flag,
     {},
     "find the static equilibrium first, contacts and friction loaded, and begin the run there at rest",
     "false"},
};
constexpr Section kStart{"start", "where the run begins", kStartKeys, "start: {equilibrium: true}"};

constexpr Key kSceneKeys[] = {
    {"title", Kind::text, {}, "one line", "the file's name"},
    {"description", Kind::text, {}, "more", ""},
    {"include", Kind::words, {}, "scene files that this one builds on; values given here override theirs", "none"},
    {"planar", Kind::flag, {}, "motion in the x-y plane: three unknowns a body", "false"},
    {"gravity", Kind::vector, d::acceleration, "acceleration of free fall", "[0, 0, -9.81], planar [0, -9.81]"},
    {"constants",
     Kind::constants,
     {},
     "names for numbers, with or without unit, or expressions of each other",
     "none"},
    {"variables", Kind::constants, {}, "numbers that expressions read and events set", "none"},
    {"parts", Kind::named, {}, "mechanisms from other files", "none", false, nullptr, &kPart},
    {"materials", Kind::named, {}, "materials", "none", false, nullptr, &kMaterial},
    {"bodies", Kind::named, {}, "bodies", "", true, nullptr, &kBody},
    {"joints", Kind::named, {}, "joints", "none", false, nullptr, &kJoint},
    {"drivers", Kind::named, {}, "drivers", "none", false, nullptr, &kDriver},
    {"springs", Kind::named, {}, "springs, dampers, bushings", "none", false, nullptr, &kSpring},
    {"forces", Kind::named, {}, "applied forces and torques", "none", false, nullptr, &kForce},
    {"contacts", Kind::named, {}, "pairs that can touch", "none", false, nullptr, &kContact},
    {"events", Kind::named, {}, "events", "none", false, nullptr, &kEvent},
    {"start", Kind::mapping, {}, "where the run begins", "as given", false, nullptr, &kStart},
    {"solver", Kind::mapping, {}, "time, integrator, tolerance", "", true, nullptr, &kSolver},
    {"outputs", Kind::mapping, {}, "samples and channels", "samples alone", false, nullptr, &kOutputs},
};
constexpr Section kScene{"scene", "a scene file", kSceneKeys};

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::number: return "number";
    case Kind::whole: return "whole number";
    case Kind::flag: return "true or false";
    case Kind::word: return "word";
    case Kind::text: return "text";
    case Kind::name: return "name";
    case Kind::names: return "two names";
    case Kind::function: return "number or expression";
    case Kind::functions: return "numbers or expressions";
    case Kind::numbers: return "number or list of numbers";
    case Kind::vector: return "vector";
    case Kind::vectors: return "list of vectors";
    case Kind::points: return "list of points";
    case Kind::named_points: return "mapping of names to points";
    case Kind::direction: return "axis or vector";
    case Kind::directions: return "two axes or vectors";
    case Kind::words: return "text or list of texts";
    case Kind::file: return "file";
    case Kind::condition: return "condition";
    case Kind::mapping: return "mapping";
    case Kind::named: return "mapping of names";
    case Kind::list: return "list of mappings";
    case Kind::constants: return "mapping of names to values";
  }
  return "";
}

const Section& scene_section() { return kScene; }
const Section& repetition_section() { return kRepetition; }

Found find_in_schema(std::string_view path, const Section& root) {
  Found found{&root, nullptr};
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view word = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    const Key* match = nullptr;
    for (const Key& key : found.section->keys)
      if (key.name == word) match = &key;
    if (!match || (!path.empty() && !match->inner)) return {};
    found = match->inner ? Found{match->inner, nullptr} : Found{found.section, match};
  }
  return found;
}

namespace {
const Key& key_of(std::string_view path) {
  const Key* key = find_in_schema(path).key;
  assert(key && "a path of the schema");
  return *key;
}
}  // namespace

double default_number(const Key& key) {
  const Result<double> number = read_number(key.otherwise, key.dimension);
  assert(number && "the default of this key is a number");
  return *number;
}
double default_number(std::string_view path) { return default_number(key_of(path)); }

double default_number(std::string_view path, std::string_view name, double value) {
  const std::string_view names[] = {name};
  const Result<expression::Program> program = expression::parse(key_of(path).otherwise, names);
  assert(program && "the default of this key is an expression");
  return program->evaluate(std::span<const double>(&value, 1));
}

bool default_flag(const Key& key) { return key.otherwise.starts_with("true"); }
bool default_flag(std::string_view path) { return default_flag(key_of(path)); }

std::string_view default_word(const Key& key) {
  if (!key.words) return key.otherwise;
  const Words words = key.words();
  return std::ranges::find(words, key.otherwise) == words.end() ? std::string_view{} : key.otherwise;
}
std::string_view default_word(std::string_view path) { return default_word(key_of(path)); }

Vec3 default_vector(std::string_view path, bool planar) {
  std::string_view text = key_of(path).otherwise;
  if (planar) text.remove_prefix(std::min(text.find("planar"), text.size()));
  const std::size_t begin = text.find('['), end = text.find(']');
  assert(begin < end && "the default of this key is a vector");
  Vec3 out;
  double* const axes[] = {&out.x, &out.y, &out.z};
  std::size_t axis = 0;
  for (const std::string& number : split_at(text.substr(begin + 1, end - begin - 1), ','))
    if (axis < 3) *axes[axis++] = *read_number(number);
  return out;
}

}  // namespace percuss::scene
