// One number a row, as a bar.
import type { BarsBlock } from "./document";
import { el } from "./dom";
import { exact, withUnit } from "./numbers";

export function bars(block: BarsBlock): HTMLElement {
  const most = Math.max(...block.bars.map((bar) => Math.abs(bar.value)).filter(Number.isFinite), Number.MIN_VALUE);
  const rows = block.bars.map((bar) => {
    const fill = el("span", { class: "fill" });
    fill.style.width = `${(100 * Math.abs(bar.value)) / most}%`;
    return el("div", { class: "bar", title: bar.note ?? exact(bar.value) }, el("span", { class: "name" }, bar.name),
      el("span", { class: "track" }, fill), el("span", { class: "number" }, withUnit(bar.value, block.unit, 4)));
  });
  return el("figure", { class: "bars", id: block.id }, el("figcaption", {}, el("span", {}, block.title)), ...rows);
}
