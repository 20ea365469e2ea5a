/** A session's life within the process: what outlives it, and what must not. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AcpDeps, AgentLink } from "../../../acp/base/acp-deps.ts";
import { readSession, removeSession, type SessionRecord } from "../../../journal/editor-sessions/session-store.ts";
import { LiveSession } from "../../../acp/sessions/live-session.ts";
import { OwnTurns } from "../../../acp/sessions/own-turns.ts";
import { PermissionRequests } from "../../../acp/sessions/permission-requests.ts";
import { SessionContext } from "../../../acp/sessions/session-context.ts";
import { SessionOut } from "../../../acp/sessions/session-out.ts";
import { SerialQueue } from "../../../files/locks/serial-queue.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { BusServer } from "../../bus/bus-server.ts";

let server: BusServer;
beforeAll(async () => {
  server = await BusServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const made = (mode: string): SessionRecord => ({
  id: randomUUID(),
  cwd: "/garden",
  title: null,
  updated: 1,
  mode,
  model: "default",
  effort: "default",
  runs: [],
});

function contextOf(record: SessionRecord, openLink: AcpDeps["openLink"] = () => Promise.reject(new Error("no agent"))) {
  const log = logOf("test");
  log.level = "silent";
  const owner = () => server.as("owner");
  const settings = () => ({});
  const deps: AcpDeps = {
    journal: server.journal,
    settings,
    persona: "default",
    version: "1",
    client: owner,
    owner,
    openLink,
    log,
  };
  // Nothing is told in these tests.
  const out = new SessionOut({} as never, record.id, { hasNotices: false });
  out.leave();
  const permissions = new PermissionRequests(deps, out);
  return new SessionContext(
    { deps, out, permissions, turns: new OwnTurns(), writes: new SerialQueue() },
    record,
    false,
  );
}

test("a session that was deleted stays deleted, whatever is kept of it later", async () => {
  const record = made("default");
  const context = contextOf(record);
  await context.keep(() => ({ title: "Beans" }));
  expect(readSession(server.journal, record.id)).toMatchObject({ title: "Beans" });
  await removeSession(server.journal, record.id);
  await context.keep(({ runs }) => ({ runs: [...runs, "1736380800000"] }));
  expect(readSession(server.journal, record.id)).toBeNull();
  // What goes on in it goes on from there all the same.
  expect(context.record.runs).toEqual(["1736380800000"]);
});

test("a conversation with an agent that is opened when its session was closed is closed as well", async () => {
  const [asked, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<AgentLink>()];
  const session = new LiveSession(
    contextOf(made("agent/main"), () => {
      asked.resolve();
      return opened.promise;
    }),
    [],
  );
  const reopening = session.reopen(false);
  await asked.promise;
  session[Symbol.dispose]();
  const events: string[] = [];
  opened.resolve({
    agentId: "tz4a98xxat96iws9zmbrgj3a",
    sendText: () => Promise.reject(new Error("nothing is said")),
    // oxlint-disable-next-line require-yield
    replies: async function* (signal) {
      if (!signal.aborted) await once(signal, "abort");
      events.push("replies end");
    },
    isRead: () => Promise.resolve(true),
    [Symbol.dispose]: () => void events.push("closed"),
  });
  await expect(reopening).rejects.toMatchObject({ message: expect.stringContaining("closed meanwhile") });
  await expect.poll(() => events.toSorted()).toEqual(["closed", "replies end"]);
});
