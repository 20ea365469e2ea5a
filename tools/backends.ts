/**
 * `npm run backends`: installs the coding agents that are known by name and come from the npm registry, outside of this package, runs
 * their tests against a played model, and writes what was seen into the tables of the docs. Some 1.3 GB, and some minutes.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { acpPresets } from "../protocol/settings/acp-presets.ts";
import { type SeenCoders, seenCodersFile } from "./backends/seen-coders.ts";
import { coderFolder, coderPackages } from "./backends/programs.ts";

type Report = { testResults: { assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[] };

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = Object.entries(coderPackages).map(
  ([name, named]) => `${named}@${acpPresets[name as keyof typeof coderPackages].tried}`,
);
mkdirSync(coderFolder, { recursive: true });
writeFileSync(join(coderFolder, "package.json"), '{ "private": true }\n');
await execa("npm", ["install", "--no-audit", "--no-fund", "--no-save", ...packages], {
  cwd: coderFolder,
  stdio: "inherit",
});

const report = join(coderFolder, "report.json");
const config = join(root, "tools/backends/vitest.config.ts");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const { exitCode } = await execa("vitest", ["run", "--config", config, ...reporters], {
  cwd: root,
  stdio: "inherit",
  preferLocal: true,
  reject: false,
});
const seen: SeenCoders = {};
for (const { ancestorTitles, title, status } of (
  JSON.parse(readFileSync(report, "utf8")) as Report
).testResults.flatMap(({ assertionResults }) => assertionResults)) {
  const [name = ""] = ancestorTitles;
  (seen[name] ??= {})[title] = status === "passed";
}
writeFileSync(seenCodersFile, `${JSON.stringify(seen, null, 2)}\n`);
await execa(process.execPath, [join(root, "tools/docs.ts")], { cwd: root, stdio: "inherit" });
process.exit(exitCode ?? 1);
