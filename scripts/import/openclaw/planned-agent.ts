/** An OpenClaw agent as an agent of a workspace, and what it knows of its place as the workspace's page. Pure. */
import type { NewAgent } from "../../../workspace/records/agent.ts";
import { filesLeftBehind, instructionOf, secretLines, type Section } from "./instruction.ts";
import type { ImportParts } from "./import-parts.ts";

export type PlannedAgent = {
  agent: Pick<NewAgent, "slug" | "name" | "display_name" | "description" | "system_prompt">;
  page: string | null;
};

const maxCharacters = 90_000;

export function agentOf({ name, identity, sections, core, page, source, notes }: ImportParts): PlannedAgent {
  // Members read an agent's prompt: what looks like a secret doesn't come before them.
  const all: Section[] = [...sections, ...core];
  const safe = all.filter(({ text }) => secretLines(text).length === 0);
  for (const { from } of all.filter((section) => !safe.includes(section)))
    source.leave(from, "it seems to hold a key or a password, and members read an agent's prompt");
  const { text, left } = instructionOf(filesLeftBehind, safe, maxCharacters);
  for (const { from } of left) source.leave(from, `there is no room for it in ${maxCharacters} characters`);
  if (core.some((section) => safe.includes(section)))
    notes.push("MEMORY.md: its core memories are part of the agent's prompt, which members can read");
  if (identity.avatar !== undefined) notes.push("IDENTITY.md: its avatar was left out, the agent has its initial");
  const display = (identity.name ?? name).slice(0, 100);
  return {
    agent: {
      slug: name,
      name,
      display_name: display,
      description: [identity.creature, identity.vibe]
        .filter((one) => one !== undefined)
        .join("; ")
        .slice(0, 1000),
      system_prompt: text,
    },
    page,
  };
}
