// Numbers for people.

const PREFIXES: [number, string][] = [
  [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"],
];
const PREFIXABLE = new Set(["m", "s", "N", "J", "m/s", "N s", "Pa", "W", "N/m"]);

/** Significant digits without an exponent where that stays short. */
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace(/\.?0*e\+?/, "e");
  return value.toPrecision(digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}

export function withUnit(value: number, unit: string, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0 || !PREFIXABLE.has(unit)) return short(value, digits) + (unit ? " " + unit : "");
  const size = Math.abs(value);
  for (const [factor, prefix] of PREFIXES)
    if (size >= factor * 0.9995) return (value / factor).toPrecision(digits) + " " + prefix + unit;
  return short(value, digits) + " " + unit;
}

/** All digits that tell a double from its neighbours. */
export function exact(value: number): string {
  return Number.isFinite(value) ? String(value) : "–";
}
