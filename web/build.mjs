// esbuild makes one script and one style sheet; both go into the page, and the page's policy allows exactly them
// by their hashes. Then the page becomes a C++ file, so that the program carries it.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(fileURLToPath(import.meta.url));
const build = resolve(process.argv[2]);
const esbuild = createRequire(join(build, "package.json"))("esbuild");

const bundle = async (entry) => {
  const result = await esbuild.build({
    entryPoints: [join(web, entry)], bundle: true, minify: true, write: false, format: "iife", target: "es2020",
    charset: "ascii", legalComments: "none",
  });
  return result.outputFiles[0].text.trim();
};
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = await bundle("src/main.ts");
const style = await bundle("page/page.css");
if (/<\/(script|style)/i.test(script + style)) throw new Error("the bundle would end its own element");
const policy = [
  "default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`, "base-uri 'none'", "form-action 'none'",
].join("; ");
const parts = { POLICY: policy, STYLE: style, SCRIPT: script };
const page = readFileSync(join(web, "page/page.html"), "utf8")
  .replace(/@@(POLICY|STYLE|SCRIPT)@@/g, (_, name) => parts[name]);
writeFileSync(join(build, "report.html"), page);

const bytes = [...Buffer.from(page, "utf8")];
const lines = [];
for (let k = 0; k < bytes.length; k += 40) lines.push(bytes.slice(k, k + 40).join(","));
writeFileSync(join(build, "report_template.cpp"), `#include "mmo/report/report_page.h"

namespace mmo {
namespace {
constexpr unsigned char page[] = {
${lines.join(",\n")}};
}

std::string_view report_template() { return {reinterpret_cast<const char*>(page), sizeof page}; }

}  // namespace mmo
`);
