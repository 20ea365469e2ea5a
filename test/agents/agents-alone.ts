/** Agents in this process, without a bus and without cortex. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPrompts } from "../../agents/prompt/build.ts";
import type { AgentDeps } from "../../agents/record/agent-deps.ts";
import { AgentDirectory } from "../../agents/record/directory.ts";
import { monotonicIds } from "../../agents/turns/monotonic-ids.ts";
import { AgentWorkers } from "../../agents/workers.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { Quarantine } from "../../journal/quarantine/quarantine.ts";
import { logOf } from "../../proc/logging/log.ts";
import type { QueueMode } from "../../protocol/agents/agents-settings.ts";

export class AgentsAlone implements Disposable {
  readonly journal = mkdtempSync(join(tmpdir(), "cortex-agent-"));
  readonly #told = Promise.withResolvers<string>();
  readonly #directory: AgentDirectory;
  readonly #workers: AgentWorkers;
  /** The notice that a user is sent. */
  readonly told = this.#told.promise;

  /** @param toolsOf asked at the begin of each turn */
  constructor(
    toolsOf: AgentDeps["prompts"]["externalTools"] = async () => ({}),
    bus = { isConnected: false } as Bus,
    queue: Record<string, QueueMode> = {},
  ) {
    mkdirSync(join(this.journal, ".state"), { recursive: true });
    const deps: AgentDeps = {
      journal: this.journal,
      bus,
      timeZone: "UTC",
      settings: () => ({ agents: { join_window_ms: 0, queue } }),
      personas: { get: () => undefined, all: () => [], problems: () => [] },
      prompts: {
        of: () =>
          buildPrompts({
            persona: undefined,
            tools: [],
            channelTypes: [],
            knownChannels: { own: [], rooms: [] },
            skills: [],
            windowTokens: 1000,
          }),
        externalTools: toolsOf,
        memoryIndex: () => "",
      },
      log: logOf("agents"),
      quarantine: new Quarantine(this.journal, "agents"),
      nextRunId: monotonicIds(),
      publishEvent: () => {},
      questionsOf: () => [],
      messages: {
        sendNotice: async (_, __, text) => this.#told.resolve(text),
        sendReply: async () => {},
        post: async (id, item) => this.#workers.post(id, item),
      },
    };
    this.#directory = new AgentDirectory(deps);
    this.#workers = new AgentWorkers(this.#directory);
  }

  async newAgent() {
    return this.#directory.findOrCreate({ kind: "main", connector: "alpha", channelId: "room" });
  }

  [Symbol.dispose](): void {
    this.#workers[Symbol.dispose]();
    this.#directory[Symbol.dispose]();
    rmSync(this.journal, { recursive: true, force: true });
  }
}
