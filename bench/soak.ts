/**
 * The leftovers of much work: `node bench/soak.ts` asks for a thousand runs at once, three times; with `--minutes 60` a
 * whole `cortex up` works for so long; with `--channels 10000` people write so many messages by six channels.
 */
import { parseArgs } from "node:util";

const options = { minutes: { type: "string" }, channels: { type: "string" }, seed: { type: "string" } } as const;
const { values } = parseArgs({ options });

const [minutes, messages, seed] = [number("minutes", 0), number("channels", 0), number("seed", 1)];
const broken = await (async () => {
  if (messages > 0) return (await import("./soak/channels.ts")).soakAllChannels(messages, minutes, seed);
  if (minutes > 0) return (await import("./soak/up.ts")).soakUp(minutes);
  return (await import("./soak/rounds.ts")).soakRounds();
})();
for (const problem of broken) process.stdout.write(`broken: ${problem}\n`);
process.exitCode = broken.length > 0 ? 1 : 0;

function number(name: keyof typeof options, otherwise: number): number {
  const value = Number(values[name] ?? otherwise);
  if (!(value >= 0)) throw new Error(`--${name} "${values[name]}": expected a number, for example 60`);
  return value;
}
