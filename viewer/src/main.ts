// The page: header, sections, blocks.
import uPlotStyle from "uplot/dist/uPlot.min.css";
import { bars } from "./bars";
import { Clock } from "./clock";
import { Arrays, type Block, type Document } from "./document";
import { el } from "./dom";
import { map } from "./map";
import { parallel } from "./parallel";
import { plot, TimeGroup } from "./plot";
import { replay } from "./replay";
import style from "./style.css";
import { table } from "./table";

function code(title: string, text: string): HTMLElement {
  const copy = el("button", { type: "button" }, "copy");
  const pre = el("pre", {}, text);
  copy.addEventListener("click", () => {
    const range = document.createRange();
    range.selectNodeContents(pre);
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
    const done = () => { copy.textContent = "copied"; };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => document.execCommand("copy") && done());
    else if (document.execCommand("copy")) done();
  });
  return el("details", { class: "code" }, el("summary", {}, title), el("div", { class: "tools" }, copy), pre);
}

function themeButton(): HTMLElement {
  const root = document.documentElement;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const button = el("button", { type: "button", class: "theme", title: "Light or dark" }, "◐");
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    document.dispatchEvent(new Event("themechange"));
    window.dispatchEvent(new Event("resize"));
  });
  return button;
}

function main(): void {
  document.head.append(el("style", {}, uPlotStyle), el("style", {}, style));
  const source = document.getElementById("document")!;
  const page = document.getElementById("page")!;
  let data: Document;
  try {
    data = JSON.parse(source.textContent ?? "") as Document;
  } catch {
    page.append(el("p", { class: "warning" }, "This file is not whole: its data cannot be read. Write the report again."));
    return;
  }
  source.remove();
  const arrays = new Arrays(data.arrays), clock = new Clock(), group = new TimeGroup();
  const element = (block: Block): HTMLElement => {
    switch (block.kind) {
      case "plot": return plot(block, arrays, clock, group);
      case "table": return table(block, clock);
      case "bars": return bars(block);
      case "map": return map(block, arrays);
      case "parallel": return parallel(block, arrays);
      case "replay": return replay(block, arrays, clock);
      case "code": return code(block.title, block.text);
      case "text": return el("p", {}, block.text);
    }
  };
  document.title = data.title + " · percuss";
  const links = data.sections.map((s) => el("a", { href: "#" + s.id }, s.title));
  page.append(el("header", {}, el("div", { class: "bar-top" }, el("h1", {}, data.title), themeButton()),
    el("p", { class: "subtitle" }, data.subtitle), el("p", { class: "answer" }, data.answer),
    ...(data.warnings.length ? [el("ul", { class: "warnings" }, ...data.warnings.map((w) => el("li", {}, w)))] : []),
    el("nav", {}, ...links)));
  for (const section of data.sections)
    page.append(el("section", { id: section.id }, el("h2", {}, section.title),
      el("div", { class: "blocks" }, ...section.blocks.map(element))));
  document.documentElement.dataset.ready = "true";
}

main();
