/** Id of an agent, made from its key, so that the same key gives the same agent after any restart and in any race. Pure. */
import { createHash } from "node:crypto";
import type { AgentDescriptor } from "../../protocol/agents/agent-files.ts";

/** Key of an agent: what identifies it. */
export type AgentKey =
  /** `name`: the persona, unless it is the usual one. `thread`: within the room, where each thread has an agent. */
  | { kind: "main"; connector?: string; channelId?: string; thread?: string; name?: string }
  | { kind: "user"; connector: string; channelId: string; thread?: string; userId: string }
  | { kind: "cron"; name: string }
  | { kind: "heartbeat" }
  /** `call`: the tool call that spawned it; repeated, it is the same sub-agent. */
  | { kind: "subagent"; parent: string; call: string; name: string };

/** A cuid2 is a letter and 23 more letters and digits. */
export function agentIdOf(key: AgentKey): string {
  const { kind } = key;
  const parts =
    kind === "subagent"
      ? [kind, key.parent, key.call]
      : kind === "cron"
        ? [kind, key.name]
        : kind === "user"
          ? [kind, key.connector, key.channelId, key.userId, ...threadOf(key)]
          : kind === "main"
            ? [kind, key.connector ?? "", key.channelId ?? "", ...nameOf(key), ...threadOf(key)]
            : [kind];
  const digits = BigInt(`0x${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`).toString(36);
  const letter = String.fromCharCode("a".charCodeAt(0) + (digits.charCodeAt(digits.length - 1) % 26));
  return letter + digits.slice(-24, -1).padStart(23, "0");
}

const threadOf = ({ thread }: { thread?: string }) => (thread === undefined ? [] : [thread]);

/** In a thread the name has its place also where there is none: no name is taken for a thread. */
const nameOf = ({ name, thread }: { name?: string; thread?: string }) =>
  name === undefined && thread === undefined ? [] : [name ?? ""];

/** The descriptor of a new agent. */
export function descriptorOf(key: AgentKey, now: number): AgentDescriptor {
  const { kind } = key;
  const id = agentIdOf(key);
  if (kind === "subagent") return { id, kind, parent: key.parent, name: key.name, created: now };
  if (kind === "heartbeat") return { id, kind, created: now };
  return { id, ...key, created: now };
}
