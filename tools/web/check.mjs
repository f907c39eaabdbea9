// Checks pages of relimit: `node check.mjs --chromium PATH FILE.html...`; prints what is wrong and ends with 1 if anything is.
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { HtmlValidate } from "html-validate";
import { chromium } from "playwright-core";

import { layout } from "./layout.mjs";

const LARGEST = 1_500_000; // bytes
const WIDTHS = [360, 1600]; // CSS pixels
const SCHEMES = ["light", "dark"];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const words = process.argv.slice(2);
const at = words.indexOf("--chromium");
const executablePath = at < 0 ? "/usr/bin/chromium" : words.splice(at, 2)[1];
if (words.length === 0) {
  console.error("usage: node check.mjs [--chromium PATH] FILE.html...");
  process.exit(2);
}

/** What the validator says, one line a message. */
async function markup(file) {
  const validator = new HtmlValidate({ extends: ["html-validate:recommended", "html-validate:document"] });
  const report = await validator.validateFile(file);
  return report.results.flatMap((r) => r.messages.map((m) => `line ${m.line}: ${m.message} (${m.ruleId})`));
}

/** What a browser shows wrong at one width in one colour scheme. */
async function shown(browser, file, width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", (e) => wrong.push(`script: ${e.message}`));
  page.on("request", (r) => r.url().startsWith("file:") || wrong.push(`asks for ${r.url()}`));
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  wrong.push(...(await page.evaluate(layout)));
  // pictures are images with a title and a description; their thousands of lines only cost axe time
  await page.evaluate(() => document.querySelectorAll("svg > :not(title, desc, style)").forEach((e) => e.remove()));
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document));
  for (const v of violations) {
    const where = v.nodes.slice(0, 3).map((n) => n.target.join(" "));
    wrong.push(`axe ${v.id} (${v.impact}): ${v.help}: ${where.join("; ")}${v.nodes.length > 3 ? " ..." : ""}`);
  }
  await context.close();
  return wrong.map((w) => `${width} px, ${colorScheme}: ${w}`);
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
let failed = 0;
for (const file of words) {
  const bytes = statSync(file).size;
  const wrong = bytes < LARGEST ? [] : [`weighs ${bytes} bytes, at most ${LARGEST} are allowed`];
  wrong.push(...(await markup(file)));
  for (const width of WIDTHS) {
    for (const scheme of SCHEMES) wrong.push(...(await shown(browser, file, width, scheme)));
  }
  failed += wrong.length > 0 ? 1 : 0;
  console.log(`page ${file}: ${wrong.length === 0 ? `ok, ${bytes} bytes` : `${wrong.length} faults`}`);
  for (const w of wrong) console.log(`  ${w}`);
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
