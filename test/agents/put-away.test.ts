/** A turn that fails within cortex each time ends: its items are put away, its user is told, and the agent goes on. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Agent } from "../../agents/agent.ts";
import { descriptorOf } from "../../agents/agent-id.ts";
import type { AgentHost } from "../../agents/host.ts";
import { buildPrompts } from "../../agents/prompt/build.ts";
import { risingIds } from "../../agents/rising-ids.ts";
import { listQuarantine, Quarantine } from "../../journal/quarantine/quarantine.ts";
import { logOf } from "../../proc/logging/log.ts";
import type { Bus } from "../../bus/connection/connect.ts";

test("what fails three times is put away with the reason, and the user hears it", { timeout: 60_000 }, async () => {
  const journal = mkdtempSync(join(tmpdir(), "cortex-agent-"));
  mkdirSync(join(journal, ".state"), { recursive: true });
  const told = Promise.withResolvers<string>();
  let tries = 0;
  const host: AgentHost = {
    journal,
    bus: { isConnected: false } as Bus,
    timeZone: "UTC",
    settings: () => ({ agents: { join_window_ms: 0 } }),
    promptsOf: () => buildPrompts({ persona: undefined, channelTypes: [], skills: [], windowTokens: 1000 }),
    persona: () => undefined,
    outside: async () => {
      tries++;
      throw new Error("the catalog says nonsense");
    },
    memoryIndex: () => "",
    log: logOf("agents"),
    quarantine: new Quarantine(journal, "agents"),
    nextRunId: risingIds(),
    tell: () => {},
    say: async (_, __, text) => told.resolve(text),
    reply: async () => {},
    agent: () => undefined,
    tasksOf: () => [],
    tokensOfStrangers: () => ({ own: 0, all: 0 }),
    post: async () => {},
  };
  try {
    const key = { kind: "main", connector: "alpha", channelId: "room" } as const;
    using agent = await Agent.create(host, descriptorOf(key, Date.now()));
    const channel = { type: "alpha", channelId: "room", userId: "owner" };
    await agent.post({ id: "alpha:1", ts: Date.now(), type: "user", text: "the message", channel });
    expect(await told.promise).toMatch(/I couldn't answer \(internal\): .*put away.*the catalog says nonsense/);
    expect(tries).toBe(3);
    expect(agent.inbox.waiting).toEqual([]);
    expect(agent.state.turn).toBe(null);
    expect(listQuarantine(journal).map(({ record }) => record?.error)).toEqual(["the catalog says nonsense"]);
  } finally {
    rmSync(journal, { recursive: true, force: true });
  }
});
