// A map: colours over two axes. Cells are elements, so that it prints, scales and says its numbers.
import type { Arrays, Axis, MapBlock } from "./document";
import { el, save } from "./dom";
import { exact, short } from "./numbers";
import { range, shade } from "./palette";

const SVG = "http://www.w3.org/2000/svg";

function node(name: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const out = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, String(value));
  if (text !== undefined) out.textContent = text;
  return out;
}

/** About `most` of the indices of `count` things. */
function some(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: count }, (_, i) => i).filter((i) => i % step === 0);
}

const named = (axis: Axis) => (axis.unit ? `${axis.label} (${axis.unit})` : axis.label);

export function map(block: MapBlock, arrays: Arrays): HTMLElement {
  const xs = arrays.at(block.xs), ys = arrays.at(block.ys), values = arrays.at(block.values);
  const [low, high] = range(values);
  const width = 460, height = 320, left = 70, bottom = 46, top = 8, right = 92;
  const w = (width - left - right) / xs.length, h = (height - top - bottom) / ys.length;
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, class: "map", role: "img" });
  const readout = el("span", { class: "readout" });
  for (let j = 0; j < ys.length; ++j)
    for (let i = 0; i < xs.length; ++i) {
      const value = values[j * xs.length + i]!;
      if (!Number.isFinite(value)) continue;
      const cell = node("rect", {
        x: left + i * w, y: height - bottom - (j + 1) * h, width: w + 0.3, height: h + 0.3,
        fill: shade(high > low ? (value - low) / (high - low) : 0.5),
      });
      const says = `${block.label} ${exact(value)} at ${block.x.label} ${short(xs[i]!)}, ${block.y.label} ${short(ys[j]!)}`;
      cell.append(node("title", {}, says));
      cell.addEventListener("pointerenter", () => { readout.textContent = says; });
      svg.append(cell);
    }
  for (const i of some(xs.length, 6))
    svg.append(node("text", { x: left + (i + 0.5) * w, y: height - bottom + 15, "text-anchor": "middle" }, short(xs[i]!, 3)));
  for (const j of some(ys.length, 8))
    svg.append(node("text", { x: left - 6, y: height - bottom - (j + 0.5) * h + 4, "text-anchor": "end" }, short(ys[j]!, 3)));
  svg.append(node("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle", class: "label" }, named(block.x)));
  const middle = (top + height - bottom) / 2;
  svg.append(node("text", { x: 14, y: middle, "text-anchor": "middle", class: "label", transform: `rotate(-90 14 ${middle})` }, named(block.y)));
  for (let k = 0; k < 32; ++k)
    svg.append(node("rect", {
      x: width - right + 14, y: height - bottom - ((k + 1) * (height - top - bottom)) / 32, width: 14,
      height: (height - top - bottom) / 32 + 0.3, fill: shade((k + 0.5) / 32),
    }));
  // as many digits as tell the ends apart
  const size = Math.max(Math.abs(low), Math.abs(high));
  const digits = high > low ? Math.min(12, Math.max(3, Math.ceil(Math.log10(size / (high - low))) + 2)) : 6;
  for (const share of [0, 0.5, 1])
    svg.append(node("text", { x: width - right + 32, y: height - bottom - share * (height - top - bottom - 8) }, short(low + share * (high - low), digits)));
  const name = block.id.replace(/[^a-z0-9]+/gi, "-");
  const whole = () => { // stands alone: its own size, ground and letters
    const copy = svg.cloneNode(true) as SVGElement;
    for (const [key, value] of Object.entries({ xmlns: SVG, width, height, "font-family": "sans-serif", "font-size": 11 }))
      copy.setAttribute(key, String(value));
    copy.prepend(node("rect", { width: "100%", height: "100%", fill: "#fff" }));
    return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  };
  const png = () => {
    const image = new Image(), scale = 2;
    image.onload = () => {
      const canvas = el("canvas", { width: String(scale * width), height: String(scale * height) });
      canvas.getContext("2d")!.drawImage(image, 0, 0, scale * width, scale * height);
      URL.revokeObjectURL(image.src);
      canvas.toBlob((b) => { if (b) save(name + ".png", b); });
    };
    image.src = URL.createObjectURL(whole());
  };
  const tools = el("span", { class: "tools" }, el("button", { type: "button", title: "Save as PNG", click: png }, "PNG"),
    el("button", { type: "button", title: "Save as SVG", click: () => save(name + ".svg", whole()) }, "SVG"));
  return el("figure", { class: "plot", id: block.id }, el("figcaption", {}, el("span", {}, block.title), readout, tools), svg,
    ...(block.note ? [el("p", { class: "note" }, block.note)] : []));
}
