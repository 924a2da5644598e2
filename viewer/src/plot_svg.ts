// A plot as SVG, of what is in view.
import type uPlot from "uplot";
import type { PlotBlock } from "./document";
import { colour } from "./dom";
import { short } from "./numbers";
import type { Line } from "./plot";

const W = 720, H = 400, LEFT = 80, RIGHT = 160, TOP = 40, BOTTOM = 50;

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

function ticks(low: number, high: number, log: boolean): number[] {
  if (log) {
    const some: number[] = [], few = high / low < 300;
    for (let k = Math.floor(Math.log10(low)); 10 ** k <= high; ++k)
      for (const digit of few ? [1, 2, 5] : [1]) if (digit * 10 ** k >= low && digit * 10 ** k <= high) some.push(digit * 10 ** k);
    return some;
  }
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (!(high - low > 1e-12 * size)) return [low]; // steps would be lost in rounding
  const rough = (high - low) / 6, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough) ?? rough;
  const out: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high; ++k) out.push(k * step);
  return out;
}

export function toSvg(block: PlotBlock, lines: Line[], scales: Record<string, uPlot.Scale> | undefined): string {
  const x0 = scales?.x?.min ?? 0, x1 = scales?.x?.max ?? 1, y0 = scales?.y?.min ?? 0, y1 = scales?.y?.max ?? 1;
  const share = (v: number, low: number, high: number, log?: boolean) =>
    log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
  const px = (x: number) => LEFT + share(x, x0, x1, block.x.log) * (W - LEFT - RIGHT);
  const py = (y: number) => H - BOTTOM - share(y, y0, y1, block.y.log) * (H - TOP - BOTTOM);
  const mark = (x: number, y: number, kind: number) => kind === 1
    ? `M${(x - 4).toFixed(2)} ${y.toFixed(2)}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`
    : `M${(x - 3.5).toFixed(2)} ${(y - 3.5).toFixed(2)}l7 7m-7 0l7 -7`;
  const parts: string[] = [];
  const text = (x: number, y: number, t: string, more = "") => parts.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escaped(t)}</text>`);
  for (const v of ticks(x0, x1, !!block.x.log)) {
    parts.push(`<path d="M${px(v).toFixed(1)} ${TOP}V${H - BOTTOM}" stroke="#ddd"/>`);
    text(px(v), H - BOTTOM + 16, short(v, 6), 'text-anchor="middle"');
  }
  for (const v of ticks(y0, y1, !!block.y.log)) {
    parts.push(`<path d="M${LEFT} ${py(v).toFixed(1)}H${W - RIGHT}" stroke="#ddd"/>`);
    text(LEFT - 6, py(v) + 4, short(v, 6), 'text-anchor="end"');
  }
  lines.forEach((line, i) => {
    const stroke = colour(line.stroke) || "#000";
    let d = "", open = false;
    for (let k = 0; k < line.x.length; ++k) {
      const x = line.x[k]!, y = line.y[k]!;
      if (!Number.isFinite(x) || !Number.isFinite(y) || x < x0 || x > x1) { open = false; continue; }
      d += line.marks ? mark(px(x), py(y), line.marks) : `${open ? "L" : "M"}${px(x).toFixed(2)} ${py(y).toFixed(2)}`;
      open = true;
    }
    parts.push(`<path d="${d}" fill="none" stroke="${stroke}" stroke-width="1.5" stroke-dasharray="${line.dash.join(" ")}" clip-path="url(#c)"/>`);
    const key = line.marks ? mark(W - RIGHT + 21, TOP + 8 + 18 * i, line.marks) : `M${W - RIGHT + 10} ${TOP + 8 + 18 * i}h22`;
    parts.push(`<path d="${key}" fill="none" stroke="${stroke}" stroke-width="2" stroke-dasharray="${line.dash.join(" ")}"/>`);
    text(W - RIGHT + 38, TOP + 12 + 18 * i, line.name);
  });
  const label = (a: { label: string; unit: string }) => a.label + (a.unit ? ` (${a.unit})` : "");
  text((LEFT + W - RIGHT) / 2, H - 12, label(block.x), 'text-anchor="middle"');
  text(18, (TOP + H - BOTTOM) / 2, label(block.y), `text-anchor="middle" transform="rotate(-90 18 ${(TOP + H - BOTTOM) / 2})"`);
  text(LEFT, 22, block.title, 'font-weight="600"');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${W}" height="${H}" viewBox="0 0 ${W} ${H}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/><clipPath id="c"><rect x="${LEFT}" y="${TOP}" width="${W - LEFT - RIGHT}" height="${H - TOP - BOTTOM}"/></clipPath>${parts.join("")}<rect x="${LEFT}" y="${TOP}" width="${W - LEFT - RIGHT}" height="${H - TOP - BOTTOM}" fill="none" stroke="#555"/></svg>\n`;
}
