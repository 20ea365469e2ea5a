/** A turn that fails within cortex each time ends: its items are put away, its user is told, and the agent goes on. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentDeps } from "../../agents/record/agent-deps.ts";
import { AgentDirectory } from "../../agents/record/directory.ts";
import { buildPrompts } from "../../agents/prompt/build.ts";
import { monotonicIds } from "../../agents/turns/monotonic-ids.ts";
import { AgentWorkers } from "../../agents/workers.ts";
import { listQuarantine, Quarantine } from "../../journal/quarantine/quarantine.ts";
import { logOf } from "../../proc/logging/log.ts";
import type { Bus } from "../../bus/connection/connect.ts";

test("an item that fails three times is put away with the reason, and the user hears it", {
  timeout: 60_000,
}, async () => {
  const journal = mkdtempSync(join(tmpdir(), "cortex-agent-"));
  mkdirSync(join(journal, ".state"), { recursive: true });
  const told = Promise.withResolvers<string>();
  let tries = 0;
  const deps: AgentDeps = {
    journal,
    bus: { isConnected: false } as Bus,
    timeZone: "UTC",
    settings: () => ({ agents: { join_window_ms: 0 } }),
    personas: { get: () => undefined, all: () => [], problems: () => [] },
    prompts: {
      of: () =>
        buildPrompts({
          persona: undefined,
          tools: [],
          channelTypes: [],
          knownChannels: [],
          skills: [],
          windowTokens: 1000,
        }),
      externalTools: async () => {
        tries++;
        throw new Error("the catalog says nonsense");
      },
      memoryIndex: () => "",
    },
    log: logOf("agents"),
    quarantine: new Quarantine(journal, "agents"),
    nextRunId: monotonicIds(),
    publishEvent: () => {},
    questionsOf: () => [],
    messages: {
      sendNotice: async (_, __, text) => told.resolve(text),
      sendReply: async () => {},
      post: async (id, item) => workers.post(id, item),
    },
  };
  using directory = new AgentDirectory(deps);
  using workers = new AgentWorkers(directory);
  try {
    const key = { kind: "main", connector: "alpha", channelId: "room" } as const;
    const agent = await directory.findOrCreate(key);
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
