/**
 * `npm run conformance`: the official MCP suite against our server, started on a journal of its own, and with our client of
 * external servers, for each version of the protocol. Exits 1 when a scenario fails that should pass, one passes that is called
 * not applicable, or docs/conformance.md says something else; with `--write` that page is written.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { readProgramRecord } from "../journal/programs/programs.ts";
import { commandsToken } from "../journal/access/tokens.ts";
import { readToolCatalog } from "../journal/programs/tool-catalog.ts";
import { ownCommand } from "../proc/programs/own-command.ts";
import { packageFile } from "../proc/programs/package-file.ts";
import { conformanceJournal } from "./conformance/journal.ts";
import { isSkipped, notApplicable } from "./conformance/not-applicable.ts";
import { conformancePage } from "./conformance/page.ts";
import { openProxy } from "./conformance/proxy.ts";
import { type Role, versions } from "./conformance/requirements.ts";
import { externalServer } from "./conformance/stand-ins.ts";
import { type Result, runClientSuite, runServerSuite, suiteVersion } from "./conformance/suite.ts";

const readyWithinMs = 20_000;
const page = packageFile("docs/conformance.md");

/** Lists the problems of the results, a line each. */
export function complaints(results: Result[], reasons: typeof notApplicable): string[] {
  const unexpected = results.flatMap(({ version, role, scenario, problem }) => {
    const isExcused = isSkipped(role, scenario) || Object.hasOwn(reasons[role], scenario);
    const name = `${scenario} (${role}, ${version})`;
    if (problem !== "" && !isExcused) return [`${name} fails: ${problem}`];
    return problem === "" && isExcused ? [`${name} passes: take it out of not-applicable.ts`] : [];
  });
  const ran = (role: Role) => new Set(results.filter((one) => one.role === role).map(({ scenario }) => scenario));
  const unknown = (["server", "client"] as const).flatMap((role) =>
    Object.keys(reasons[role]).filter((scenario) => !ran(role).has(scenario)),
  );
  return [
    ...(results.length === 0 ? ["the suite ran no scenario"] : []),
    ...unexpected,
    ...unknown.map((scenario) => `${scenario} is not applicable, but the suite doesn't have it`),
  ];
}

async function run(): Promise<Result[]> {
  using folder = conformanceJournal();
  const { journal } = folder;
  const env = { PATH: process.env["PATH"], JOURNAL_PATH: journal, CORTEX_MCP_PORT: "0", CORTEX_LOG_LEVEL: "warn" };
  const [program = "", ...args] = ownCommand("mcp-tools/main");
  const server = execa(program, args, {
    env,
    extendEnv: false,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
    reject: false,
  });
  try {
    await using proxy = await openProxy(new URL(await readyUrl(journal, server.pid)), await commandsToken(journal));
    const results: Result[] = [];
    for (const version of versions) {
      results.push(...(await runServerSuite(version, proxy.url)));
      results.push(...(await runClientSuite(version, (scenario) => isSkipped("client", scenario))));
    }
    return results;
  } finally {
    server.kill("SIGTERM");
    await server;
  }
}

/** Where the server listens, once it and the external server with the suite's tools are there. */
async function readyUrl(journal: string, pid: number | undefined): Promise<string> {
  for (const deadline = performance.now() + readyWithinMs; performance.now() < deadline; await delay(50)) {
    const record = await readProgramRecord(journal, "mcp-tools");
    const { sources } = await readToolCatalog(journal);
    const hasTools = sources.some(({ name, state }) => name === externalServer && state === "ready");
    if (record?.url !== undefined && record.pid === pid && hasTools) return record.url;
  }
  throw new Error(`the server isn't ready within ${readyWithinMs / 1000} s: its log stands above`);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { write: { type: "boolean" } } });
  const results = await run();
  const wrong = complaints(results, notApplicable);
  const text = conformancePage(results, suiteVersion());
  if (values.write) writeFileSync(page, text);
  else if (readFileSync(page, "utf8") !== text)
    wrong.push("docs/conformance.md is stale: npm run conformance -- --write");
  const passed = results.filter(({ problem }) => problem === "").length;
  process.stdout.write(`${passed} of ${results.length} scenarios pass\n`);
  for (const line of wrong) process.stderr.write(`${line}\n`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
