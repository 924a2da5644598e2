// A table that sorts by any column; a click on a row moves the replay to its time.
import type { Clock } from "./clock";
import type { Cell, TableBlock } from "./document";
import { el } from "./dom";
import { exact, withUnit } from "./numbers";

const FIRST_ROWS = 200;

export function table(block: TableBlock, clock: Clock): HTMLElement {
  let order = block.rows.map((_, i) => i);
  let sortedBy = -1, down = false, shown = FIRST_ROWS;
  const body = el("tbody");
  const numeric = block.columns.map((_, i) => block.rows.some((row) => typeof row[i] === "number"));
  const text = (cell: Cell, column: number) => {
    if (cell === null) return "–";
    return typeof cell === "number" ? withUnit(cell, block.columns[column]?.unit ?? "", 6) : cell;
  };
  const jump = (row: Cell[]) => {
    const time = block.time === undefined ? null : row[block.time];
    if (typeof time === "number") clock.set(time, block);
  };
  const fill = () => {
    body.replaceChildren(...order.slice(0, shown).map((index) => {
      const row = block.rows[index]!;
      const line = el("tr", block.time === undefined ? {} : {
        tabindex: "0", title: "Show in the replay",
        click: () => jump(row),
        keydown: (event) => { if ((event as KeyboardEvent).key === "Enter") jump(row); },
      });
      line.append(...row.map((cell, column) =>
        el("td", typeof cell === "number" ? { class: "number", title: exact(cell) } : cell === null && numeric[column] ? { class: "number" } : {}, text(cell, column))));
      return line;
    }));
    if (order.length > shown)
      body.append(el("tr", {}, el("td", { colspan: String(block.columns.length) },
        el("button", { type: "button", click: () => { shown = order.length; fill(); } }, `show all ${order.length}`))));
  };
  const heads = block.columns.map((column, i) => {
    const button = el("button", { type: "button", title: column.hint ?? "Sort" }, column.name);
    button.addEventListener("click", () => {
      down = sortedBy === i ? !down : !!numeric[i] && i > 0;
      sortedBy = i;
      const compare = (a: Cell, b: Cell): number => {
        if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
        const way = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
        return down ? -way : way;
      };
      order = block.rows.map((_, k) => k).sort((p, q) => compare(block.rows[p]![i] ?? null, block.rows[q]![i] ?? null) || p - q);
      for (const [k, head] of heads.entries())
        head.setAttribute("aria-sort", k === i ? (down ? "descending" : "ascending") : "none");
      fill();
    });
    return el("th", numeric[i] ? { scope: "col", class: "number" } : { scope: "col" }, button);
  });
  fill();
  const out = el("div", { class: "table", id: block.id }, el("h3", {}, block.title),
    el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body)));
  if (block.note) out.append(el("p", { class: "note" }, block.note));
  return out;
}
