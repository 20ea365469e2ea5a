/** An OpenClaw agent as a persona, and its heartbeat as a scheduled one. Pure. */
import type { PersonaSettings } from "../../../protocol/settings/persona.ts";
import { filesInMemory, instructionOf } from "./instruction.ts";
import type { ImportParts, PlannedFile } from "./import-parts.ts";

/** A persona's text may have 256 KiB, and a character up to four bytes. */
const maxCharacters = 64 * 1024;

/** OpenClaw's own default. */
const everyHalfHour = "*/30 * * * *";

export function personaFiles(parts: ImportParts): PlannedFile[] {
  const { name, identity, sections, user, source, notes } = parts;
  const { text, left } = instructionOf(filesInMemory(name), [...sections, ...user], maxCharacters);
  for (const { from } of left) source.leave(from, `there is no room for it in a persona's ${maxCharacters} characters`);
  for (const field of ["emoji", "avatar"] as const)
    if (identity[field] !== undefined) notes.push(`IDENTITY.md: its ${field} was left out, personas have none`);
  const settings: PersonaSettings = {
    title: identity.name ?? name,
    description: "An agent that was brought over from OpenClaw.",
    identity: {
      name: identity.name ?? name,
      ...(identity.creature === undefined ? {} : { role: identity.creature }),
      ...(identity.vibe === undefined ? {} : { personality: identity.vibe }),
    },
  };
  const from = ["IDENTITY.md", ...[...sections, ...user].map((section) => section.from)];
  return files("persona", name, { from, text, settings });
}

export function heartbeatFiles({ name, identity, sections, heartbeat }: ImportParts): PlannedFile[] {
  if (heartbeat === null) return [];
  const soul = sections.filter(({ from }) => from === "SOUL.md").map(({ text }) => text);
  const text = [
    ...soul,
    `## Your heartbeat

A clock wakes you. Follow the checklist below, with the journal, the todos and your memory (\`${name}/…\`). Nobody hears you: your answer is saved in the day's folder. Don't repeat what an earlier heartbeat has said. When nothing needs attention, write so in one line.`,
    heartbeat.text,
  ];
  const settings: PersonaSettings = {
    title: `Heartbeat of ${identity.name ?? name}`,
    description: "The work that OpenClaw's HEARTBEAT.md asked for.",
    tools: ["search_journal", "get_resource", "todo_list", "todo_upcoming", "memory_list", "memory_read"],
    schedule: everyHalfHour,
    missed: "skip",
    save: `${name}-heartbeat.md`,
    max_cost_usd: 0.1,
  };
  return files("schedule", `${name}-heartbeat`, { from: ["HEARTBEAT.md"], text: text.join("\n\n"), settings });
}

type Written = { from: string[]; text: string; settings: PersonaSettings };

/** The instructions first: without its settings a persona can be used, without instructions it can't. */
function files(what: "persona" | "schedule", name: string, { from, text, settings }: Written): PlannedFile[] {
  const both = { unit: `persona ${name}`, what, from: [...new Set(from)].join(", ") };
  return [
    { ...both, to: `personas/${name}.txt`, text: `${text}\n` },
    { ...both, to: `personas/${name}.json`, text: `${JSON.stringify(settings, null, 2)}\n` },
  ];
}
