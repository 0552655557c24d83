// The report's page in a real browser. Run by `make test-web`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, open } from "./browser.mjs";
import { folder, HOSTILE, manyLabels, mmo, trained } from "./fixtures.mjs";

let browser;
let run;
before(async () => {
  run = trained();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  run?.remove();
});

const names = (page) => page.$$eval("#labels tbody th button", (buttons) => buttons.map((b) => b.textContent));

test("every panel and chart is there, in order, without an error or a request", async () => {
  const { page, problems, context } = await open(browser, run.file("report.html"));
  const panels = await page.$$eval("section.panel", (all) => all.map((p) => p.id));
  assert.deepEqual(panels, ["headline", "labels", "confusions", "support", "lambda", "choices", "per-row", "worst", "tradeoff", "data", "again", "downloads"]);
  for (const id of ["support", "lambda", "per-row"]) {
    const drawn = await page.$eval(`#${id} svg.chart`, (svg) => ({ marks: svg.querySelectorAll(".mark, .band, .line").length, name: svg.getAttribute("aria-label"), nan: svg.outerHTML.includes("NaN") }));
    assert.ok(drawn.marks >= 2 && drawn.name && !drawn.nan, `${id}: ${JSON.stringify(drawn)}`);
  }
  const shown = await page.$eval("#headline .big", (e) => e.firstChild.textContent);
  assert.equal(shown, run.report.headline.value.toFixed(4));
  assert.deepEqual(problems, []);
  await context.close();
});

test("names are text, whatever they hold", async () => {
  const { page, problems, context } = await open(browser, run.file("report.html"));
  assert.deepEqual((await names(page)).sort(), [...HOSTILE].sort());
  assert.equal(await page.$$eval("img, iframe, object, main script, main style", (all) => all.length), 0);
  await page.$eval("#downloads", () => undefined);
  const html = readFileSync(run.file("report.html"), "utf8");
  assert.ok(!html.includes("onerror=alert(1)>\"") || html.includes("\\u003cimg"));
  assert.equal(html.split("<script").length, 3); // the data and the code, nothing else
  assert.deepEqual(problems, []);
  await context.close();
});

test("the table sorts, searches and filters", async () => {
  const { page, context } = await open(browser, run.file("report.html"));
  const heading = (title) => page.locator("#labels thead button", { hasText: title }).first();
  await heading("F1").click();
  assert.equal(await page.$eval("#labels th[aria-sort=descending]", (th) => th.textContent), "F1");
  const labels = run.report.labels;
  const f1 = labels.names.map((name, j) => [name, (2 * labels.tp[j]) / (2 * labels.tp[j] + labels.fp[j] + labels.fn[j])]);
  const best = [...f1].sort((a, b) => b[1] - a[1]);
  assert.equal((await names(page))[0], best[0][0]);
  await heading("F1").click();
  assert.equal((await names(page))[0], best.at(-1)[0]);
  await page.fill("#labels input[type=search]", "QUOTED");
  assert.deepEqual(await names(page), ["\"quoted\", with comma"]);
  await page.fill("#labels input[type=search]", "no such label");
  assert.match(await page.textContent("#labels tbody"), /No label matches/);
  await page.fill("#labels input[type=search]", "");
  await page.selectOption("#labels select", "rare");
  const rare = labels.names.filter((_, j) => labels.tp[j] + labels.fn[j] < 20);
  assert.deepEqual((await names(page)).sort(), rare.sort());
  await context.close();
});

test("a label opens by keyboard, with its curves, and closes by Escape", async () => {
  const { page, problems, context } = await open(browser, run.file("report.html"));
  await page.focus("#labels tbody th button");
  await page.keyboard.press("ArrowDown");
  const second = (await names(page))[1];
  await page.keyboard.press("Enter");
  assert.equal(await page.textContent("#drawer-title"), second);
  assert.equal(await page.$$eval("dialog[open] svg.chart", (all) => all.length), 2);
  await page.focus("dialog[open] input[type=range]");
  const atFirst = await page.textContent("dialog[open] .slider");
  await page.keyboard.press("End");
  assert.notEqual(await page.textContent("dialog[open] .slider"), atFirst);
  await page.keyboard.press("Escape");
  assert.equal(await page.$("dialog[open]"), null);
  assert.deepEqual(problems, []);
  await context.close();
});

