// percuss import, as a person calls it.
#include <vector>

#include "percuss/io/urdf.h"
#include "run.h"

namespace percuss::tests {
namespace {

class Import : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    if (!io::reads_urdf()) GTEST_SKIP() << "built without urdfdom";
  }
  Said imported(const std::string& xml, const std::string& options = "") {
    write("robot.urdf", xml);
    return percuss("import robot.urdf " + options);
  }
};

constexpr char kInertial[] =
    "<inertial><mass value=\"2\"/><inertia ixx=\"0.1\" iyy=\"0.2\" izz=\"0.2\" ixy=\"0\" ixz=\"0\" "
    "iyz=\"0\"/></inertial>";

std::string link(const std::string& name, const std::string& inside = kInertial) {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}
std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& inside = "", const std::string& type = "continuous") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" +
         child + "\"/><axis xyz=\"0 1 0\"/>" + inside + "</joint>\n";
}
std::string robot(const std::string& inside) { return "<robot name=\"r\">\n" + inside + "</robot>\n"; }

TEST_F(Import, OfTheShippedRobotIsASceneThatRuns) {
  const Said said = percuss("import '" PERCUSS_SOURCE "/examples/gripper.urdf'");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.err.find("gripper.urdf:59: not carried over: joint \"shoulder\": limits -1.57 to 1.57 rad, effort "
                          "20 N m, speed 3 rad/s\n"),
            std::string::npos)
      << said.err;
  EXPECT_NE(said.err.find("gripper.urdf:82: not carried over: element \"transmission\" has no counterpart\n"),
            std::string::npos);
  const std::string scene = contents(folder_ / "gripper.yaml");
  // what the terminal lists stands at the head of the file, too
  EXPECT_NE(scene.find("#   59: joint \"shoulder\": limits -1.57 to 1.57 rad, effort 20 N m, speed 3 rad/s\n"),
            std::string::npos)
      << scene;
  EXPECT_NE(scene.find("  arm:  # with link palm (by wrist)\n    mass: 1.5\n    centre_of_mass: [0, 0, -0.244]\n"),
            std::string::npos);
  EXPECT_NE(scene.find("right_slide_mimic: {type: gear, joints: [right_slide, left_slide], ratio: 1}"),
            std::string::npos);
  EXPECT_NE(scene.find("shoulder_damping: {joint: shoulder, damping: 0.05}"), std::string::npos);
  EXPECT_EQ(percuss("check gripper.yaml").code, 0);
  const Said run = percuss("run gripper.yaml --no-h5");
  EXPECT_EQ(run.code, 0) << run.err;
}

TEST_F(Import, NeverOverwritesAFile) {
  write("robot.yaml", "mine");
  EXPECT_EQ(imported(robot(link("a"))).code, 2);
  EXPECT_EQ(contents(folder_ / "robot.yaml"), "mine");
  EXPECT_EQ(imported(robot(link("a")), "--force").code, 0);
}

TEST_F(Import, FixesARootWithoutMassAndLeavesOneWithMassFree) {
  EXPECT_EQ(imported(robot(link("a", "") + link("b") + joint("j", "a", "b")), "--out one.yaml").code, 0);
  EXPECT_NE(contents(folder_ / "one.yaml").find("between: [ground, b]"), std::string::npos);
  EXPECT_EQ(imported(robot(link("a") + link("b") + joint("j", "a", "b")), "--out two.yaml").code, 0);
  EXPECT_NE(contents(folder_ / "two.yaml").find("between: [a, b]"), std::string::npos);
  const Said said = imported(robot(link("a") + link("b") + joint("j", "a", "b")), "--base fixed --out three.yaml");
  EXPECT_EQ(said.code, 0);
  EXPECT_NE(contents(folder_ / "three.yaml").find("between: [ground, b]"), std::string::npos);
  EXPECT_NE(said.err.find("robot.urdf:2: not carried over: link \"a\": its mass"), std::string::npos) << said.err;
}

TEST_F(Import, PutsMimickingJointsWhereTheirOffsetSays) {
  const Said said = imported(robot(link("a", "") + link("b") + link("c") + joint("j", "a", "b") +
                                   joint("k", "a", "c", "<mimic joint=\"j\" multiplier=\"-2\" offset=\"0.5\"/>")));
  EXPECT_EQ(said.code, 0) << said.err;
  const std::string scene = contents(folder_ / "robot.yaml");
  EXPECT_NE(scene.find("angle: 0.5\n    axis: y\n"), std::string::npos) << scene;
  EXPECT_NE(scene.find("{type: gear, joints: [k, j], ratio: -2}"), std::string::npos) << scene;
}

