/** A day of messages by six channels in an hour, on a whole system whose programs are killed: what became of each. */
import { soakChannels, type SoakResult } from "../../test/channels/soak/channel-soak.ts";
import { playServices } from "../../test/channels/soak/services.ts";
import { median } from "../harness/figures/spread.ts";

/** Milliseconds between two faults, at most. */
const faultEveryMs = 10_000;
/** Milliseconds for which an answer is waited for. */
const giveUpMs = 300_000;

/**
 * Has so many messages written over so many minutes, prints what became of them, and resolves with what was broken.
 * @param seed repeats the order of the faults; their moments differ
 */
export async function soakAllChannels(messages: number, minutes: number, seed: number): Promise<string[]> {
  const began = performance.now();
  const minute = () => ((performance.now() - began) / 60_000).toFixed(1);
  const result = await soakChannels(await playServices(), {
    messages,
    overMs: minutes * 60_000,
    faultEveryMs,
    giveUpMs,
    seed,
    onProgress: (settled, faults) => {
      process.stdout.write(`${minute()} min  ${settled} of ${messages} messages settled, ${killsOf(faults)} kills\n`);
    },
  });
  print(result);
  process.stdout.write(
    `${messages} messages in ${minute()} minutes, ${result.broken.length} things broken (seed ${seed})\n`,
  );
  return result.broken;
}

function print({ outcomes, faults }: SoakResult): void {
  process.stdout.write("channel    messages  answered once  unknown, told  lost  twice  median s  longest s\n");
  for (const [type, own] of Map.groupBy(outcomes, ({ type }) => type)) {
    const count = (is: (one: (typeof own)[number]) => boolean) => own.filter(is).length;
    const seconds = own.map(({ ms }) => ms / 1000);
    const cells = [
      own.length,
      count(({ answered }) => answered === 1),
      count(({ answered, told }) => answered !== 1 && told),
      count(({ answered, told }) => answered === 0 && !told),
      count(({ answered, heard, told }) => heard > 1 || (answered > 1 && !told)),
      median(seconds).toFixed(1),
      Math.max(...seconds).toFixed(1),
    ];
    const widths = [8, 13, 13, 4, 5, 8, 9];
    process.stdout.write(
      `${type.padEnd(9)}  ${cells.map((cell, at) => String(cell).padStart(widths[at] ?? 0)).join("  ")}\n`,
    );
  }
  for (const [what, count] of Object.entries(faults).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    process.stdout.write(`${what}: ${count}\n`);
}

const killsOf = (faults: Record<string, number>) =>
  Object.entries(faults).reduce((sum, [what, count]) => sum + (what.startsWith("killed ") ? count : 0), 0);
