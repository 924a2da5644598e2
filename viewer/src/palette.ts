// One scale of colours for values: dark to light, even to the eye, and read alike by people with colour-vision
// deficiency (the corners are those of "viridis").
const CORNERS: [number, number, number][] = [
  [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [109, 205, 89],
  [180, 222, 44], [253, 231, 37],
];

/** The colour of a share from 0 to 1. */
export function shade(share: number): string {
  const at = Math.min(Math.max(share, 0), 1) * (CORNERS.length - 1);
  const i = Math.min(Math.floor(at), CORNERS.length - 2);
  const [a, b] = [CORNERS[i]!, CORNERS[i + 1]!];
  const mix = (k: 0 | 1 | 2) => Math.round(a[k] + (at - i) * (b[k] - a[k]));
  return `rgb(${mix(0)}, ${mix(1)}, ${mix(2)})`;
}

/** Least and greatest of the numbers that are there. */
export function range(values: Float64Array): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  return [low, high];
}
