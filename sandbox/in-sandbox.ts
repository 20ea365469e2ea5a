/** A command in the sandbox of this machine, whichever that is, with its way to the network and its keys: ready to be started. */
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { NetworkRules } from "./network/checked-address.ts";
import type { KeyMask } from "./network/key-mask.ts";
import { listeningProxy } from "./network/listening-proxy.ts";
import { type SandboxDoor, serveNetwork } from "./network/proxy.ts";
import { type CommandLimits, limitedCommand, sandboxedCommand } from "./sandboxed-command.ts";
import { inSeatbelt, type Seatbelt } from "./walls/seatbelt.ts";
import { writeFilter } from "./walls/system-calls.ts";
import type { Bubblewrap } from "./walls/bubblewrap.ts";
import type { Walls } from "./walls/walls.ts";

/** The sandbox that a machine can make. */
export type Wall = Bubblewrap | Seatbelt;

export type SandboxOrder = {
  wall: Wall;
  walls: Walls;
  limits: CommandLimits;
  /** A folder that no sandbox can write, for what the wall needs: a real path. */
  own: string;
  /** The hosts that it may reach; null: none, nor do signals come in. */
  rules: NetworkRules | null;
  mask: KeyMask | null;
  command: readonly string[];
};

/** @field close ends its way to the network, when the command has ended */
export type Sandboxed = {
  command: string[];
  /** The variables that it needs beside its own, which they replace. */
  env: Record<string, string>;
  /** Takes the other end of its descriptor 5. Null: it needs none, and signals reach its group. */
  serve: ((channel: Duplex) => SandboxDoor) | null;
  close: () => void;
};

export async function inSandbox(order: SandboxOrder): Promise<Sandboxed> {
  const { wall, walls, mask, own, rules } = order;
  const masked = mask?.inside(own);
  const shown = masked ? [...walls.shown, masked.shown] : walls.shown;
  const inside = { ...order, walls: { ...walls, shown } };
  if (wall.kind === "seatbelt") return onMac(wall, inside, { ...masked?.env });
  return {
    command: sandboxedCommand({
      ...inside,
      wall,
      filter: await writeFilter(own),
      network: rules && rules.allowed,
    }),
    env: { ...masked?.env },
    serve: rules && ((channel) => serveNetwork(channel, rules, mask)),
    close: () => {},
  };
}

async function onMac(
  wall: Seatbelt,
  { walls, limits, rules, mask, command }: SandboxOrder,
  masked: Record<string, string>,
): Promise<Sandboxed> {
  const proxy = rules && (await listeningProxy(rules, mask));
  const { scratch } = walls;
  const env = { ...masked, ...proxy?.variables, HOME: join(scratch, "home"), TMPDIR: scratch };
  const started = await inSeatbelt(wall, walls, { command, proxyPort: proxy?.port ?? null, env });
  return {
    command: limitedCommand(wall.shell, [], limits, started.command),
    env: started.env,
    serve: null,
    close: () => proxy?.[Symbol.dispose](),
  };
}
