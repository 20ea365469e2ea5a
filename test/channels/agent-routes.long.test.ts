/** The routes of `web` and `webhook` on agents: begin anew, stop, what was said. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { AgentsSystem } from "../agents/agents-system.ts";
import { secret } from "./channel-system.ts";
import { signedRequest } from "./webhook/signed-request.ts";

const system = await AgentsSystem.start(
  {
    channels: { web: { port: 0 }, webhook: { port: 0, secret_env: "HOOK_SECRET", owner: true } },
    agents: { join_window_ms: 0, binding: "perChannel" },
  },
  {},
  { HOOK_SECRET: secret },
);
afterAll(() => system[Symbol.asyncDispose]());
const addressOf = async (type: string) => {
  await system.until(() => system.up.isReady(`channel-${type}`), `${type} is ready`);
  return (await readProgramRecord(system.journal, `channel-${type}`))?.url ?? "";
};
const [web, hook] = [await addressOf("web"), await addressOf("webhook")];
const token = readFileSync(join(system.journal, ".run/web-token"), "utf8").trim();

type Answer = { status: number; body: Record<string, unknown> };
const read = async (response: Response): Promise<Answer> => ({
  status: response.status,
  body: (await response.json()) as Record<string, unknown>,
});
async function ask(method: string, path: string, body?: object): Promise<Answer> {
  // As many clients do, also where there is no body.
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return read(await fetch(`${web}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }));
}
const signed = async (method: string, path: string, body?: object): Promise<Answer> =>
  read(await signedRequest(new URL(path, hook).href, body && JSON.stringify(body), { method }));

/** The two doors, each with what it takes to give an order. */
const doors = [
  { type: "web", userId: "token", get: (path: string) => ask("GET", path), post: (path: string) => ask("POST", path) },
  {
    type: "webhook",
    userId: "webhook",
    get: (path: string) => signed("GET", path),
    post: (path: string) => {
      const [, , , id = "", order = ""] = path.split("/");
      return signed("POST", path, { id, order });
    },
  },
] as const;
const say = (type: string, text: string) =>
  type === "web" ? ask("POST", "/v1/messages", { text }) : signed("POST", "/", { text });

test.each(doors)(
  "$type: a turn is stopped, the conversation begins anew, and its history is read in pages",
  async (door) => {
    const { type, userId, get, post } = door;
    expect(await get("/v1/agents/main/history")).toMatchObject({ status: 404 });
    const asked = Promise.withResolvers<void>();
    system.think(`${type}-hangs`, async () => {
      asked.resolve();
      return new Promise(() => {});
    });
    expect(await say(type, `${type}-hangs`)).toMatchObject({ status: 202 });
    await asked.promise;
    const agent = await system.agentOf({ type, channelId: "main", userId });
    expect(await post("/v1/agents/main/stop")).toEqual({ status: 200, body: { agent_id: agent, stopped: true } });
    expect(await system.told(agent, "turn_ended")).toMatchObject({ ok: false, reason: "cancelled" });
    expect(await post(`/v1/agents/${agent}/stop`)).toEqual({ status: 200, body: { agent_id: agent, stopped: false } });

    expect(await post("/v1/agents/main/reset")).toEqual({ status: 200, body: { agent_id: agent } });
    system.think(`${type}-counts`, () => ({ text: "I count." }));
    for (let n = 1; n <= 3; n++) {
      await say(type, `${type}-counts ${n}`);
      await system.turns(agent, n + 1);
    }
    const texts: string[] = [];
    for (let before = ""; ; ) {
      const page = await get(`/v1/agents/${agent}/history?limit=2${before}`);
      expect(page.status).toBe(200);
      const { items, next } = page.body as { items: { text?: string }[]; next: number | null };
      expect(items.length).toBeLessThanOrEqual(2);
      texts.unshift(...items.map(({ text = "" }) => text));
      if (next === null) break;
      before = `&before=${next}`;
    }
    const said = system.askedOf(`${type}-counts`).flatMap((asked) => asked.said);
    expect(said.join()).not.toContain(`${type}-hangs`);
    expect(texts.filter((text) => text.includes(`${type}-counts`))).toHaveLength(3);
  },
);

test("what isn't there, or isn't asked right, is refused with why", async () => {
  expect(await ask("POST", "/v1/agents/nobody/reset")).toMatchObject({
    status: 404,
    body: { error: "there is no agent nobody: see cortex agents list" },
  });
  expect(await ask("GET", "/v1/agents/main/history?limit=1000")).toMatchObject({ status: 400 });
  expect(await read(await fetch(`${web}/v1/agents/main/stop`, { method: "POST" }))).toMatchObject({ status: 401 });
  const path = "/v1/agents/main/reset";
  // A signature for one order is none for another.
  expect(await signed("POST", path, { id: "main", order: "stop" })).toMatchObject({ status: 400 });
  expect(await signed("POST", path, { id: "other", order: "reset" })).toMatchObject({ status: 400 });
  expect(await signed("POST", path, { id: "main", order: "reset", userId: "eve" })).toMatchObject({ status: 403 });
  expect(await read(await fetch(new URL(path, hook), { method: "POST" }))).toMatchObject({ status: 401 });
});

test("a message to the webhook that names nobody is an owner's where its settings say so", async () => {
  system.think("whose-is-it", () => ({ text: "Yours." }));
  const agent = await system.agentOf({ type: "webhook", channelId: "whose", userId: "webhook" });
  await signed("POST", "/", { text: "whose-is-it", channelId: "whose" });
  await system.turns(agent, 1);
  expect(system.askedOf("whose-is-it")[0]?.tools).toContain("spawn_subagent");
  const stranger = await system.agentOf({ type: "webhook", channelId: "whose", userId: "shop" });
  expect(stranger).not.toBe(agent);
});
