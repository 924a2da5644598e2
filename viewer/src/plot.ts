// One plot: lines with units, a legend that reads the cursor and hides curves, zoom by drag or wheel, PNG and SVG.
import uPlot from "uplot";
import type { Clock } from "./clock";
import type { Arrays, PlotBlock } from "./document";
import { colour, el, save } from "./dom";
import { short } from "./numbers";
import { toSvg } from "./plot_svg";

const HEIGHT = 260;
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const COLOURS = 8; // of the style sheet: Okabe and Ito's, told apart by people with colour-vision deficiency

export interface Line {
  name: string;
  x: Float64Array;
  y: Float64Array;
  stroke: string; // a variable of the style sheet
  dash: number[];
  marks: number; // 0: a line; 1: rings; 2: crosses
}

function linesOf(block: PlotBlock, arrays: Arrays): Line[] {
  let place = 0, sets = 0;
  return block.curves.map((curve) => {
    const stroke = curve.muted ? "--muted" : `--line-${place % COLOURS}`;
    const cycle = curve.muted || curve.marks ? 0 : Math.floor(place / COLOURS) % DASHES.length;
    const dash = curve.dashed ? [6, 4] : DASHES[cycle] ?? [];
    if (!curve.muted) ++place;
    const marks = curve.marks ? 1 + (sets++ % 2) : 0;
    return { name: curve.name, x: arrays.at(curve.x), y: arrays.at(curve.y), stroke, dash, marks };
  });
}

/** Each curve on top of those before it. */
function stacked(lines: Line[]): Line[] {
  const sum = new Float64Array(lines[0]?.y.length ?? 0);
  return lines.map((line) => {
    for (let i = 0; i < sum.length; ++i) sum[i]! += line.y[i] ?? 0;
    return { ...line, y: sum.slice() };
  });
}

function range(values: Float64Array[], log: boolean): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const array of values)
    for (const value of array) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  if (log && low > 0) return [low / 1.1, high * 1.1];
  return high >= low ? padded(low, high) : [0, 1];
}

/** Any curve, loops too; uPlot's own paths want rising x. Points closer than half a pixel are left out. */
function freePath(u: uPlot, index: number): uPlot.Series.Paths | null {
  const [x, y] = u.data[index] as unknown as [Float64Array, Float64Array];
  const stroke = new Path2D();
  let open = false, lastX = 0, lastY = 0;
  for (let i = 0; i < x.length; ++i) {
    const a = x[i]!, b = y[i]!;
    if (!Number.isFinite(a) || !Number.isFinite(b)) {
      open = false;
      continue;
    }
    const px = u.valToPos(a, "x", true), py = u.valToPos(b, "y", true);
    if (!open) stroke.moveTo(px, py);
    else if (Math.abs(px - lastX) + Math.abs(py - lastY) < 0.5 && i + 1 < x.length) continue;
    else stroke.lineTo(px, py);
    open = true;
    lastX = px;
    lastY = py;
  }
  return { stroke, fill: null as unknown as Path2D, clip: null as unknown as Path2D, flags: 1 } as uPlot.Series.Paths;
}

/** Points of which each is seen; rings and crosses in turn are told apart where they coincide. */
function marksPath(u: uPlot, index: number, crosses: boolean): uPlot.Series.Paths | null {
  const [x, y] = u.data[index] as unknown as [Float64Array, Float64Array];
  const stroke = new Path2D(), size = 4 * devicePixelRatio;
  for (let i = 0; i < x.length; ++i) {
    const px = u.valToPos(x[i]!, "x", true), py = u.valToPos(y[i]!, "y", true);
    if (crosses) {
      stroke.moveTo(px - size, py - size);
      stroke.lineTo(px + size, py + size);
      stroke.moveTo(px - size, py + size);
      stroke.lineTo(px + size, py - size);
    } else {
      stroke.moveTo(px + size, py);
      stroke.arc(px, py, size, 0, 2 * Math.PI);
    }
  }
  return { stroke, fill: null as unknown as Path2D, clip: null as unknown as Path2D, flags: 1 } as uPlot.Series.Paths;
}

/** Zooms of plots over time go together; those out of sight follow when they come into it. */
export class TimeGroup {
  private members: { plot: uPlot; seen: boolean }[] = [];
  private range: { min: number; max: number } | null = null;
  private busy = false;

  add(plot: uPlot): void {
    const member = { plot, seen: false };
    this.members.push(member);
    new IntersectionObserver((entries) => {
      member.seen = entries.some((e) => e.isIntersecting);
      if (member.seen) this.follow(plot);
    }).observe(plot.root);
  }

