/** `npm run fuzz`: brings hostile things in at every entrance of a running system, for as long as is wanted, and says what came of it. */
import { columns } from "../../scripts/command/layout/columns.ts";
import { type Command, parseCommandLine, runCommand, usageError } from "../../scripts/command/command.ts";
import { ensureNatsServer } from "../../scripts/start/ensure-nats.ts";
import { duration } from "../../scripts/command/layout/text.ts";
import { type FuzzDone, runFuzz } from "../../test/fuzz/run-fuzz.ts";

const help = `
Usage: npm run fuzz -- [OPTIONS]
       npm run fuzz -- api [--requests N] [--seed S]

Starts a whole cortex up on a temporary journal and brings hostile things in at every entrance: what agents print,
requests, inputs and cancels on the bus, messages of channels, bodies sent to the webhook, the page and the tool server, and
every file that a person can edit. After each case all programs have to be ready, and a fresh run to end well. After each
round of cases memory has to be flat and nothing may be tried again and again, also after a restart.

  --minutes M     for how long (10)
  --cases N       how many at most; alone: until they are done
  --seed S        repeats the cases of another time; without it, the clock's
  --case N        one case alone, of that seed
  --lanes N       how many at a time (4)
  --round N       after how many the system is looked at closely, and replaced by a new one (1000)

Exits with 1 when something is wrong.
`;

const options = {
  minutes: { type: "string" },
  cases: { type: "string" },
  seed: { type: "string" },
  case: { type: "string" },
  lanes: { type: "string" },
  round: { type: "string" },
} as const;

/** Milliseconds after which progress is told again. */
const tellEveryMs = 30_000;
const usualMinutes = 10;

export const command: Command = {
  help,
  run: async (args) => {
    const { values } = parseCommandLine(args, options, "npm run fuzz --");
    const numberOf = (name: keyof typeof options) => parsed(name, values[name]);
    const seed = numberOf("seed") ?? Date.now() % 1_000_000;
    const only = numberOf("case");
    const cases = numberOf("cases");
    const minutes = numberOf("minutes") ?? (cases === undefined ? usualMinutes : Number.POSITIVE_INFINITY);
    await ensureNatsServer();
    say(`fuzz, seed ${seed}`);
    const tally = new Tally();
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    process.once("SIGINT", stop).once("SIGTERM", stop);
    const since = performance.now();
    const telling = setInterval(() => say(`${tally.count} cases, ${duration(performance.now() - since)}`), tellEveryMs);
    await runFuzz({
      seed,
      numbers: only === undefined ? countUntil(cases ?? Number.POSITIVE_INFINITY, since + minutes * 60_000) : [only],
      lanes: numberOf("lanes") ?? 4,
      casesOfRound: numberOf("round") ?? 1000,
      onDone: (done) => tally.add(done),
      onRound: (problems, memory) => tally.endRound(problems, memory),
      signal: stopping.signal,
    });
    clearInterval(telling);
    say(`${tally.count} cases in ${duration(performance.now() - since)}, ${tally.wrong} wrong\n${tally.table()}`);
    return tally.wrong === 0 && tally.count > 0 ? 0 : 1;
  },
};

/** Numbers of cases, until there are so many, or the time has come. */
function* countUntil(count: number, end: number): Generator<number> {
  for (let number = 0; number < count && performance.now() < end; number++) yield number;
}

class Tally {
  count = 0;
  wrong = 0;
  readonly #rows = new Map<string, Record<FuzzDone["reaction"], number>>();

  add({ number, entrance, reaction, problem }: FuzzDone): void {
    this.count++;
    const row = this.#rows.get(entrance) ?? { taken: 0, refused: 0, wrong: 0 };
    row[reaction]++;
    this.#rows.set(entrance, row);
    if (problem !== undefined) this.#complain(`case ${number}, ${entrance}: ${problem}`);
  }

  endRound(problems: string[], memory: Map<string, number>): void {
    for (const problem of problems) this.#complain(`at the end of a round: ${problem}`);
    say(`${this.count} cases; MiB: ${[...memory].map(([name, mib]) => `${name} ${mib}`).join(", ")}`);
  }

  #complain(text: string): void {
    this.wrong++;
    say(text);
  }

  table(): string {
    const rows = [...this.#rows]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { taken, refused, wrong }]) => [name, taken, refused, wrong]);
    return columns([["ENTRANCE", "TAKEN", "REFUSED", "WRONG"], ...rows.map((row) => row.map(String))]);
  }
}

function parsed(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(text))
    throw usageError(`--${name} "${text}": expected a number`, "see: npm run fuzz -- --help");
  return Number(text);
}

const say = (text: string) => process.stdout.write(`${text}\n`);

if (import.meta.main) {
  const [first, ...rest] = process.argv.slice(2);
  // The API alone, without a system around it.
  if (first === "api") process.exitCode = await runCommand((await import("./fuzz-api.ts")).command, rest);
  else process.exitCode = await runCommand(command, process.argv.slice(2));
}
