/** The conversation with an agent, which is left while it is being read. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ConversationStore } from "../../../../page/stores/agents/conversation-store.ts";
import { PlayedPage } from "../played-page.ts";

type Module = typeof import("../../../../page/stores/agents/conversation-store.ts");

const page = new PlayedPage("conversation-store");
const run = "1737366060000";
const live = `runs/${run}/live`;
let newStore: () => ConversationStore;
beforeAll(async () => {
  const module = await page.module<Module>("stores/agents/conversation-store.ts");
  newStore = () => new module.ConversationStore("wren");
  await page.listen();
});
afterAll(() => page[Symbol.asyncDispose]());

/** Answers one reading of the conversation, in which a turn goes on. */
async function answerAll(): Promise<void> {
  (await page.asked("companions/wren")).answer({ companion: { agent_id: "wren", run_id: run } });
  const ofAgent = ["queue", "tasks", "history", "conversations"].map((name) => `companions/wren/${name}`);
  for (const path of ["decisions", ...ofAgent, "runs"]) (await page.asked(path)).answer({ items: [], next: null });
}

test("the turn that goes on is listened to", async () => {
  const store = newStore();
  const end = store.follow();
  await answerAll();
  (await page.asked(live)).answer({}, 403);
  expect([store.problem.value, store.turn.value?.run]).toEqual([null, run]);
  end();
  expect(store.turn.value).toBe(null);
});

test("a conversation that is left while it is being read listens to no turn", async () => {
  const store = newStore();
  const end = store.follow();
  const read = store.read();
  end();
  await answerAll();
  await read;
  expect([store.problem.value, store.turn.value, page.waiting(live)]).toEqual([null, null, 0]);
});
