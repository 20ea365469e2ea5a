/** The stores of what is edited, each asking a real server that holds its answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { registerHooks } from "node:module";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keptConnections } from "../../../support/network/kept-connections.ts";
import type { PersonaEdit } from "../../../../page/stores/editing/persona-edit.ts";
import type { SettingsEdit } from "../../../../page/stores/editing/settings-edit.ts";
import type { TeamAgentEdit } from "../../../../page/stores/editing/team-agent-edit.ts";

type Body = Record<string, unknown>;

let server: Server;
let newPersonaEdit: (name: string) => PersonaEdit;
let newSettingsEdit: () => SettingsEdit;
let newTeamAgentEdit: (id: string) => TeamAgentEdit;
const { fetch: realFetch, Request: RealRequest } = globalThis;
/**
 * Modules of the page that are imported with this mark, and those that they import, are this file's own: others' may have
 * been made before a page had an origin here.
 */
const own = "?edits";
const page = new URL("../../../../page/", import.meta.url).href;
const hooks = registerHooks({
  resolve: (specifier, context, next) => {
    const { url, ...resolved } = next(specifier, context);
    const isOwn = context.parentURL?.endsWith(own) === true && url.startsWith(page);
    return { ...resolved, url: isOwn ? url + own : url };
  },
});
const ownModule = <Module>(path: string): Promise<Module> => import(`${page}${path}${own}`);
const persona = { name: "cook", source: "journal", can_be_changed: true, problem: null, warnings: [], schema: {} };
const identity = { name: "poet", display_name: "Poet", description: "", avatar: null, capabilities: [] };
const model = { model: "m-1", backend: null, max_tokens: 100, persona: null, tools: ["web"], sandbox: null };
const trust = { autonomous: [], approve: [], escalate: [] };
const config = { ...identity, ...model, system_prompt: "You rhyme.", limits: {}, trust };
const versionAt = (version: number) => ({ version, config: { ...config, max_tokens: version }, created_at: "" });
/** The fields of the last change that was sent. */
let sent: Body = {};
const there: Record<string, Body> = {
  "/api/v1/personas/cook": { ...persona, version: "1", instruction: "You cook.\n", settings: { max_turns: 3 } },
  "/api/v1/personas/cook/versions": { items: [] },
  "/api/v1/settings": { revision: "1", settings: { max_queued: 3 }, text: "", problems: [] },
  "/api/v1/agents/poet": { ...config, slug: "poet", workspace_id: "w", version: 4 },
  "/api/v1/agents/poet/versions": { items: [4, 3].map(versionAt), next: "3" },
  "/api/v1/workspaces/w/agents/schema": {
    schema: { properties: { model: { default: null }, tools: { default: [] } } },
  },
  "/api/v1/session": { csrf_token: "x" },
};
let arrived = Promise.withResolvers<void>();
let held = Promise.withResolvers<void>();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://page");
  if (request.method === "PATCH") {
    sent = (await json(request)) as Body;
    const { version: _, revision: __, ...changed } = sent;
    const { version, revision, ...before } = there[pathname] ?? {};
    const next = (old: unknown) => (typeof old === "number" ? old + 1 : `${Number(old) + 1}`);
    there[pathname] = {
      ...before,
      ...changed,
      ...(version !== undefined && { version: next(version) }),
      ...(revision !== undefined && { revision: next(revision) }),
    };
    // As the server does: a text ends with an end of line.
    const { instruction } = there[pathname];
    if (typeof instruction === "string") there[pathname]["instruction"] = `${instruction.trimEnd()}\n`;
    arrived.resolve();
    await held.promise;
  }
  response.setHeader("Content-Type", "application/json");
  const older = searchParams.has("cursor") ? { items: [2, 1].map(versionAt), next: null } : null;
  response.end(JSON.stringify(older ?? there[pathname] ?? {}));
}