  zoom(from: uPlot): void {
    const { min, max } = from.scales.x!;
    if (this.busy || min == null || max == null) return;
    this.range = { min, max };
    for (const { plot, seen } of this.members) if (seen && plot !== from) this.follow(plot);
  }

  private follow(plot: uPlot): void {
    if (!this.range || (plot.scales.x!.min === this.range.min && plot.scales.x!.max === this.range.max)) return;
    this.busy = true;
    plot.setScale("x", this.range);
    this.busy = false;
  }
}

export function plot(block: PlotBlock, arrays: Arrays, clock: Clock, group: TimeGroup): HTMLElement {
  const plain = linesOf(block, arrays);
  const lines = block.stacked ? stacked(plain) : plain;
  const shared = !!block.time && lines.every((line) => line.x === lines[0]?.x) && !lines.some((line) => line.marks);
  const holder = el("div", { class: "plot-area" });
  const figure = el("figure", { class: "plot", id: block.id });
  const unit = (axis: { label: string; unit: string }) => axis.label + (axis.unit ? ` (${axis.unit})` : "");
  const xFull = range(lines.map((line) => line.x), !!block.x.log);
  if (block.time && lines[0]) xFull[0] = lines[0].x[0] ?? 0;
  const yFull = range(lines.map((line) => line.y), !!block.y.log);
  if (block.stacked) yFull[0] = Math.min(0, yFull[0]);

  const axis = (label: string, size: number): uPlot.Axis => ({
    label,
    size,
    labelSize: 20,
    stroke: () => colour("--ink"),
    grid: { stroke: () => colour("--grid"), width: 1 },
    ticks: { stroke: () => colour("--grid"), width: 1 },
    values: (_, splits) => splits.map((v) => (v == null ? "" : short(v, 5))),
  });
  const value = (_u: uPlot, v: number | null, index: number, at?: number | null): string => {
    if (v == null) return "–";
    const line = plain[index - 1];
    return short(block.stacked && line && at != null ? line.y[at] ?? v : v, 7);
  };
  const series: uPlot.Series[] = lines.map((line) => ({
    label: line.name,
    stroke: () => colour(line.stroke),
    width: 1.5,
    dash: line.dash,
    ...(block.stacked ? { fill: () => colour(line.stroke) + "99" } : {}),
    points: { show: false },
    ...(shared ? { value } : { paths: line.marks ? (u: uPlot, k: number) => marksPath(u, k, line.marks === 2) : freePath, facets: [{ scale: "x", auto: false }, { scale: "y", auto: false }],
      value: (u: uPlot, _v: unknown, k: number) => {
        const at = (u.cursor.idxs ?? [])[k];
        return at == null ? "–" : `${short(line.x[at] ?? NaN, 6)}, ${short(line.y[at] ?? NaN, 7)}`;
      } }),

  }));
  const options: uPlot.Options = {
    width: 640,
    height: HEIGHT,
    ...(shared ? {} : { mode: 2 as const }),
    scales: {
      x: { time: false, ...(block.x.log ? { distr: 3 as const } : {}), range: (_u, low, high) => (low == null ? xFull : [low, high]) },
      y: { ...(block.y.log ? { distr: 3 as const } : {}), range: (_u, low, high) => (low == null || block.stacked ? yFull : shared ? padded(low, high) : [low, high]) },
    },
    axes: [{ ...axis(unit(block.x), 34), space: 76 }, axis(unit(block.y), 64)],
    series: [shared ? { label: block.x.label, value: (_u, v) => (v == null ? "–" : short(v, 8) + " " + block.x.unit) } : {}, ...series],
    cursor: {
      drag: { x: true, y: !shared, uni: 20 },
      ...(block.time ? { sync: { key: "time", scales: ["x", null] } } : {}),
      ...(shared ? {} : { dataIdx: (u: uPlot, index: number) => nearest(u, lines[index - 1]) }),
    },
    ...(block.stacked ? { bands: lines.slice(1).map((_, i) => ({ series: [i + 2, i + 1] as [number, number] })) } : {}),
    legend: { live: true },
    hooks: {
      setScale: [(u, key) => { if (block.time && key === "x") group.zoom(u); }],
      draw: [(u) => { if (block.time && Number.isFinite(clock.time)) drawTime(u, clock.time); }],
    },
  };
  const data = shared
    ? [lines[0]?.x ?? new Float64Array(), ...lines.map((line) => line.y)]
    : [null, ...lines.map((line) => [line.x, line.y])];
  let u: uPlot | null = null;
  const make = () => {
    u = new uPlot(options, data as unknown as uPlot.AlignedData, holder);
    if (!shared) {
      u.setScale("x", { min: xFull[0], max: xFull[1] });
      u.setScale("y", { min: yFull[0], max: yFull[1] });
    }
    if (block.time) group.add(u);
    const fit = () => { const w = holder.clientWidth; if (w > 0 && Math.abs(w - u!.width) > 1) u!.setSize({ width: w, height: HEIGHT }); };
    new ResizeObserver(fit).observe(holder);
    fit();
    u.over.addEventListener("click", () => {
      const left = u!.cursor.left ?? -1;
      if (block.time && left >= 0) clock.set(u!.posToVal(left, "x"), u);
    });
    u.over.addEventListener("wheel", (event) => wheel(u!, event, xFull), { passive: false });
    if (block.time) clock.listen(() => u!.redraw(false, false));
    (figure as HTMLElement & { plot?: uPlot }).plot = u;
  };
  const name = block.id.replace(/[^a-z0-9]+/gi, "-");
  const png = el("button", { type: "button", title: "Save as PNG", click: () => u?.ctx.canvas.toBlob((b) => { if (b) save(name + ".png", b); }) }, "PNG");
  const svg = el("button", { type: "button", title: "Save as SVG", click: () => save(name + ".svg", new Blob([toSvg(block, lines, u?.scales)], { type: "image/svg+xml" })) }, "SVG");
  const reset = el("button", { type: "button", title: "Show all (double click)", click: () => {
    u?.setScale("x", { min: xFull[0], max: xFull[1] });
    if (!shared) u?.setScale("y", { min: yFull[0], max: yFull[1] });
  } }, "all");
  figure.append(el("figcaption", {}, el("span", {}, block.title), el("span", { class: "tools" }, reset, png, svg)), holder);
  if (block.note) figure.append(el("p", { class: "note" }, block.note));
  whenVisible(figure, make);
  return figure;
}

