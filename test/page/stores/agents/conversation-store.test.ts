/** The conversation with an agent, which is left while it is being read. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConversationStore } from "../../../../page/stores/agents/conversation-store.ts";

/** Node's origin of relative addresses, for what a page asks. */
const origin = Symbol.for("undici.globalOrigin.1");
const { fetch: realFetch } = globalThis;
let asked: string[] = [];
let held = Promise.withResolvers<void>();

const answers: Record<string, unknown> = {
  "/api/v1/companions/wren": { companion: { agent_id: "wren", run_id: "1737366060000" } },
};

beforeEach(() => {
  asked = [];
  held = Promise.withResolvers();
  Object.assign(globalThis, {
    [origin]: new URL("http://page"),
    fetch: async (request: string | Request) => {
      const path = typeof request === "string" ? request : new URL(request.url).pathname;
      asked.push(path);
      if (path.endsWith("/live")) return new Response(null, { status: 403 });
      await held.promise;
      return Response.json(answers[path] ?? { items: [], next: null });
    },
  });
});
afterEach(() => {
  Object.assign(globalThis, { [origin]: undefined, fetch: realFetch });
});

test("the turn that goes on is listened to", async () => {
  const store = new ConversationStore("wren");
  const end = store.follow();
  held.resolve();
  await store.read();
  expect([store.problem.value, store.turn.value?.run]).toEqual([null, "1737366060000"]);
  expect(asked.at(-1)).toBe("/api/v1/runs/1737366060000/live");
  end();
  expect(store.turn.value).toBe(null);
});

test("a conversation that is left while it is being read listens to no turn", async () => {
  const store = new ConversationStore("wren");
  const end = store.follow();
  const read = store.read();
  end();
  held.resolve();
  await read;
  expect([store.problem.value, store.turn.value]).toEqual([null, null]);
  expect(asked.filter((path) => path.endsWith("/live"))).toEqual([]);
});