// Decides each label's highest scores, as many as the thresholds that were downloaded give, and asks the program.
function programValues(rows, wanted) {
  const scores = rows.map((row) => row.map(Number));
  const decided = scores.map((row) => row.map(() => 0));
  wanted.forEach(({ given }, j) => {
    const order = scores.map((row, i) => [row[j], i]).sort((a, b) => b[0] - a[0]);
    assert.ok(given === 0 || given === order.length || order[given - 1][0] > order[given][0], "no tie at the threshold");
    for (let k = 0; k < given; ++k) decided[order[k][1]][j] = 1;
  });
  writeFileSync(run.file("decided.csv"), [HOSTILE.map((n) => `"${n.replaceAll('"', '""')}"`).join(","), ...decided.map((row) => row.join(","))].join("\n") + "\n");
  return JSON.parse(mmo(run.path, "evaluate", "--predictions", "decided.csv", "--as", "indicator", "test.csv", ...run.labels, "--json")).metrics;
}

test("the trade-off slider gives the program's own metrics to the last digit", async () => {
  const { page, context } = await open(browser, run.file("report.html"));
  const asDecided = JSON.parse(mmo(run.path, "evaluate", "m.mmo", "test.csv", ...run.labels, "--json")).metrics;
  const read = () => page.$$eval("#tradeoff [data-metric]", (cells) => Object.fromEntries(cells.map((c) => [c.dataset.metric, Number(c.dataset.value)])));
  for (const [name, value] of Object.entries(await read())) assert.equal(value, asDecided[name], `${name} as decided`);
  const probabilities = mmo(run.path, "predict", "m.mmo", "test.csv", ...run.labels, "--as", "indicator", "--scores");
  const rows = probabilities.trim().split("\n").slice(1).map((line) => line.split(","));
  for (const lambda of ["0", "0.3", "0.62", "0.9"]) {
    await page.$eval("#lambda-slider", (slider, value) => { slider.value = value; slider.dispatchEvent(new Event("input")); }, lambda);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#tradeoff button:has-text('Thresholds')")]);
    const counts = readFileSync(await download.path(), "utf8").trim().split("\r\n").slice(1).map((line) => line.split(",").slice(-3));
    const expected = programValues(rows, counts.map(([, tp, fp]) => ({ given: Number(tp) + Number(fp) })));
    const values = await read();
    assert.ok(Object.keys(values).length > 10);
    for (const [name, value] of Object.entries(values)) assert.equal(value, expected[name], `${name} at λ = ${lambda}`);
  }
  await context.close();
});

test("downloads guard spreadsheets against formulas", async () => {
  const { page, context } = await open(browser, run.file("report.html"));
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#downloads button:has-text('Labels')")]);
  const text = readFileSync(await download.path(), "utf8");
  for (const start of ["'=cmd", "'+1+1", "'@SUM"]) assert.ok(text.includes(start), start);
  assert.ok(!/^[=+@-]/m.test(text));
  const [json] = await Promise.all([page.waitForEvent("download"), page.click("#downloads button:has-text('JSON')")]);
  const { labels } = JSON.parse(readFileSync(await json.path(), "utf8"));
  assert.deepEqual(labels, run.report.labels);
  await context.close();
});

test("a phone's width needs no sideways scrolling; print and dark draw the same panels", async () => {
  for (const options of [{ viewport: { width: 375, height: 800 } }, { colorScheme: "dark" }]) {
    const { page, problems, context } = await open(browser, run.file("report.html"), options);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.$$eval("section.panel", (all) => all.length), 12);
    assert.deepEqual(problems, []);
    await context.close();
  }
});

