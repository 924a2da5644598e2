// One HTML file without references: script and style stand in it. Usage: node build.mjs [OUTPUT.html]
import { build } from "esbuild";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "../src/report/page_template.html");

const result = await build({
  entryPoints: [join(here, "src/main.ts")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2021",
  charset: "utf8",
  legalComments: "eof",
  loader: { ".css": "text" },
  write: false,
  outfile: "page.js",
});
// nothing inside a script may look like its end
const script = result.outputFiles[0].text.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const page = readFileSync(join(here, "src/page.html"), "utf8").replace("/*SCRIPT*/", () => script);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output + ".partial", page);
renameSync(output + ".partial", output);
