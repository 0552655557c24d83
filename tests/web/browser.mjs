// Opens pages in Debian's Chromium and watches for what must never happen: an error, a warning of the policy, a
// request.
import { createRequire } from "node:module";

// Installed in the build tree, not beside this file.
const { chromium } = createRequire(`${process.env.MMO_WEB_MODULES}/`)("playwright-core");

export async function launch() {
  return chromium.launch({
    executablePath: process.env.MMO_CHROMIUM,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

// A page of the file, ready with all panels; `problems` collects whatever it should not have done.
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) problems.push(message.text()); });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => { if (!/^(file|blob):/.test(request.url())) problems.push(`request ${request.url()}`); });
  page.on("dialog", (dialog) => { problems.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(`file://${file}`);
  await page.waitForSelector("html[data-ready=true]", { timeout: 20000 });
  return { page, context, problems };
}
