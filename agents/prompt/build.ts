/** System prompts: built once from their sections, and the same, byte by byte, at every call. Pure. */
import { isRecord } from "../../protocol/json/json-object.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import {
  channels,
  howYouAnswer,
  howYouThink,
  type AgentIdentity,
  identity,
  knownPlaces,
  memory,
  replyOrSpawn,
  safety,
  sessionHistory,
  strangersRules,
  taskRules,
} from "./sections.ts";
import type { KnownChannels } from "./known-channels.ts";
import { type SkillLine, skillsSection } from "./skills.ts";

export type Prompts = {
  /** For the agent that owners write to, and for those that a clock wakes. */
  main: string;
  /** For the agents of all others. */
  stranger: string;
  /** For a sub-agent: what its persona says stands last. */
  task: (persona: Persona | undefined) => string;
};

export type PromptParts = {
  persona: Persona | undefined;
  /** The tools that the agent has: it isn't told of others. */
  tools: readonly string[];
  channelTypes: readonly string[];
  /** Where its owners can be reached, and who else is known. */
  knownChannels: KnownChannels;
  skills: readonly SkillLine[];
  windowTokens: number;
};

export function buildPrompts(parts: PromptParts): Prompts {
  const { persona, tools, channelTypes, knownChannels, skills, windowTokens } = parts;
  const speaking = persona?.settings.text_is_reply ? howYouAnswer : howYouThink;
  const self = identity(identityIn(persona), persona?.instruction ?? "");
  const join = (...sections: string[]) => sections.filter((section) => section !== "").join("\n\n");
  const ifHas = (tool: string, section: string) => (tools.includes(tool) ? section : "");
  return {
    main: join(
      self,
      safety,
      speaking,
      ifHas("spawn_subagent", replyOrSpawn),
      channels(channelTypes),
      knownPlaces(knownChannels),
      ifHas("memory_read", memory),
      sessionHistory,
      skillsSection(skills, windowTokens),
    ),
    stranger: join(self, safety, speaking, channels(channelTypes), strangersRules),
    task: (of) => join(self, safety, taskRules, of?.instruction ?? ""),
  };
}

/** `identity` of `personas/main.json`: texts, and what is none counts as absent. */
function identityIn(persona: Persona | undefined): AgentIdentity {
  const { identity: given } = persona?.settings ?? {};
  if (!isRecord(given)) return {};
  const text = (key: string) => {
    const { [key]: value } = given;
    if (Array.isArray(value)) return value.filter((one) => typeof one === "string").join(", ") || undefined;
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  return {
    name: text("name"),
    role: text("role"),
    personality: text("personality"),
    style: text("style"),
    values: text("values"),
  };
}
