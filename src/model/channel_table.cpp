// One row per quantity; columns of samples stand in this order.
#include "percuss/model/channel_table.h"

namespace percuss::model {

namespace {

using Of = ChannelRow::Of;
using In = ChannelRow::In;
using K = Channel::Kind;
namespace d = dimension;

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
    {Of::spring, "force", K::spring_force, 0, d::force, "N or N m", "its force, damping included"},
};

}  // namespace

std::span<const ChannelRow> channel_rows() { return kRows; }

}  // namespace percuss::model
