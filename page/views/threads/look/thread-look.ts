/** The context of all parts of the view: the workspace, the thread, and what was chosen by the address. */
import type { TeamStore } from "../../../stores/workspace/team-store.ts";
import type { ThreadRowsStore } from "../../../stores/workspace/thread-rows-store.ts";
import type { Message } from "../../../stores/workspace/place-store.ts";
import type { Fork, ThreadStore } from "../../../stores/workspace/thread-store.ts";
import type { UnreadStore } from "../../../stores/workspace/unread-store.ts";
import type { Mentionable } from "../../../words/names/mentions.ts";
import { visible } from "../../../words/text/visible-text.ts";
import { me } from "../../../stores/workspace/workspaces-store.ts";
import { type FaceOf, person } from "../../../parts/badges/face.tsx";

/** A workspace's stores, as long as it is looked at. */
export type Team = { team: TeamStore; rows: ThreadRowsStore; unread: UnreadStore };

/** And those of a thread. */
export type Look = Team & { thread: ThreadStore };

/** The actions of a message. */
export type PostActions = {
  answer: (message: Message) => void;
  /** Undefined: no fork begins within a fork. */
  fork: ((message: Message) => void) | undefined;
  /** Goes to a fork. */
  open: (fork: Fork) => void;
  openFork: string | null;
};

/** Lists those who can be mentioned: agents first, and not oneself. */
export function mentionablesOf(team: TeamStore): Mentionable[] {
  const agents = team.agents.value
    .filter(({ is_active, slug }) => is_active && !slug.startsWith("_"))
    .map(({ slug, display_name, description, avatar }) => ({
      slug,
      avatar,
      name: visible(display_name),
      about: visible(description),
      isAgent: true,
    }));
  const people = (team.members.value ?? [])
    .filter(({ user_id, handle }) => user_id !== me.value && handle !== "")
    .map(({ handle, name, role }) => ({
      slug: handle,
      name: visible(name),
      about: role === "admin" ? "admin" : "",
      isAgent: false,
    }));
  return [...agents, ...people];
}

/** Joins the slugs and handles that can be meant, oneself included: words between blanks. */
export const knownSlugs = (team: TeamStore): string =>
  [
    ...team.agents.value.filter(({ slug }) => !slug.startsWith("_")).map(({ slug }) => slug),
    ...(team.members.value ?? []).map(({ handle }) => handle),
  ].join(" ");

/** An agent's name, also of one that is gone. */
export const agentName = (team: TeamStore, id: string): string =>
  visible(team.agents.value.find((agent) => agent.id === id)?.display_name ?? "An agent");

/** The face of an agent; one that is gone has the colour of its name. */
export function agentFace(team: TeamStore, id: string | null, name: string): FaceOf {
  const agent = team.agents.value.find((one) => one.id === id);
  return { slug: agent?.slug ?? name, avatar: agent?.avatar ?? null };
}

/** The face of whoever has said something. */
export const authorFace = (team: TeamStore, { author_type, author_id, author_name }: Message): FaceOf =>
  author_type === "agent" ? agentFace(team, author_id, author_name) : person;
