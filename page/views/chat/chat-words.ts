/** Names of long-lived agents, and how they are, in words. Pure. */
import { type FaceOf, person } from "../../parts/badges/face.tsx";
import type { Companion } from "../../stores/agents/companions-store.ts";
import { personName } from "../../words/names/names.ts";
import { visible } from "../../words/text/visible-text.ts";

export function nameOf({ called, name, kind, userId: user }: Companion): string {
  if (called !== undefined) return visible(called);
  if (kind === "user" && name === "user" && typeof user === "string") return visible(user);
  return visible(personName(name));
}

/** Where somebody else writes to it. */
export const channelOf = (agent: Companion): string | null =>
  agent.kind === "user" && typeof agent.connector === "string" ? agent.connector : null;

/** An agent of a stranger's has the stranger's face. */
export const faceOf = (agent: Companion): FaceOf =>
  channelOf(agent) === null ? { slug: agent.name, avatar: null } : person;

/** `telegram` becomes `Telegram`. */
export const channelName = (channel: string): string => channel.charAt(0).toUpperCase() + channel.slice(1);
