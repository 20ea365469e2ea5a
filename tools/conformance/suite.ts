/** Runs the official suite, against a server or with a client, and reads what it found. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { z } from "zod";
import { packageFile } from "../../proc/programs/package-file.ts";
import { type Role, scenariosOf, suiteFolder, type Version } from "./requirements.ts";

/** The result of a scenario; `problem` is empty where it passed. `isRequired`: whether it counts. */
export type Result = { version: Version; role: Role; scenario: string; isRequired: boolean; problem: string };

const Checks = z.array(z.looseObject({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

const timeoutMs = 300_000;

export const suiteVersion = (): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(suiteFolder, "package.json"), "utf8"))).version;

/** Runs all scenarios of a version for servers. */
export async function runServerSuite(version: Version, url: string): Promise<Result[]> {
  const found = await runSuite(["server", "--url", url, "--requirements", version]);
  const { required, others } = scenariosOf(version, "server");
  return [...required, ...others].map((scenario) => ({
    version,
    role: "server",
    scenario,
    isRequired: required.includes(scenario),
    problem: found.get(scenario) ?? "it wasn't run",
  }));
}

/** Runs scenarios of a version for clients, one after the other: some judge by the clock. @param skip those that aren't run */
export async function runClientSuite(version: Version, skip: (scenario: string) => boolean): Promise<Result[]> {
  const command = `${process.execPath} ${packageFile("tools/conformance/client.ts")}`;
  const { required, others } = scenariosOf(version, "client");
  const results: Result[] = [];
  for (const scenario of [...required, ...others]) {
    const args = ["client", "--command", command, "--scenario", scenario, "--spec-version", version];
    const found = skip(scenario) ? undefined : await runSuite(args);
    const problem = found ? (found.get(scenario) ?? "it wasn't run") : "it isn't run";
    results.push({ version, role: "client", scenario, isRequired: required.includes(scenario), problem });
  }
  return results;
}

/** The problem of each scenario that was run. */
async function runSuite(args: string[]): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  try {
    // The suite's own exit code says less than its checks: there a warning counts as passed.
    await execa(
      process.execPath,
      [join(suiteFolder, "dist/index.js"), ...args, "--timeout", String(timeoutMs), "-o", folder],
      { reject: false, stdin: "ignore", timeout: timeoutMs },
    );
    return new Map(
      readdirSync(folder).map((name) => {
        const checks = Checks.parse(JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")));
        return [scenarioOf(name, args[0] ?? ""), problemOf(checks)];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The suite adds the time, and for servers that they are. */
const scenarioOf = (folder: string, role: string) =>
  (role === "server" ? folder.slice("server-".length) : folder).replace(/-\d{4}-\d\d-\d\dT.*$/, "");

/** A scenario passes with something that succeeded, and nothing that failed or was warned of. */
function problemOf(checks: z.infer<typeof Checks>): string {
  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  if (bad.length > 0) return bad.map(({ id, errorMessage = "a warning" }) => `${id}: ${errorMessage}`).join("; ");
  return checks.some(({ status }) => status === "SUCCESS") ? "" : "nothing was checked";
}
