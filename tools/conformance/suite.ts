/** Runs the official suite against a server, and reads what it found. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { z } from "zod";
import { packageFile } from "../../proc/programs/package-file.ts";

/** The result of a scenario; `problem` is empty where it passed. */
export type Result = { scenario: string; problem: string };

const Checks = z.array(z.looseObject({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

const suite = packageFile("node_modules/@modelcontextprotocol/conformance");
const timeoutMs = 60_000;

export const suiteVersion = (): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(suite, "package.json"), "utf8"))).version;

/** All scenarios for servers, the ones that are pending too, in order of their names. */
export async function runSuite(url: string): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  try {
    // The suite's own exit code says less than its checks: there a warning counts as passed.
    await execa(
      process.execPath,
      [join(suite, "dist/index.js"), "server", "--url", url, "--suite", "all", "-o", folder],
      { reject: false, stdin: "ignore", timeout: timeoutMs },
    );
    const results = readdirSync(folder).map((name) => {
      const checks = Checks.parse(JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")));
      return { scenario: scenarioOf(name), problem: problemOf(checks) };
    });
    return results.toSorted((a, b) => (a.scenario < b.scenario ? -1 : 1));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The suite adds the time. */
const scenarioOf = (folder: string) => folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");

/** A scenario passes with something that succeeded, and nothing that failed or was warned of. */
function problemOf(checks: z.infer<typeof Checks>): string {
  const bad = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
  if (bad.length > 0) return bad.map(({ id, errorMessage = "a warning" }) => `${id}: ${errorMessage}`).join("; ");
  return checks.some(({ status }) => status === "SUCCESS") ? "" : "nothing was checked";
}
