/** `npm run fuzz -- api`: brings requests by their own description to the workspaces' API, and holds each answer to it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { columns } from "../../scripts/command/layout/columns.ts";
import { type Command, parseCommandLine, usageError } from "../../scripts/command/command.ts";
import { ApiSystem } from "../../test/web/api/api-system.ts";
import { fuzzApi } from "../../test/web/api/fuzz/fuzz-api.ts";

const help = `
Usage: npm run fuzz -- api [--requests N] [--seed S]

Makes requests of every operation of the workspaces' API from its OpenAPI description, with something wrong in many of them,
as the owner, a member, a stranger and nobody. The database is a file, or the one of DATABASE_URL, which should be empty. Each
answer has a status and a body that are described.

  --requests N    how many (20000)
  --seed S        repeats the requests of another time; without it, the clock's

Exits with 1 when an answer isn't as it is described, or is our own fault.
`;

const options = { requests: { type: "string" }, seed: { type: "string" } } as const;
const usualRequests = 20_000;

export const command: Command = {
  help,
  run: async (args) => {
    const { values } = parseCommandLine(args, options, "npm run fuzz -- api");
    const requests = parsed("requests", values.requests) ?? usualRequests;
    const seed = parsed("seed", values.seed) ?? Date.now() % 1_000_000;
    say(`fuzz api, seed ${seed}`);
    const folder = mkdtempSync(join(tmpdir(), "fuzz-api-"));
    const url = process.env["DATABASE_URL"];
    try {
      const target = url ? { url } : { file: join(folder, "workspace.db") };
      await using api = await ApiSystem.start(target, { requestsPerSecond: Number.MAX_SAFE_INTEGER });
      const report = await fuzzApi(api, { seed, requests, onProgress: (done) => say(`${done} requests`) });
      for (const problem of report.problems) say(problem);
      const rows = [...report.byStatus].toSorted(([one], [other]) => one - other).map((row) => row.map(String));
      say(`${report.requests} requests, ${report.problems.length} wrong\n${columns([["STATUS", "ANSWERS"], ...rows])}`);
      return report.problems.length === 0 ? 0 : 1;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function parsed(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw usageError(`--${name} "${text}": expected a number`, "see: npm run fuzz -- api --help");
  return Number(text);
}

const say = (text: string) => process.stdout.write(`${text}\n`);
