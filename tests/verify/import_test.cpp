// Robots in URDF: the scene has the kinematics and the masses of the robot, computed here a second time.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <random>

#include "percuss/base/index.h"
#include "percuss/io/urdf_scene.h"
#include "percuss/model/rows.h"
#include "random_cases.h"
#include "scene_runs.h"

namespace percuss {
namespace {

using Frame = Eigen::Isometry3d;

struct Link {
  std::string name;
  double mass = 0;
  Frame centre;
  Eigen::Matrix3d second;  // moments of mass about the centre, its axes: inertia = tr(second) - second
};
struct Hinge {
  std::string type, parent, child;
  Frame origin;
  Eigen::Vector3d axis;
};

/// A tree of links, as XML and as numbers.
struct Robot {
  std::vector<Link> links;
  std::vector<Hinge> hinges;
  std::string xml;
};

Robot random_robot(int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto between = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
  };
  const auto vector = [&](double size) {
    return Eigen::Vector3d(between(-size, size), between(-size, size), between(-size, size));
  };
  const auto text = [](const Eigen::Vector3d& v) {
    return text_of(v.x()) + " " + text_of(v.y()) + " " + text_of(v.z());
  };
  const auto frame = [&](std::string& out) {
    const Eigen::Vector3d xyz = vector(0.5), rpy = vector(3);
    out = "<origin xyz=\"" + text(xyz) + "\" rpy=\"" + text(rpy) + "\"/>";
    return Frame(Eigen::Translation3d(xyz) * Eigen::AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) *
                 Eigen::AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
                 Eigen::AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX()));
  };
  Robot robot;
  std::string links, hinges, origin;
  const int n = 2 + seed % 8;
  for (int i = 0; i < n; ++i) {
    Link link{"link" + std::to_string(i), between(0.1, 2), frame(origin), Eigen::Matrix3d::Zero()};
    for (int k = 0; k < 4; ++k) {  // a few point masses: what has moments is a body
      const Eigen::Vector3d r = vector(0.1);
      link.second += link.mass / 4 * r * r.transpose();
    }
    const Eigen::Matrix3d inertia = link.second.trace() * Eigen::Matrix3d::Identity() - link.second;
    links += "<link name=\"" + link.name + "\"><inertial>" + origin + "<mass value=\"" + text_of(link.mass) +
             "\"/><inertia ixx=\"" + text_of(inertia(0, 0)) + "\" iyy=\"" + text_of(inertia(1, 1)) + "\" izz=\"" +
             text_of(inertia(2, 2)) + "\" ixy=\"" + text_of(inertia(0, 1)) + "\" ixz=\"" + text_of(inertia(0, 2)) +
             "\" iyz=\"" + text_of(inertia(1, 2)) + "\"/></inertial></link>\n";
    robot.links.push_back(link);
    if (i == 0) continue;
    const char* const types[] = {"revolute", "continuous", "prismatic", "fixed", "planar", "floating"};
    Hinge hinge{types[random() % 6], "link" + std::to_string(random() % static_cast<unsigned>(i)), link.name,
                frame(origin), vector(1).normalized()};
    hinges += "<joint name=\"joint" + std::to_string(i) + "\" type=\"" + hinge.type + "\">" + origin +
              "<parent link=\"" + hinge.parent + "\"/><child link=\"" + hinge.child + "\"/><axis xyz=\"" +
              text(hinge.axis) + "\"/><limit lower=\"-4\" upper=\"4\" effort=\"1\" velocity=\"1\"/></joint>\n";
    robot.hinges.push_back(hinge);
  }
  robot.xml = "<robot name=\"random\">\n" + links + hinges + "</robot>\n";
  return robot;
}

Frame motion_of(const Hinge& hinge, double q) {
  if (hinge.type == "prismatic") return Frame(Eigen::Translation3d(q * hinge.axis));
  if (hinge.type == "revolute" || hinge.type == "continuous") return Frame(Eigen::AngleAxisd(q, hinge.axis));
  return Frame::Identity();
}

/// Where every link is; a joint that leaves more than one motion stays at its zero.
std::map<std::string, Frame> forward(const Robot& robot, const std::vector<double>& q) {
  std::map<std::string, Frame> out{{"link0", Frame::Identity()}};
  for (std::size_t i = 0; i < robot.hinges.size(); ++i) {
    const Hinge& h = robot.hinges[i];
    out[h.child] = out.at(h.parent) * h.origin * motion_of(h, q[i]);
  }
  return out;
}

class RandomRobots : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!io::reads_urdf()) GTEST_SKIP() << "built without urdfdom";
  }
};

