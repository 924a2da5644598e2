// Shapes of bodies as meshes.
import * as three from "three";
import type { Shape } from "./document";

/** The rotation that takes z to an axis. */
function along(axis: [number, number, number]): three.Quaternion {
  return new three.Quaternion().setFromUnitVectors(new three.Vector3(0, 0, 1), new three.Vector3(...axis).normalize());
}

function outline(points: [number, number, number][], depth: number): three.BufferGeometry {
  const shape = new three.Shape(points.map(([x, y]) => new three.Vector2(x, y)));
  const out = new three.ExtrudeGeometry(shape, { depth, bevelEnabled: false });
  return out.translate(0, 0, -depth / 2);
}

function faces(points: [number, number, number][], sides: number[][]): three.BufferGeometry {
  const places: number[] = [];
  for (const side of sides)
    for (let k = 1; k + 1 < side.length; ++k)
      for (const corner of [side[0]!, side[k]!, side[k + 1]!]) places.push(...points[corner]!);
  const out = new three.BufferGeometry();
  out.setAttribute("position", new three.Float32BufferAttribute(places, 3));
  out.computeVertexNormals();
  return out;
}

export interface ShapeStyle {
  planar: boolean;
  size: number; // of the scene
  fine: boolean; // few bodies: round things are drawn round
}

/** Null: nothing to draw. Geometry in the axes of the body. */
export function geometryOf(shape: Shape, style: ShapeStyle): three.BufferGeometry | null {
  const around = style.fine ? 48 : 10, thin = 0.02 * style.size;
  const r = shape.radius ?? 0, l = shape.length ?? 0, axis = shape.axis ?? [0, 0, 1];
  let out: three.BufferGeometry | null = null;
  switch (shape.kind) {
    case "sphere":
      out = style.planar
        ? new three.CylinderGeometry(r, r, thin, around).rotateX(Math.PI / 2)
        : new three.SphereGeometry(r, around, around / 2);
      break;
    case "capsule":
      out = new three.CapsuleGeometry(r, l, around / 4, around).rotateX(Math.PI / 2).applyQuaternion(along(axis));
      break;
    case "cylinder":
      out = new three.CylinderGeometry(r, r, l || thin, around).rotateX(Math.PI / 2).applyQuaternion(along(axis));
      break;
    case "hole":
      out = new three.TorusGeometry(r + 0.04 * r, 0.04 * r, 8, 64).applyQuaternion(along(axis));
      break;
    case "plane": {
      const wide = 4 * style.size;
      out = style.planar
        ? new three.BoxGeometry(wide, thin, 0.1 * thin).translate(0, -thin / 2, 0)
            .applyQuaternion(new three.Quaternion().setFromUnitVectors(new three.Vector3(0, 1, 0), new three.Vector3(...axis).normalize()))
        : new three.BoxGeometry(wide, wide, thin).translate(0, 0, -thin / 2).applyQuaternion(along(axis));
      break;
    }
    case "segment":
      out = new three.BoxGeometry(thin / 4, thin / 4, l || style.size).applyQuaternion(along(axis));
      break;
    case "slot":
      out = null;
      break;
    case "mesh":
      if (shape.points && shape.faces && !style.planar) out = faces(shape.points, shape.faces);
      else if (shape.points) out = outline(shape.points, thin);
      break;
  }
  return out && shape.kind !== "mesh" ? out.translate(...shape.at) : out;
}
