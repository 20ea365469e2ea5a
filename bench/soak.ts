/**
 * The leftovers of much work: `node bench/soak.ts` asks for a thousand runs at once, three times; with `--minutes 60` a
 * whole `cortex up` works for so long.
 */
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { minutes: { type: "string" } } });
const minutes = Number(values.minutes ?? 0);
if (!(minutes >= 0)) throw new Error(`--minutes "${values.minutes}": expected a number, for example 60`);

const broken =
  minutes > 0
    ? await (await import("./soak/up.ts")).soakUp(minutes)
    : await (await import("./soak/rounds.ts")).soakRounds();
for (const problem of broken) process.stdout.write(`broken: ${problem}\n`);
process.exitCode = broken.length > 0 ? 1 : 0;
