// One row per quantity; columns of samples stand in this order.
#include "percuss/model/channel_table.h"

namespace percuss::model {

namespace {

using Of = ChannelRow::Of;
using In = ChannelRow::In;
using K = Channel::Kind;
namespace d = dimension;
constexpr Dimension kAngularAcceleration{0, 0, -2}, kMomentum{1, 1, -1}, kAngularMomentum{2, 1, -1};

constexpr ChannelRow kRows[] = {
    {Of::body, "x", K::body_position, 0, d::length, "m", "position of the body's frame"},
    {Of::body, "y", K::body_position, 1, d::length, "m", "position of the body's frame"},
    {Of::body, "z", K::body_position, 2, d::length, "m", "position of the body's frame", In::space},
    {Of::body, "angle", K::body_turn, 0, d::number, "rad", "angle of the body, whole turns counted", In::plane},
    {Of::body, "qw", K::body_orientation, 0, d::number, "", "orientation: unit quaternion, scalar part", In::space},
    {Of::body, "qx", K::body_orientation, 1, d::number, "", "orientation: unit quaternion", In::space},
    {Of::body, "qy", K::body_orientation, 2, d::number, "", "orientation: unit quaternion", In::space},
    {Of::body, "qz", K::body_orientation, 3, d::number, "", "orientation: unit quaternion", In::space},
    {Of::body, "vx", K::body_velocity, 0, d::velocity, "m/s", "velocity of the frame's origin, world axes"},
    {Of::body, "vy", K::body_velocity, 1, d::velocity, "m/s", "velocity of the frame's origin, world axes"},
    {Of::body, "vz", K::body_velocity, 2, d::velocity, "m/s", "velocity of the frame's origin, world axes",
     In::space},
    {Of::body, "w", K::body_angular_velocity, 2, d::angular_velocity, "rad/s", "angular velocity", In::plane},
    {Of::body, "wx", K::body_angular_velocity, 0, d::angular_velocity, "rad/s", "angular velocity, world axes",
     In::space},
    {Of::body, "wy", K::body_angular_velocity, 1, d::angular_velocity, "rad/s", "angular velocity, world axes",
     In::space},
    {Of::body, "wz", K::body_angular_velocity, 2, d::angular_velocity, "rad/s", "angular velocity, world axes",
     In::space},
    {Of::contact, "indentation", K::contact_indentation, 0, d::length, "m",
     "largest indentation of its contact points; while none touches, minus the smallest gap"},
    {Of::contact, "rate", K::contact_rate, 0, d::velocity, "m/s", "rate of that indentation"},
    {Of::contact, "force", K::contact_force, 0, d::force, "N", "normal force, sum over its contact points"},
    {Of::contact, "friction", K::contact_friction, 0, d::force, "N",
     "size of the friction force, vector sum over its contact points"},
    {Of::contact, "points", K::contact_points, 0, d::number, "", "how many contact points touch"},
    {Of::spring, "length", K::spring_length, 0, d::length, "m or rad", "its length, or the joint's coordinate"},
    {Of::spring, "rate", K::spring_rate, 0, d::velocity, "m/s or rad/s", "rate of its length"},
    {Of::spring, "stretch", K::spring_stretch, 0, d::length, "m or rad", "its length less that at rest"},
    {Of::spring, "force", K::spring_force, 0, d::force, "N or N m",
     "its force, damping included; below 0 it pulls its ends together"},

    {Of::body, "ax", K::body_acceleration, 0, d::acceleration, "m/s^2", "acceleration of the frame's origin",
     In::both, false},
    {Of::body, "ay", K::body_acceleration, 1, d::acceleration, "m/s^2", "acceleration of the frame's origin",
     In::both, false},
    {Of::body, "az", K::body_acceleration, 2, d::acceleration, "m/s^2", "acceleration of the frame's origin",
     In::space, false},
    {Of::body, "alpha", K::body_angular_acceleration, 2, kAngularAcceleration, "rad/s^2", "angular acceleration",
     In::plane, false},
    {Of::body, "alphax", K::body_angular_acceleration, 0, kAngularAcceleration, "rad/s^2",
     "angular acceleration, world axes", In::space, false},
    {Of::body, "alphay", K::body_angular_acceleration, 1, kAngularAcceleration, "rad/s^2",
     "angular acceleration, world axes", In::space, false},
    {Of::body, "alphaz", K::body_angular_acceleration, 2, kAngularAcceleration, "rad/s^2",
     "angular acceleration, world axes", In::space, false},
    {Of::body, "tilt", K::body_tilt, 0, d::number, "rad", "angle of the body's z axis from the vertical, 0 to pi",
     In::space, false},
    {Of::body, "roll", K::body_euler, 0, d::number, "rad", "turn about x; R = Rz(yaw) Ry(pitch) Rx(roll)",
     In::space, false},
    {Of::body, "pitch", K::body_euler, 1, d::number, "rad", "turn about y, -pi/2 to pi/2", In::space, false},
    {Of::body, "yaw", K::body_euler, 2, d::number, "rad", "turn about z", In::space, false},
    {Of::body, "momentum_x", K::body_momentum, 0, kMomentum, "kg m/s", "momentum", In::both, false},
    {Of::body, "momentum_y", K::body_momentum, 1, kMomentum, "kg m/s", "momentum", In::both, false},
    {Of::body, "momentum_z", K::body_momentum, 2, kMomentum, "kg m/s", "momentum", In::space, false},
    {Of::body, "angular_momentum_x", K::body_angular_momentum, 0, kAngularMomentum, "kg m^2/s",
     "angular momentum about the centre of mass, world axes", In::space, false},
    {Of::body, "angular_momentum_y", K::body_angular_momentum, 1, kAngularMomentum, "kg m^2/s",
     "angular momentum about the centre of mass, world axes", In::space, false},
    {Of::body, "angular_momentum_z", K::body_angular_momentum, 2, kAngularMomentum, "kg m^2/s",
     "angular momentum about the centre of mass", In::both, false},
    {Of::body, "kinetic", K::body_kinetic, 0, d::energy, "J", "kinetic energy", In::both, false},
    {Of::body, "potential", K::body_potential, 0, d::energy, "J", "energy in the field of gravity", In::both,
     false},
    {Of::marker, "x", K::marker_position, 0, d::length, "m", "position of the marker", In::both, false},
    {Of::marker, "y", K::marker_position, 1, d::length, "m", "position of the marker", In::both, false},
    {Of::marker, "z", K::marker_position, 2, d::length, "m", "position of the marker", In::space, false},
    {Of::marker, "vx", K::marker_velocity, 0, d::velocity, "m/s", "velocity of the marker, world axes", In::both,
     false},
    {Of::marker, "vy", K::marker_velocity, 1, d::velocity, "m/s", "velocity of the marker, world axes", In::both,
     false},
    {Of::marker, "vz", K::marker_velocity, 2, d::velocity, "m/s", "velocity of the marker, world axes", In::space,
     false},
    {Of::marker, "ax", K::marker_acceleration, 0, d::acceleration, "m/s^2",
     "acceleration of the marker, world axes", In::both, false},
    {Of::marker, "ay", K::marker_acceleration, 1, d::acceleration, "m/s^2",
     "acceleration of the marker, world axes", In::both, false},
    {Of::marker, "az", K::marker_acceleration, 2, d::acceleration, "m/s^2",
     "acceleration of the marker, world axes", In::space, false},
    {Of::joint, "fx", K::joint_reaction, 0, d::force, "N", "force of the joint on its second body, world axes",
     In::both, false},
    {Of::joint, "fy", K::joint_reaction, 1, d::force, "N", "force of the joint on its second body, world axes",
     In::both, false},
    {Of::joint, "fz", K::joint_reaction, 2, d::force, "N", "force of the joint on its second body, world axes",
     In::space, false},
    {Of::joint, "tx", K::joint_reaction, 3, d::torque, "N m", "torque about the anchor on its second body",
     In::space, false},
    {Of::joint, "ty", K::joint_reaction, 4, d::torque, "N m", "torque about the anchor on its second body",
     In::space, false},
    {Of::joint, "tz", K::joint_reaction, 5, d::torque, "N m", "torque about the anchor on its second body",
     In::both, false},
    {Of::coupling, "force", K::coupling_force, 0, d::force, "N or N m", "of a gear or rack: what couples the two",
     In::both, false},
    {Of::driver, "force", K::driver_force, 0, d::force, "N or N m", "what the driver exerts on its coordinate",
     In::both, false},
    {Of::contact, "fx", K::contact_push, 0, d::force, "N",
     "force on the second of the bodies in `between`, friction included, summed over the contact points", In::both,
     false},
    {Of::contact, "fy", K::contact_push, 1, d::force, "N", "force on the second body", In::both, false},
    {Of::contact, "fz", K::contact_push, 2, d::force, "N", "force on the second body", In::space, false},
    {Of::system, "x", K::system_position, 0, d::length, "m", "centre of mass of all bodies that can move", In::both,
     false},
    {Of::system, "y", K::system_position, 1, d::length, "m", "centre of mass of all bodies that can move", In::both,
     false},
    {Of::system, "z", K::system_position, 2, d::length, "m", "centre of mass of all bodies that can move",
     In::space, false},
    {Of::system, "momentum_x", K::system_momentum, 0, kMomentum, "kg m/s", "momentum of all bodies that can move",
     In::both, false},
    {Of::system, "momentum_y", K::system_momentum, 1, kMomentum, "kg m/s", "momentum of all bodies that can move",
     In::both, false},
    {Of::system, "momentum_z", K::system_momentum, 2, kMomentum, "kg m/s", "momentum of all bodies that can move",
     In::space, false},
    {Of::system, "angular_momentum_x", K::system_angular_momentum, 0, kAngularMomentum, "kg m^2/s",
     "angular momentum about the origin of the world", In::space, false},
    {Of::system, "angular_momentum_y", K::system_angular_momentum, 1, kAngularMomentum, "kg m^2/s",
     "angular momentum about the origin of the world", In::space, false},
    {Of::system, "angular_momentum_z", K::system_angular_momentum, 2, kAngularMomentum, "kg m^2/s",
     "angular momentum about the origin of the world", In::both, false},
    {Of::system, "kinetic", K::system_kinetic, 0, d::energy, "J", "kinetic energy of all bodies", In::both, false},
    {Of::system, "potential", K::system_potential, 0, d::energy, "J",
     "energy of all bodies in the field of gravity", In::both, false},
};

constexpr VectorRow kVectors[] = {
    {"position", "x y z"},
    {"velocity", "vx vy vz"},
    {"acceleration", "ax ay az"},
    {"orientation", "qw qx qy qz"},
    {"euler_angles", "roll pitch yaw"},
    {"angular_velocity", "w wx wy wz"},
    {"angular_acceleration", "alpha alphax alphay alphaz"},
    {"momentum", "momentum_x momentum_y momentum_z"},
    {"angular_momentum", "angular_momentum_x angular_momentum_y angular_momentum_z"},
    {"reaction", "fx fy fz"},
    {"reaction_torque", "tx ty tz"},
    {"push", "fx fy fz"},
};

}  // namespace

std::span<const VectorRow> vector_rows() { return kVectors; }

bool follows_from_forces(Channel::Kind kind) {
  switch (kind) {
    case K::body_acceleration:
    case K::body_angular_acceleration:
    case K::marker_acceleration:
    case K::joint_reaction:
    case K::coupling_force:
    case K::driver_force: return true;
    default: return false;
  }
}

std::span<const ChannelRow> channel_rows() { return kRows; }

}  // namespace percuss::model
