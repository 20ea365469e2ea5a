/** The intake of what Slack hands over: what is acknowledged when, and in which order it is taken. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, expect, test, vi } from "vitest";
import { ChannelFullError } from "../../../bus/agents/inbound-refusals.ts";
import { Intake, type IntakeDeps } from "../../../channels/slack/intake.ts";
import { listQuarantine } from "../../../journal/quarantine/quarantine.ts";
import { makePrivateFolders } from "../../../journal/config/paths.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { patienceMs } from "../../support/patience.ts";

type Handle = (text: string) => Promise<object | undefined>;

function start(handle: Handle) {
  const journal = mkdtempSync(join(tmpdir(), "cortex-intake-"));
  makePrivateFolders(journal);
  const stopping = new AbortController();
  onTestFinished(() => {
    stopping.abort();
    rmSync(journal, { recursive: true, force: true });
  });
  const log = logOf("test");
  log.level = "silent";
  const handled: string[] = [];
  const acknowledged: unknown[] = [];
  const deps: IntakeDeps = {
    journal,
    botId: () => "U0BOT",
    handle: async (incoming) => {
      const text = incoming.kind === "press" ? incoming.action : incoming.text;
      handled.push(text);
      return handle(text);
    },
    onRevoked: () => void handled.push("revoked"),
    log,
    signal: stopping.signal,
  };
  const intake = new Intake(deps);
  let ts = 1;
  const write = (text: string, room = "C1") => {
    const event = { type: "message", user: "U17", channel: room, ts: `${ts++}.0`, text };
    const acknowledge = async (response?: object) => void acknowledged.push(response ?? text);
    intake.take({ type: "events_api", body: { event }, acknowledge });
  };
  const until = async (check: () => void) => vi.waitFor(check, { timeout: patienceMs, interval: 5 });
  return { journal, intake, write, handled, acknowledged, until };
}

test("a message is acknowledged once it is stored; its room waits for it meanwhile, and no other", async () => {
  const first = Promise.withResolvers<undefined>();
  const { write, handled, acknowledged, until } = start(async (text) => (text === "first" ? first.promise : undefined));
  write("first");
  write("second");
  write("elsewhere", "C2");
  await until(() => expect(acknowledged).toEqual(["elsewhere"]));
  expect(handled).toEqual(["first", "elsewhere"]);
  first.resolve(undefined);
  await until(() => expect(acknowledged).toEqual(["elsewhere", "first", "second"]));
});

test("what our side can't take now is tried again, and is not put away", async () => {
  let failures = 3;
  const { journal, write, acknowledged, until } = start(async () => {
    if (failures-- > 0) throw new ChannelFullError("slack", undefined);
    return { text: "an answer" };
  });
  write("patient");
  await until(() => expect(acknowledged).toEqual([{ text: "an answer" }]));
  expect(listQuarantine(journal)).toEqual([]);
});

test("what can't be taken is put away at the third failure, and what comes behind it is taken", async () => {
  const { journal, write, handled, acknowledged, until } = start(async (text) => {
    if (text === "poison") throw new Error("it can't be read");
    return undefined;
  });
  write("poison");
  write("behind it");
  await until(() => expect(acknowledged).toEqual(["poison", "behind it"]));
  expect(handled).toEqual(["poison", "poison", "poison", "behind it"]);
  expect(listQuarantine(journal)).toMatchObject([{ record: { store: "slack", key: "C1:1.0", failures: 3 } }]);
});

test("beyond what it can hold nothing is taken or acknowledged, so that it comes again", async () => {
  const all = Promise.withResolvers<undefined>();
  const { write, handled, acknowledged, until } = start(async () => all.promise);
  for (let n = 0; n < 510; n++) write(`${n}`, `C${n}`);
  await until(() => expect(handled).toHaveLength(500));
  all.resolve(undefined);
  await until(() => expect(acknowledged).toHaveLength(500));
  write("again");
  await until(() => expect(acknowledged).toHaveLength(501));
});

test("what is nothing for an agent is acknowledged at once, and an app that was taken away is told", async () => {
  const { intake, handled, acknowledged, until } = start(async () => undefined);
  const acknowledge = async () => void acknowledged.push("it");
  for (const type of ["reaction_added", "app_uninstalled"])
    intake.take({ type: "events_api", body: { event: { type } }, acknowledge });
  intake.take({ type: "unheard_of", body: null, acknowledge });
  await until(() => expect(acknowledged).toHaveLength(3));
  expect(handled).toEqual(["revoked"]);
});