TEST_F(Import, MakesNamesThatAreTakenOrNotAllowedAnew) {
  const Said said =
      imported(robot(link("base-1", "") + link("2nd/link") + joint("2nd/link", "base-1", "2nd/link")));
  EXPECT_EQ(said.code, 0) << said.err;
  const std::string scene = contents(folder_ / "robot.yaml");
  EXPECT_NE(scene.find("  body_2nd_link:  # link 2nd/link\n"), std::string::npos) << scene;
  EXPECT_NE(scene.find("  joint_2nd_link:  # 2nd/link\n"), std::string::npos) << scene;
}

TEST_F(Import, ListsMeshesThatItCannotTake) {
  const std::string mesh = std::string(kInertial) +
                           "\n<collision><geometry><mesh filename=\"package://r/arm.dae\"/></geometry></collision>";
  const Said said = imported(robot(link("a", mesh)));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(
      said.err.find(
          "robot.urdf:3: not carried over: link \"a\": mesh \"package://r/arm.dae\": the file is not found\n"),
      std::string::npos)
      << said.err;
}

TEST_F(Import, TakesConvexMeshesInTheirPlace) {
  // a tetrahedron
  write("arm.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string mesh = std::string(kInertial) +
                           "<collision><origin xyz=\"0 0 1\"/><geometry><mesh filename=\"package://r/arm.obj\" "
                           "scale=\"0.1 0.1 0.1\"/></geometry></collision>";
  const Said said = imported(robot(link("a", mesh)));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(
      contents(folder_ / "robot.yaml").find("kind: polyhedron, file: \"arm.obj\", scale: 0.1, at: [0, 0, 1]}"),
      std::string::npos)
      << contents(folder_ / "robot.yaml");
  EXPECT_EQ(percuss("check robot.yaml").code, 0);
}

TEST_F(Import, RefusesWhatIsNoRobotInOneLineWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"<robot name=\"r\"><link name=\"a\">\n</robot>\n", "robot.urdf:2:"},
      {"", "robot.urdf: error: "},
      {"<model/>", "no element \"robot\""},
      {robot(""), "robot.urdf:1: error: the robot has no link"},
      {robot(link("a") + joint("j", "a", "bb") + link("b")),
       "robot.urdf:3: error: joint \"j\": no link is called \"bb\"; did you mean \"b\"?"},
      {robot(link("a") + link("b") + joint("j", "a", "b") + joint("k", "a", "b")),
       "robot.urdf:5: error: joint \"k\": link \"b\" is the child of joint \"j\" on line 4 already; a URDF is a "
       "tree, loops are not in it"},
      {robot(link("a") + link("b") + joint("j", "a", "b") + joint("k", "b", "a")),
       "carries itself; a URDF is a tree"},
      {robot(link("a") + link("b")), "robot.urdf:3: error: link \"b\" is the child of no joint"},
      {robot(link("a", "")), "robot.urdf:2: error: no link moves"},
      {robot(link("a") + link("a")), "robot.urdf:3: error: link \"a\": there is one of this name on line 2"},
      {robot(link("a", "") + link("b", "") + joint("j", "a", "b")),
       "robot.urdf:3: error: link \"b\" moves and has a mass of 0 kg"},
      {robot(link("a",
                  "<inertial><mass value=\"-1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
                  "iyz=\"0\"/></inertial>")),
       "robot.urdf:2: error: link \"a\": a mass of -1 kg; must be above 0"},
      {robot(link("a") + link("b") + joint("j", "a", "b", "", "hinge")),
       "robot.urdf:4: error: joint \"j\": type \"hinge\"; expected revolute"},
      {robot(link("a") + link("b") + joint("j", "a", "b", "", "revolute")),
       "robot.urdf:4: error: joint \"j\": a revolute joint needs a limit"},
      {robot(link("a",
                  "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"5\" ixy=\"0\" ixz=\"0\" "
                  "iyz=\"0\"/></inertial>")),
       "no rigid body has this inertia"},
      {robot(link("a",
                  "<inertial><mass value=\"heavy\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
                  "iyz=\"0\"/></inertial>")),
       "robot.urdf"},
  };
  for (const auto& [xml, says] : wrong) {
    const Said said = imported(xml);
    EXPECT_EQ(said.code, 2) << xml;
    EXPECT_EQ(said.error_lines(), 1) << xml << said.err;
    EXPECT_NE(said.err.find(says), std::string::npos) << xml << "said: " << said.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "robot.yaml")) << xml;
  }
}

}  // namespace
}  // namespace percuss::tests
