/**
 * Stands where a program was to be started that asked for a wall: starts it in a sandbox with its own stdin, stdout and
 * stderr, hands signals on, serves its way to the network, and ends as it does. Killed, it takes the sandbox along.
 */
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../files/errors/error-message.ts";
import { startInPlace } from "../proc/programs/command-in-place.ts";
import { markName } from "../proc/runs/run-mark.ts";
import { parseOwnJson } from "../protocol/json/parse-json.ts";
import { inSandbox } from "./in-sandbox.ts";
import { networkRules } from "./network/checked-address.ts";
import { KeyMask } from "./network/key-mask.ts";
import { orderVariable, type WallOrder } from "./walled-program.ts";

async function main(): Promise<number> {
  const { own, walls, env, keys, ...order } = parseOwnJson(process.env[orderVariable] ?? "") as WallOrder;
  rmSync(own, { recursive: true, force: true });
  const scratch = join(own, "tmp");
  mkdirSync(own, { recursive: true, mode: 0o700 });
  mkdirSync(join(scratch, "home"), { recursive: true });
  const sandboxed = await inSandbox({
    ...order,
    walls: { ...walls, scratch: realpathSync(scratch) },
    own: realpathSync(own),
    rules: networkRules(order.network),
    mask: await maskOf(keys),
  });
  const mark = process.env[markName];
  const inside = { ...env, ...sandboxed.env, ...(mark !== undefined && { [markName]: mark }) };
  const started = await startInPlace(sandboxed.command, inside);
  const { signal } = sandboxed.serve?.(started.channel) ?? started;
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(name, () => signal(name));
  const code = await started.ended;
  sandboxed.close();
  rmSync(own, { recursive: true, force: true });
  return code;
}

async function maskOf(keys: WallOrder["keys"]): Promise<KeyMask | null> {
  if (keys.length === 0) return null;
  const mask = await KeyMask.create();
  mask.use(keys);
  return mask;
}

try {
  process.exit(await main());
} catch (error) {
  process.stderr.write(`the sandbox couldn't be made: ${messageOf(error)}\n`);
  process.exit(71);
}
