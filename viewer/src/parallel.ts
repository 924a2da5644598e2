// Parallel coordinates: a line a point; dragging along a column keeps the lines that pass there.
import type { Arrays, ParallelBlock } from "./document";
import { colour, el, save } from "./dom";
import { short } from "./numbers";
import { range, shade } from "./palette";

export function parallel(block: ParallelBlock, arrays: Arrays): HTMLElement {
  const columns = block.columns.map((c) => {
    const values = arrays.at(c.values);
    const [low, high] = c.words.length ? [0, Math.max(c.words.length - 1, 1)] : range(values);
    return { ...c, values, low, high, from: -Infinity, to: Infinity };
  });
  const canvas = el("canvas", { class: "parallel", tabindex: "0" });
  const count = el("span", { class: "readout" });
  const height = 340, top = 56, bottom = 26;
  const last = columns[columns.length - 1]!;
  const share = (c: (typeof columns)[number], v: number) => (c.high > c.low ? (v - c.low) / (c.high - c.low) : 0.5);

  const draw = () => {
    const width = Math.max(canvas.parentElement?.clientWidth ?? 0, 320), ratio = devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const g = canvas.getContext("2d")!;
    g.scale(ratio, ratio);
    g.clearRect(0, 0, width, height);
    const x = (i: number) => 50 + (i * (width - 100)) / Math.max(columns.length - 1, 1);
    const y = (i: number, v: number) => height - bottom - share(columns[i]!, v) * (height - top - bottom);
    const kept: number[] = [], others: number[] = [];
    for (let r = 0; r < last.values.length; ++r) {
      if (columns.some((c) => !Number.isFinite(c.values[r]!))) continue;
      const inside = columns.every((c) => c.values[r]! >= c.from && c.values[r]! <= c.to);
      (inside ? kept : others).push(r);
    }
    const line = (r: number) => {
      g.beginPath();
      columns.forEach((c, i) => (i ? g.lineTo(x(i), y(i, c.values[r]!)) : g.moveTo(x(i), y(i, c.values[r]!))));
      g.stroke();
    };
    g.lineWidth = 1;
    g.globalAlpha = 0.12;
    g.strokeStyle = colour("--muted");
    others.forEach(line);
    g.globalAlpha = Math.min(1, Math.max(0.12, 120 / Math.max(kept.length, 1)));
    for (const r of kept) {
      g.strokeStyle = shade(share(last, last.values[r]!));
      line(r);
    }
    g.globalAlpha = 1;
    g.font = "12px system-ui, sans-serif";
    g.textAlign = "center";
    columns.forEach((c, i) => {
      g.strokeStyle = g.fillStyle = colour("--ink");
      g.beginPath();
      g.moveTo(x(i), top);
      g.lineTo(x(i), height - bottom);
      g.stroke();
      g.fillText(c.name, x(i), 14 + (i % 2) * 14);
      if (c.words.length)
        c.words.forEach((word, k) => { // on a ground of their own: lines pass here
          const wide = g.measureText(word).width + 6;
          g.fillStyle = colour("--panel");
          g.fillRect(x(i) - wide / 2, y(i, k) - 16, wide, 15);
          g.fillStyle = colour("--ink");
          g.fillText(word, x(i), y(i, k) - 4);
        });
      else {
        g.fillText(short(c.low, 3), x(i), height - 10);
        g.fillText(short(c.high, 3), x(i), top - 8);
      }
      if (Number.isFinite(c.from)) {
        g.globalAlpha = 0.25;
        g.fillRect(x(i) - 6, y(i, c.to), 12, y(i, c.from) - y(i, c.to));
        g.globalAlpha = 1;
      }
    });
    const lacking = last.values.length - kept.length - others.length;
    count.textContent = `${kept.length} of ${kept.length + others.length} lines` + (lacking ? `; ${lacking} points lack a number` : "");
    canvas.dataset.kept = String(kept.length);
  };

  let dragging = -1, start = 0;
  const valueAt = (i: number, at: number) => {
    const c = columns[i]!;
    return c.low + ((height - bottom - at) / (height - top - bottom)) * (c.high - c.low);
  };
  const column = (at: number) => {
    const width = canvas.clientWidth, step = (width - 100) / Math.max(columns.length - 1, 1);
    const i = Math.round((at - 50) / step);
    return i >= 0 && i < columns.length && Math.abs(50 + i * step - at) < 20 ? i : -1;
  };
  canvas.addEventListener("pointerdown", (e) => {
    dragging = column(e.offsetX);
    start = e.offsetY;
    if (dragging >= 0) {
      columns[dragging]!.from = -Infinity;
      columns[dragging]!.to = Infinity;
      canvas.setPointerCapture(e.pointerId);
    }
    draw();
  });
  canvas.addEventListener("pointermove", (e) => {
    if (dragging < 0 || Math.abs(e.offsetY - start) < 3) return;
    const [a, b] = [valueAt(dragging, start), valueAt(dragging, e.offsetY)];
    columns[dragging]!.from = Math.min(a, b);
    columns[dragging]!.to = Math.max(a, b);
    draw();
  });
  canvas.addEventListener("pointerup", () => { dragging = -1; });
  document.addEventListener("themechange", draw);
  addEventListener("resize", draw);
  requestAnimationFrame(draw);
  return el("figure", { class: "plot wide", id: block.id }, el("figcaption", {}, el("span", {}, block.title), count,
    el("span", { class: "tools" }, el("button", { type: "button", title: "Save as PNG", click: () => canvas.toBlob((b) => { if (b) save(block.id + ".png", b); }) }, "PNG"))), canvas,
    el("p", { class: "note" }, block.note));
}
