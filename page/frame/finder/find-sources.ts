/** The sources of the finder: a row for each kind of thing. Each answers for itself, as fast as it can. */
import { answered, client } from "../../api/client.ts";
import * as address from "../../words/navigation/addresses.ts";
import { nameOfDay, writingsOfDay } from "../../words/time/day-words.ts";
import { firstLine, personName } from "../../words/names/names.ts";
import { runStates } from "../../words/runs/run-states.ts";
import { views } from "../../words/navigation/views.ts";
import { findCommands, findDoings } from "./commands.ts";
import { type FindSource, type Found, firstThatFit, fits, most } from "./found.ts";
import * as known from "./known-lists.ts";

/** Lists within views that have an address of their own. */
const lists: readonly Found[] = [
  { key: "failed", text: "Failed runs", note: "Runs", to: "/runs?state=failed" },
  { key: "you", text: "Runs that need you", note: "Runs", to: "/runs?state=you" },
  { key: "team", text: "Agents of the team", note: "Agents", to: "/agents?of=team" },
  { key: "skills", text: "Skills", note: "Agents", to: "/agents?of=skills" },
  { key: "memory", text: "Memory", note: "Agents", to: "/agents?of=memory" },
  { key: "tools", text: "Tools", note: "Agents", to: "/agents?of=tools" },
];

const changeWords = {
  open: "waits for you",
  conflict: "does not fit any more",
  applied: "applied",
  dropped: "dropped",
};

const agentStates = { working: "agent, works", waiting: "agent, waits", idle: "agent" } as const;

const allViews: readonly Found[] = views.map(({ id, title, path, key }) => ({
  key: id,
  text: title,
  note: `G ${key.toUpperCase()}`,
  to: path,
}));

export const findSources: readonly FindSource[] = [
  {
    group: "Views",
    isHere: true,
    find: (text) =>
      text === "" ? [...allViews] : [...allViews, ...lists].filter((view) => fits(view.text, text)).slice(0, most),
  },
  {
    group: "Agents",
    find: async (text) => {
      const agents = (await known.allAgents()).filter(({ kind }) => kind !== "subagent");
      return firstThatFit(agents, text, ({ name }) => `${name} Talk with`).flatMap(({ agent_id: id, name, state }) => [
        { key: id, text: personName(name), note: agentStates[state], to: address.agentAddress(id) },
        { key: `talk ${id}`, text: `Talk with ${personName(name)}`, note: "Chat", to: address.chatAddress(id) },
      ]);
    },
  },
  {
    group: "Personas",
    find: async (text) =>
      firstThatFit(await known.allPersonas(), text, ({ name, title, description }) =>
        [name, title, description].join(" "),
      ).map(({ name, title, description }) => ({
        key: name,
        text: title ?? personName(name),
        note: description ?? undefined,
        to: address.personaAddress(name),
      })),
  },
  {
    group: "Runs",
    find: async (text, signal) => {
      if (text.length < 2) return [];
      const query = { text, limit: most };
      const { items } = await answered(client.GET("/api/v1/runs", { params: { query }, signal }));
      return items.map(({ id, prompt, persona, state }) => ({
        key: id,
        text: firstLine(prompt),
        note: `${personName(persona)}, ${runStates[state].word.toLowerCase()}`,
        to: address.runAddress(id),
      }));
    },
  },
  {
    group: "Threads",
    find: async (text) =>
      firstThatFit(await known.allThreads(), text, ({ title }) => title).map(({ id, title }) => ({
        key: id,
        text: title,
        to: address.threadAddress(id),
      })),
  },
  {
    group: "Team",
    find: async (text) =>
      firstThatFit(await known.allTeamAgents(), text, ({ slug, display_name, description }) =>
        [slug, display_name, description].join(" "),
      ).map(({ id, slug, display_name }) => ({
        key: id,
        text: display_name,
        note: `@${slug}`,
        to: address.teamAgentAddress(id),
      })),
  },
  {
    group: "Days",
    find: async (text) => {
      const now = Date.now();
      return firstThatFit(await known.allDays(), text, ({ day }) => writingsOfDay(day, now)).map(({ day }) => ({
        key: day,
        text: nameOfDay(day, now),
        note: day,
        to: address.dayAddress(day),
      }));
    },
  },
  {
    group: "Facets",
    find: async (text) =>
      firstThatFit(await known.allFacets(), text, ({ name, title }) => `${name} ${title}`).map(({ name, title }) => ({
        key: name,
        text: title,
        note: name,
        to: address.facetAddress(name),
      })),
  },
  {
    group: "Journal",
    find: async (text, signal) => {
      if (text.length < 3) return [];
      const query = { text, limit: most };
      const { items } = await answered(client.GET("/api/v1/journal/search", { params: { query }, signal }));
      return items.map(({ path, line, snippet }) => ({
        key: `${path}:${line}`,
        text: firstLine(snippet),
        note: path,
        to: address.fileAddress(path),
      }));
    },
  },
  {
    group: "Changes",
    find: async (text) =>
      firstThatFit(await known.allChanges(), text, ({ folder, branch, files }) =>
        [folder, branch, ...files.map(({ path }) => path)].join(" "),
      ).map(({ id, folder, files, state }) => ({
        key: id,
        text: files.map(({ path }) => path).join(", ") || folder,
        note: changeWords[state],
        to: address.changeAddress(id),
      })),
  },
  {
    group: "Skills",
    find: async (text) =>
      firstThatFit(await known.allSkills(), text, ({ name, description }) => `${name} ${description}`).map(
        ({ name, description }) => ({ key: name, text: name, note: description, to: address.skillAddress(name) }),
      ),
  },
  {
    group: "Memory",
    find: async (text) =>
      firstThatFit(await known.allMemory(), text, ({ path, summary }) => `${path} ${summary ?? ""}`).map(
        ({ path, summary }) => ({
          key: path,
          text: path,
          note: summary ?? undefined,
          to: address.memoryAddress(path),
        }),
      ),
  },
  {
    group: "Tools",
    find: async (text) =>
      firstThatFit(await known.allTools(), text, ({ name, title }) => `${name} ${title ?? ""}`).map(
        ({ name, description }) => ({ key: name, text: name, note: description, to: address.toolAddress(name) }),
      ),
  },
  {
    group: "Logs",
    find: async (text) =>
      firstThatFit(await known.allPrograms(), text, ({ name }) => `Log of ${name}`).map(({ name }) => ({
        key: name,
        text: `Log of ${name}`,
        to: address.logAddress(name),
      })),
  },
  { group: "Commands", isHere: true, find: findCommands },
  { group: "Ask, run, pause", find: findDoings },
];