beforeAll(async () => {
  server = createServer(keptConnections, (request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // A page asks its own origin.
  globalThis.Request = class extends RealRequest {
    constructor(input: string | URL | Request, init?: RequestInit) {
      super(typeof input === "string" && input.startsWith("/") ? origin + input : input, init);
    }
  };
  globalThis.fetch = (input, init) =>
    realFetch(typeof input === "string" && input.startsWith("/") ? origin + input : input, init);
  const [personas, settings, agents] = await Promise.all([
    ownModule<typeof import("../../../../page/stores/editing/persona-edit.ts")>("stores/editing/persona-edit.ts"),
    ownModule<typeof import("../../../../page/stores/editing/settings-edit.ts")>("stores/editing/settings-edit.ts"),
    ownModule<typeof import("../../../../page/stores/editing/team-agent-edit.ts")>("stores/editing/team-agent-edit.ts"),
  ]);
  newPersonaEdit = (name) => new personas.PersonaEdit(name);
  newSettingsEdit = () => new settings.SettingsEdit();
  newTeamAgentEdit = (id) => new agents.TeamAgentEdit(id);
});
afterAll(() => {
  hooks.deregister();
  Object.assign(globalThis, { fetch: realFetch, Request: RealRequest });
  server.closeAllConnections();
  server.close();
});

/** Saves, does something while it is on its way, and lets the answer come. */
async function during(save: () => Promise<void>, act: () => void): Promise<void> {
  arrived = Promise.withResolvers();
  held = Promise.withResolvers();
  const saved = save();
  await arrived.promise;
  act();
  held.resolve();
  await saved;
}

test("a persona's text and settings that are changed while it is being saved stay, and are unsaved", async () => {
  const edit = newPersonaEdit("cook");
  await edit.read();
  expect(edit.problem.value).toBe(null);
  edit.changePart({ instruction: "You cook well." });
  await during(
    () => edit.save(),
    () => {
      edit.changePart({ instruction: "You cook very well." });
      edit.changePart({ settings: { max_turns: 5 } });
    },
  );
  expect([edit.mine.value, edit.base.value]).toEqual([
    { instruction: "You cook very well.", settings: { max_turns: 5 } },
    { instruction: "You cook well.\n", settings: { max_turns: 3 } },
  ]);
  expect([edit.changes.value, edit.isOvertaken.value]).toEqual([2, false]);
  await during(
    () => edit.save(),
    () => edit.changePart({ settings: { max_turns: 3 } }),
  );
  expect(there["/api/v1/personas/cook"]).toMatchObject({ instruction: "You cook very well.\n", version: "3" });
  expect([edit.changes.value, edit.mine.value.settings, edit.base.value.settings]).toEqual([
    1,
    { max_turns: 3 },
    { max_turns: 5 },
  ]);
});

test("settings that are changed while they are being saved stay, and are unsaved", async () => {
  const edit = newSettingsEdit();
  await edit.read();
  expect(edit.problem.value).toBe(null);
  edit.change({ max_queued: 4 });
  await during(
    () => edit.save(),
    () => edit.change({ max_queued: 3 }),
  );
  expect([edit.mine.value, edit.base.value, edit.isChanged.value, edit.isOvertaken.value]).toEqual([
    { max_queued: 3 },
    { max_queued: 4 },
    true,
    false,
  ]);
  await during(
    () => edit.save(),
    () => {},
  );
  expect([there["/api/v1/settings"]?.["settings"], edit.isChanged.value]).toEqual([{ max_queued: 3 }, false]);
});

test("an agent of a team that is changed while it is being saved stays so, and only what was changed is sent", async () => {
  const edit = newTeamAgentEdit("poet");
  await edit.read();
  expect(edit.problem.value).toBe(null);
  const { settings } = edit.mine.value;
  const named = { slug: "poet", name: "poet", display_name: "Poet" };
  expect(settings).toEqual({ ...named, model: "m-1", max_tokens: 100, tools: ["web"] });
  const { model: _, tools: __, ...emptied } = settings;
  edit.changePart({ settings: emptied });
  await during(
    () => edit.save(),
    () => edit.changePart({ instruction: "You sing.", settings }),
  );
  expect(sent).toEqual({ version: 4, model: null, tools: [] });
  expect([edit.mine.value.instruction, edit.mine.value.settings]).toEqual(["You sing.", settings]);
  expect([edit.changes.value, edit.isOvertaken.value]).toEqual([3, false]);
  await during(
    () => edit.save(),
    () => {},
  );
  expect(sent).toEqual({ version: 5, model: "m-1", tools: ["web"], system_prompt: "You sing." });
  expect(edit.isChanged.value).toBe(false);
});

test("versions that were read stay in the list, unless there is a gap before them", async () => {
  const edit = newTeamAgentEdit("poet");
  const numbers = () => edit.versions.value.map(({ number }) => number);
  await edit.read();
  expect([numbers(), edit.hasOlder.value]).toEqual([[4, 3], true]);
  await edit.readOlder();
  expect([numbers(), edit.hasOlder.value]).toEqual([[4, 3, 2, 1], false]);
  there["/api/v1/agents/poet/versions"] = { items: [6, 5, 4].map(versionAt), next: "4" };
  await edit.read();
  expect([numbers(), edit.hasOlder.value]).toEqual([[6, 5, 4, 3, 2, 1], false]);
  expect((await edit.textOfVersion("1")).settings["max_tokens"]).toBe(1);
  there["/api/v1/agents/poet/versions"] = { items: [9, 8].map(versionAt), next: "8" };
  await edit.read();
  expect([numbers(), edit.hasOlder.value, edit.next]).toEqual([[9, 8], true, 10]);
  await expect(edit.textOfVersion("1")).rejects.toThrow("isn't listed any more");
});