test("every control and chart has a name", async () => {
  const { page, context } = await open(browser, run.file("report.html"));
  const nameless = await page.$$eval("button, input, select, svg[role=img], [role=region], section", (all) => all.filter((e) =>
    !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(nameless, []);
  await context.close();
});

test("two runs side by side: differences, paired interval, label by label", async () => {
  const last = run.labels;
  mmo(run.path, "train", "train.csv", ...last, "--metric", "micro-f1", "--method", "br", "--effort", "quick", "--model", "br.mmo");
  mmo(run.path, "evaluate", "br.mmo", "test.csv", ...last, "--report", "br.json", "--metric", "micro-f1");
  mmo(run.path, "report", "br.json", "report.json", "--out", "both.html");
  const { page, problems, context } = await open(browser, run.file("both.html"));
  const row = await page.$$eval("#compare tbody tr:nth-child(2) > *", (cells) => cells.map((c) => c.textContent));
  const br = JSON.parse(readFileSync(run.file("br.json"), "utf8"));
  const difference = run.report.headline.value - br.headline.value;
  assert.equal(row[4].replace("−", "-"), (difference < 0 ? "" : "+") + difference.toFixed(4));
  assert.match(row[5], /^[+−±].* … [+−±]/);
  await page.selectOption("#run-select", "1");
  await page.waitForSelector("html[data-ready=true]");
  assert.deepEqual(problems, []);
  await context.close();
});

test("5,000 labels stay below a megabyte; 30,000 are painted within two seconds", async () => {
  const at = folder();
  for (const count of [5000, 30000]) {
    writeFileSync(at.file(`${count}.json`), JSON.stringify(manyLabels(count)));
    mmo(at.path, "report", `${count}.json`, "--out", `${count}.html`);
  }
  assert.ok(statSync(at.file("5000.html")).size <= 1e6, String(statSync(at.file("5000.html")).size));
  const { page, problems, context } = await open(browser, at.file("30000.html"));
  const paint = await page.evaluate(() => performance.getEntriesByType("paint").find((e) => e.name === "first-contentful-paint").startTime);
  assert.ok(paint < 2000, `first paint after ${paint} ms`);
  assert.ok((await page.$$eval("#labels tbody tr", (all) => all.length)) < 100);
  const sorting = await page.evaluate(() => {
    const start = performance.now();
    document.querySelectorAll("#labels thead button")[0].click();
    return performance.now() - start;
  });
  assert.ok(sorting < 1500, `sorting took ${sorting} ms`);
  assert.deepEqual(problems, []);
  await context.close();
  at.remove();
});

test("what is missing is said: no label, one label, a model alone, predictions alone", async () => {
  const at = folder();
  const one = manyLabels(1);
  const none = manyLabels(0);
  for (const [name, report] of [["one", one], ["none", none]]) {
    writeFileSync(at.file(`${name}.json`), JSON.stringify(report));
    mmo(at.path, "report", `${name}.json`, "--out", `${name}.html`);
    const { problems, context } = await open(browser, at.file(`${name}.html`));
    assert.deepEqual(problems, [], name);
    await context.close();
  }
  mmo(run.path, "report", "m.mmo", "--out", "alone.html");
  mmo(run.path, "predict", "m.mmo", "test.csv", ...run.labels, "--as", "indicator", "--out", "p.csv");
  mmo(run.path, "evaluate", "--predictions", "p.csv", "test.csv", ...run.labels, "--report", "bare.html");
  for (const [name, text] of [["alone", /holds no scores/], ["bare", /Scores were not recorded/]]) {
    const { page, problems, context } = await open(browser, run.file(`${name}.html`));
    assert.match(await page.textContent(".missing"), text);
    assert.deepEqual(problems, [], name);
    await context.close();
  }
  at.remove();
});

test("a build where npm fails has an empty page and goes on", () => {
  const at = folder();
  writeFileSync(at.file("npm"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const script = fileURLToPath(new URL("../../web/build.sh", import.meta.url));
  const run = spawnSync(script, [at.file("build")], { env: { ...process.env, PATH: `${at.path}:${process.env.PATH}` }, encoding: "utf8" });
  assert.equal(run.status, 0);
  assert.match(run.stderr, /no report page/);
  assert.match(readFileSync(at.file("build/report_template.cpp"), "utf8"), /return \{\};/);
  at.remove();
});