TEST_P(RandomRobots, KeepTheirKinematicsAndTheirMasses) {
  const Robot robot = random_robot(GetParam());
  const Result<io::Urdf> urdf = io::read_urdf(robot.xml, "robot.urdf");
  ASSERT_TRUE(urdf) << one_line(urdf.errors().front());
  const io::UrdfBase base = GetParam() % 2 == 0 ? io::UrdfBase::fixed : io::UrdfBase::free;
  const Result<io::UrdfScene> scene = io::scene_of(*urdf, base, ".", ".");
  if (base == io::UrdfBase::fixed &&
      std::ranges::all_of(robot.hinges, [](const Hinge& h) { return h.type == "fixed"; })) {
    ASSERT_FALSE(scene);
    EXPECT_NE(one_line(scene.errors().front()).find("no link moves"), std::string::npos);
    return;
  }
  ASSERT_TRUE(scene) << one_line(scene.errors().front());
  const model::Compiled compiled = from_text(scene->text);
  const model::Model& m = compiled.model;
  ASSERT_FALSE(m.bodies.empty()) << scene->text;
  // numbers of the file have twelve digits; a chain of n links adds them up
  const double allowed = 1e-11 * static_cast<double>(robot.links.size());

  // which links are one body: those up to the next joint that moves
  std::map<std::string, std::string> body_of{{"link0", base == io::UrdfBase::fixed ? "ground" : "link0"}};
  for (const Hinge& h : robot.hinges) body_of[h.child] = h.type == "fixed" ? body_of.at(h.parent) : h.child;

  model::Motions begin;
  model::place_bodies(m, 0, m.start, begin);
  for (const bool at_start : {true, false}) {
    std::mt19937 random(7);
    std::vector<double> q;
    for (std::size_t i = 0; i < robot.hinges.size(); ++i)
      q.push_back(at_start ? 0 : static_cast<double>(random()) / 4294967296.0 - 0.5);
    const std::map<std::string, Frame> place = forward(robot, q);
    std::vector<double> y = m.start;
    for (const model::Body& b : m.bodies) {
      if (b.velocity_count == 0) continue;
      const Frame& own = place.at(b.name);
      double mass = 0;
      Eigen::Vector3d centre = Eigen::Vector3d::Zero();
      for (const Link& l : robot.links)
        if (body_of.at(l.name) == b.name) {
          mass += l.mass;
          centre += l.mass * (place.at(l.name) * l.centre).translation();
        }
      centre /= mass;
      Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  // about the common centre, world axes
      for (const Link& l : robot.links)
        if (body_of.at(l.name) == b.name) {
          const Frame c = place.at(l.name) * l.centre;
          const Eigen::Vector3d r = c.translation() - centre;
          second += c.rotation() * l.second * c.rotation().transpose() + l.mass * r * r.transpose();
        }
      const Eigen::Matrix3d inertia = second.trace() * Eigen::Matrix3d::Identity() - second;
      EXPECT_NEAR(b.mass_kg, mass, allowed);
      const Eigen::Quaterniond turn(own.rotation());
      const Mat3 R = matrix_of({turn.w(), turn.x(), turn.y(), turn.z()});
      const Mat3 world = R * b.inertia_kgm2 * transposed(R);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(world.row[at(i)].x, inertia(i, 0), allowed);
        EXPECT_NEAR(world.row[at(i)].y, inertia(i, 1), allowed);
        EXPECT_NEAR(world.row[at(i)].z, inertia(i, 2), allowed);
      }
      const Vec3 origin{own.translation().x(), own.translation().y(), own.translation().z()};
      const Vec3 p = origin - R * b.origin_m;  // of the centre, as the scene has it
      EXPECT_NEAR(norm(p - Vec3{centre.x(), centre.y(), centre.z()}), 0, allowed);
      if (at_start) {
        EXPECT_NEAR(norm(p - Vec3{y[at(b.q_at)], y[at(b.q_at) + 1], y[at(b.q_at) + 2]}), 0, allowed);
        const Quat known{y[at(b.q_at) + 3], y[at(b.q_at) + 4], y[at(b.q_at) + 5], y[at(b.q_at) + 6]};
        EXPECT_NEAR(std::abs(known.w * turn.w() + known.x * turn.x() + known.y * turn.y() + known.z * turn.z()), 1,
                    allowed);
      }
      y[at(b.q_at)] = p.x, y[at(b.q_at) + 1] = p.y, y[at(b.q_at) + 2] = p.z;
      y[at(b.q_at) + 3] = turn.w(), y[at(b.q_at) + 4] = turn.x(), y[at(b.q_at) + 5] = turn.y(),
                     y[at(b.q_at) + 6] = turn.z();
    }
    // there, too, every joint of the scene is closed, and its coordinate is that of the robot
    model::Motions motions;
    model::place_bodies(m, 0, y, motions);
    if (!m.rows.empty()) {
      model::Constraints rows(m);
      rows.evaluate(0, y, motions, m.start_angle);
      for (const double r : rows.residual()) EXPECT_NEAR(r, 0, allowed);
    }
    for (const model::Joint& joint : m.joints) {
      const std::size_t i = static_cast<std::size_t>(std::stoi(joint.name.substr(5))) - 1;
      if (robot.hinges[i].type == "planar") continue;
      // angles count from another place: they differ by a constant
      const int index = joint.coordinates[0].measure;
      const geometry::Measure& measure = m.measures[at(index)];
      const auto value = [&](const model::Motions& at_place) {
        return geometry::evaluate(measure, at_place[at(measure.body_a)], at_place[at(measure.body_b)],
                                  m.start_angle[at(index)])
            .value;
      };
      EXPECT_NEAR(value(motions) - value(begin), q[i], allowed) << robot.hinges[i].type;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRobots, ::testing::Range(0, cases(30, 3000)));

}  // namespace
}  // namespace percuss