/** Plots are made when they come near the screen, and all of them before printing. */
function whenVisible(figure: HTMLElement, make: () => void): void {
  let made = false;
  const once = () => { if (!made) { made = true; make(); } };
  const watch = new IntersectionObserver((entries) => {
    if (entries.some((e) => e.isIntersecting)) { watch.disconnect(); once(); }
  }, { rootMargin: "600px" });
  watch.observe(figure);
  window.addEventListener("beforeprint", once);
}

/** A range with some room; what differs by rounding alone is not spread over the plot. */
function padded(low: number, high: number | null): [number, number] {
  const top = high ?? low, size = Math.max(Math.abs(low), Math.abs(top));
  const room = top - low > 1e-9 * size ? 0.05 * (top - low) : 0.1 * size || 1;
  return [low - room, top + room];
}

function nearest(u: uPlot, line: Line | undefined): number | null {
  const left = u.cursor.left ?? -1, top = u.cursor.top ?? -1;
  if (!line || left < 0) return null;
  const dx = u.posToVal(left + 1, "x") - u.posToVal(left, "x"), dy = u.posToVal(top + 1, "y") - u.posToVal(top, "y");
  const cx = u.posToVal(left, "x"), cy = u.posToVal(top, "y");
  let best: number | null = null, least = Infinity;
  for (let i = 0; i < line.x.length; ++i) {
    const d = ((line.x[i]! - cx) / dx) ** 2 + ((line.y[i]! - cy) / dy) ** 2;
    if (d < least) { least = d; best = i; }
  }
  return best;
}

function wheel(u: uPlot, event: WheelEvent, full: [number, number]): void {
  if (!event.ctrlKey && !event.shiftKey) return; // the page scrolls
  event.preventDefault();
  const { min, max } = u.scales.x!;
  if (min == null || max == null) return;
  const at = u.posToVal(event.offsetX, "x");
  const factor = event.deltaY < 0 ? 0.8 : 1.25;
  if (event.shiftKey) {
    const shift = 0.1 * (max - min) * Math.sign(event.deltaY || event.deltaX);
    u.setScale("x", { min: min + shift, max: max + shift });
  } else {
    u.setScale("x", { min: Math.max(full[0], at - (at - min) * factor), max: Math.min(full[1], at + (max - at) * factor) });
  }
}

function drawTime(u: uPlot, time: number): void {
  const x = u.valToPos(time, "x", true);
  const { left, top, width, height } = u.bbox;
  if (x < left || x > left + width) return;
  u.ctx.save();
  u.ctx.strokeStyle = colour("--accent");
  u.ctx.lineWidth = 1.5 * devicePixelRatio;
  u.ctx.beginPath();
  u.ctx.moveTo(x, top);
  u.ctx.lineTo(x, top + height);
  u.ctx.stroke();
  u.ctx.restore();
}
