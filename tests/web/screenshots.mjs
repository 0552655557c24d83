// Three small pictures of a report for the documentation: node screenshots.mjs FOLDER (make screenshots).
import { join, resolve } from "node:path";
import { launch, open } from "./browser.mjs";
import { folder, mmo } from "./fixtures.mjs";

const out = resolve(process.argv[2]);
const at = folder();
mmo(at.path, "demo", "--quiet", "--rows", "1500", "--effort", "quick");
const report = at.file("mmo-demo/report.html");
const browser = await launch();

async function shoot(name, options, prepare) {
  const { page, context } = await open(browser, report, options);
  await prepare(page);
  await page.screenshot({ path: join(out, name), animations: "disabled" });
  await context.close();
}
const wide = { viewport: { width: 960, height: 640 } };
await shoot("report.png", wide, async () => undefined);
await shoot("report-label.png", { ...wide, colorScheme: "dark" }, async (page) => {
  await page.locator("#labels").scrollIntoViewIfNeeded();
  await page.locator("#labels tbody th button").first().click();
});
await shoot("report-tradeoff.png", wide, async (page) => {
  await page.$eval("#lambda-slider", (slider) => { slider.value = "0.35"; slider.dispatchEvent(new Event("input")); });
  await page.$eval("#tradeoff", (panel) => panel.scrollIntoView({ behavior: "instant" }));
});
await browser.close();
at.remove();
