/** Lists that are looked through here: each is read once for each time that the finder is open, when it is first needed. */
import { answered, type ApiRecord, client } from "../../api/client.ts";

/** The most that the API gives at once, and as many pages as are read: ten years of days. */
const page = { limit: 200, pages: 20 };

const known = new Map<string, Promise<unknown>>();

/** Forgets all lists: they are of the time when the finder was open. */
export function forgetAll(): void {
  known.clear();
}

function once<List>(name: string, read: () => Promise<List>): Promise<List> {
  const before = known.get(name);
  if (before) return before as Promise<List>;
  const asked = read();
  known.set(name, asked);
  // One that couldn't be read is asked for again by the next letter.
  asked.catch(() => known.get(name) === asked && known.delete(name));
  return asked;
}

const itemsOf = async <Item>(asked: Promise<{ items: Item[] }>): Promise<Item[]> => (await asked).items;

export const allPersonas = () => once("personas", () => itemsOf(answered(client.GET("/api/v1/personas"))));
export const allAgents = () => once("agents", () => itemsOf(answered(client.GET("/api/v1/companions"))));
export const allSchedules = () => once("schedules", () => itemsOf(answered(client.GET("/api/v1/schedules"))));
export const allFacets = () => once("facets", () => itemsOf(answered(client.GET("/api/v1/journal/facets"))));
export const allChanges = () => once("changes", () => itemsOf(answered(client.GET("/api/v1/changes"))));
export const allSkills = () => once("skills", () => itemsOf(answered(client.GET("/api/v1/skills"))));
export const allMemory = () => once("memory", () => itemsOf(answered(client.GET("/api/v1/memory"))));
export const allTools = () => once("tools", () => itemsOf(answered(client.GET("/api/v1/tools"))));
export const allPrograms = () => once("programs", () => itemsOf(answered(client.GET("/api/v1/programs"))));

type Cursor = { limit: number; cursor?: string };
type PageOf<Item> = { items: Item[]; next: string | null };

async function readPages<Item>(readPage: (query: Cursor) => Promise<PageOf<Item>>): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | null = null;
  for (let at = 0; at < page.pages; at++) {
    const { items, next }: PageOf<Item> = await readPage({ limit: page.limit, ...(cursor !== null && { cursor }) });
    all.push(...items);
    cursor = next;
    if (cursor === null) break;
  }
  return all;
}

export const allDays = () =>
  once("days", () => readPages((query) => answered(client.GET("/api/v1/journal/days", { params: { query } }))));

/** The threads of all workspaces that one is a member of. */
export const allThreads = () =>
  once("threads", async () => {
    const workspaces = await itemsOf(answered(client.GET("/api/v1/workspaces")));
    const of = ({ id }: ApiRecord<"Workspace">) =>
      readPages((query) =>
        answered(client.GET("/api/v1/workspaces/{w}/threads", { params: { path: { w: id }, query } })),
      );
    return (await Promise.all(workspaces.map(of))).flat();
  });

/** The agents of all workspaces that one is a member of. */
export const allTeamAgents = () =>
  once("team agents", async () => {
    const workspaces = await itemsOf(answered(client.GET("/api/v1/workspaces")));
    const of = ({ id }: ApiRecord<"Workspace">) =>
      readPages((query) =>
        answered(client.GET("/api/v1/workspaces/{w}/agents", { params: { path: { w: id }, query } })),
      );
    return (await Promise.all(workspaces.map(of))).flat();
  });
