/**
 * The purpose of a claim: the same load on two workers, killed with -9 by turns, once with a lease alone and once with
 * our claims.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, parseCommandLine, runCommand, usageError } from "../scripts/command/command.ts";
import type { Load, Score } from "./lease-or-claim/load.ts";
import { withClaims } from "./lease-or-claim/with-claims.ts";
import { withLease } from "./lease-or-claim/with-lease.ts";

const help = `
Usage: node bench/lease-or-claim.ts [--runs COUNT] [--kill-every SECONDS] [--seed NUMBER]

The same load on two workers, which are killed with -9 by turns: once with a lease alone, once with our claims. Tells how
many runs finished, were started twice, did their work twice, or were lost.

  --runs        how many (500)
  --kill-every  how often a worker is killed, in seconds (3)
  --seed        how long it stays away each time (1)

Exits with 1 when our claims did something twice, or lost it. With its defaults it takes some minutes.
`;

const options = {
  runs: { type: "string", default: "500" },
  "kill-every": { type: "string", default: "3" },
  seed: { type: "string", default: "1" },
} as const;

const command: Command = {
  help,
  run: async (args) => {
    const { values } = parseCommandLine(args, options, "node bench/lease-or-claim.ts", 0);
    const load: Load = {
      runs: positive("runs", values.runs),
      everyMs: positive("kill-every", values["kill-every"]) * 1000,
      seed: positive("seed", values.seed),
    };
    const folder = mkdtempSync(join(tmpdir(), "lease-or-claim-"));
    try {
      const lease = await withLease(load, join(folder, "lease"));
      const claims = await withClaims(load, join(folder, "claims"));
      print([
        ["a lease alone", lease],
        ["claims", claims],
      ]);
      return claims.doneTwice > 0 || claims.lost > 0 ? 1 : 0;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function positive(name: string, text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw usageError(`--${name} "${text}": expected a number above 0`, "see: node bench/lease-or-claim.ts --help");
}

function print(scores: [string, Score][]): void {
  const line = (name: string, cells: string[]) =>
    `${name.padEnd(16)}${cells.map((cell) => cell.padStart(15)).join("")}\n`;
  process.stdout.write(
    line("", ["runs", "finished", "started twice", "done twice", "lost", "workers killed", "seconds"]),
  );
  for (const [name, { runs, finished, startedTwice, doneTwice, lost, kills, seconds }] of scores)
    process.stdout.write(
      line(name, [...[runs, finished, startedTwice, doneTwice, lost, kills].map(String), seconds.toFixed(1)]),
    );
}

process.exitCode = await runCommand(command, process.argv.slice(2));
