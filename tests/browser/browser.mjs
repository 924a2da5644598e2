// Opens pages from disk in Debian's Chromium; collects errors and requests.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";

const require = createRequire(new URL("../../viewer/package.json", import.meta.url));
const { chromium } = require("playwright-core");

export async function launch() {
  const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!program) throw new Error("chromium is not installed");
  return chromium.launch({
    executablePath: program,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
  });
}

/** A page from disk; `problems` fills with console errors, exceptions, and every request but the file itself. */
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (m) => { if (m.type() === "error") problems.push("console: " + m.text()); });
  page.on("pageerror", (e) => problems.push("exception: " + e.message));
  page.on("request", (r) => { if (r.url() !== "file://" + file && !/^(blob|data):/.test(r.url())) problems.push("request: " + r.url()); });
  const begin = Date.now();
  await page.goto("file://" + file);
  await page.waitForSelector("html[data-ready]", { timeout: 30000 });
  return { page, problems, seconds: (Date.now() - begin) / 1000 };
}
