/** The disk of a simulated machine behind the port to the journal. A step takes a moment, in which anything may happen. */
import { lineHash } from "../../../journal/chain/hash-chain.ts";
import type { OpenRunFile, RunFiles } from "../../../cortex/ports/run-files.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import type { SimHost } from "../sim-host.ts";
import type { SimEvent } from "../state.ts";
import type { Violations } from "../violations.ts";

export function simFiles(host: SimHost, violations: Violations): RunFiles {
  const eventsOf = (agentId: string) => [...(host.disk(agentId).file ?? [])];
  const open = (agentId: string) => new SimRunFile(host, violations, agentId);
  const files: RunFiles = {
    state(agentId) {
      const { file, isCommitted } = host.disk(agentId);
      return file ? (isCommitted ? "ended" : "active") : "absent";
    },
    isMirrored: () => false,
    hasRoom: () => true,
    freeBytes: () => Number.MAX_SAFE_INTEGER,
    writeStatus: async () => {},

    makeFolder: (agentId) => void (host.disk(agentId).hasFolder = true),
    dropFolder: (agentId) => void Object.assign(host.disk(agentId), { hasFolder: false, record: null, child: null }),
    record: (agentId) => host.disk(agentId).record,
    async keepRecord(agentId, record) {
      host.disk(agentId).record = record;
      await host.moment();
    },
    child: (agentId) => host.disk(agentId).child,
    async keepChild(agentId, child) {
      host.disk(agentId).child = child;
      await host.moment();
    },

    claim(agentId) {
      const disk = host.disk(agentId);
      if (disk.file) return null;
      disk.file = [];
      return open(agentId);
    },
    claimMirrored: () => {},
    async resume(agentId, _, onEvent) {
      await host.moment();
      for (const { event } of eventsOf(agentId)) onEvent(event);
      return open(agentId);
    },
    commit(agentId) {
      const disk = host.disk(agentId);
      disk.isCommitted = disk.file !== null;
    },
    quarantine: (agentId) => void Object.assign(host.disk(agentId), { file: null, isCommitted: false }),
    reader: (agentId) => ({
      async *lines(from = 1) {
        for (const line of eventsOf(agentId)) if (line.event.seq >= from) yield line;
      },
    }),
    find: async (agentId, names, fits = () => true) =>
      eventsOf(agentId).find(({ event }) => names.includes(event.event) && fits(event))?.event ?? null,
    appendToEnded: notSimulated,

    chainLength: async () => 1,
    hasHandedOn: async (parent, agentId) =>
      (await files.find(parent, ["handoff"], (event) => event["to"] === agentId)) !== null,
    chainHistory: notSimulated,
    hasAgent: () => false,
    agentHistory: () => null,
    attemptHistory: async (_, before) => ({ messages: [...before], hasPrompt: false }),

    async issueToken(agentId) {
      const token = `token ${host.nextNumber()}`;
      host.tokens.set(token, agentId);
      await host.moment();
      return token;
    },
    // No simulated run reaches a model.
    issueGatewayToken: () => Promise.resolve(undefined),
    async revokeToken(token) {
      await host.moment();
      host.tokens.delete(token);
    },
    async revokeTokensExcept(agentIds) {
      for (const [token, agentId] of host.tokens) if (!agentIds.has(agentId)) host.tokens.delete(token);
    },
    makeWorkFolder: async () => "/nowhere",
    removeWorkFolder: async () => {},
    // No simulated request has a folder.
    hasWorktree: () => false,
    commandsEnded: () => Promise.resolve(),
    takeChanges: () => Promise.resolve(null),
    // No simulated request has files.
    takeAttachments: () => Promise.resolve([]),
    async save(_, path) {
      violations.saved(path.replace(".md", ""), host.name);
      await host.moment();
      return path;
    },
  };
  return files;
}

class SimRunFile implements OpenRunFile {
  readonly agentId: string;
  readonly lastTs: number;
  readonly #host: SimHost;
  readonly #violations: Violations;
  readonly #events: SimEvent[];

  constructor(host: SimHost, violations: Violations, agentId: string) {
    this.#host = host;
    this.#violations = violations;
    this.agentId = agentId;
    this.#events = host.disk(agentId).file ?? [];
    this.lastTs = Math.max(0, ...this.#events.map((event) => event.event.ts));
  }

  get size(): number {
    return this.#events.reduce((sum, { line }) => sum + line.length + 1, 0);
  }

  get nextSeq(): number {
    return this.#events.length + 1;
  }

  get head(): string | null {
    const last = this.#events.at(-1);
    return last ? lineHash(last.line) : null;
  }

  async append(lines: string[]): Promise<void> {
    if (this.#host.disk(this.agentId).isCommitted) this.#violations.appended(this.agentId, this.#host);
    for (const line of lines) {
      const event = JSON.parse(line) as AgentEvent;
      this.#events.push({ seq: event.seq, name: event.event, line, event });
    }
    await this.#host.moment();
  }

  async close(): Promise<void> {
    this.#violations.committed(this.agentId, this.#host);
    this.#host.disk(this.agentId).isCommitted = true;
    await this.#host.moment();
  }

  release(): Promise<void> {
    return this.#host.moment();
  }
}

function notSimulated(): never {
  throw new Error("no simulated request asks for this");
}
