/** A program that runs behind a wall as if there was none around it: the command and environment to start it with instead. */
import { ownCommand } from "../proc/programs/own-command.ts";
import type { MaskedKey } from "../protocol/settings/sandbox-keys.ts";
import type { Walls } from "./walls/walls.ts";
import type { Wall } from "./in-sandbox.ts";
import type { CommandLimits } from "./sandboxed-command.ts";

/** The order that `sandbox/main` is given. */
export type WallOrder = {
  wall: Wall;
  walls: Omit<Walls, "scratch">;
  /** A folder for what the wall needs, and for the program's `/tmp`: made where it is missing, nothing of it is kept. */
  own: string;
  limits: CommandLimits;
  network: readonly string[];
  /** Keys that it uses and doesn't hold. */
  keys: readonly MaskedKey[];
  command: readonly string[];
  env: Record<string, string>;
};

/** It stands in the environment, which nobody else can read: an argument could be read by everybody, and `env` may hold keys. */
export const orderVariable = "CORTEX_WALL";

export function walledProgram(order: WallOrder): { command: string[]; env: Record<string, string> } {
  const known = ["PATH", "NODE_EXTRA_CA_CERTS"].flatMap((name) =>
    order.env[name] === undefined ? [] : [[name, order.env[name]] as const],
  );
  const env = { ...Object.fromEntries(known), [orderVariable]: JSON.stringify(order) };
  return { command: ownCommand("sandbox/main"), env };
}
