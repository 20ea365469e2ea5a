/** A whole `cortex up` for the fuzzer, with agents that are shell scripts, and everything through which text comes in. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { readSupervised } from "../../journal/programs/supervised.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { type Up, UpJournal } from "../supervisor/up-process.ts";
import { askUntil } from "../support/ask-until.ts";
import { patienceMs } from "../support/patience.ts";
import { Clients } from "./clients.ts";

/** Agents that cost next to nothing: each reads its line. */
const scripts = {
  /** Ends at once. */
  ok: `read -r line; printf '{"event":"finish","result":"ok"}\\n'`,
  /** Prints a file, whatever is in it. */
  spit: `read -r line; cat "$FUZZ_OUTPUT"; exit "$FUZZ_EXIT"`,
  /** Hears inputs until it is told to end. */
  hear: `while read -r line; do case $line in *end-of-fuzz*) break;; esac; done; printf '{"event":"finish","result":"heard"}\\n'`,
};

/** The user who may write on the channel `alpha` as its owner. */
export const ownerId = "owner";
const webhookSecret = "a-secret-of-the-fuzzer";
/** The limit of runs, in s: one that never ends by itself ends by it. */
const runSeconds = 30;

const settings = {
  default_backend: "ok",
  backends: Object.fromEntries(
    Object.entries(scripts).map(([name, script]) => [name, { command: ["sh", "-c", script] }]),
  ),
  durability: "fast",
  max_concurrent: 16,
  stop_grace_seconds: 1,
  min_free_bytes: 0,
  limits: { timeout_seconds: runSeconds, idle_timeout_seconds: runSeconds },
  agents: { join_window_ms: 0, owners: [`alpha:${ownerId}`] },
  channels: {
    alpha: { external: true },
    webhook: { port: 0, secret_file: "webhook-secret" },
  },
};

export class FuzzSystem implements AsyncDisposable {
  readonly up = new UpJournal(settings);
  /** For files of agents and the like, outside of the journal. */
  readonly folder = mkdtempSync(join(tmpdir(), "cortex-fuzz-"));
  readonly webhookSecret = webhookSecret;
  #top: Up;
  #clients: Clients | null = null;
  #lastId = Date.now() - 600_000;
  #fileCount = 0;

  private constructor() {
    cpSync(packageFile("examples/journal"), this.journal, {
      recursive: true,
      filter: (path) => !path.endsWith("cortex.json"),
    });
    writeFileSync(join(this.journal, "webhook-secret"), webhookSecret, { mode: 0o600 });
    mkdirSync(join(this.journal, "personas"));
    writeFileSync(join(this.journal, "personas/edited.txt"), "You answer in one word.\n");
    this.#top = this.up.start();
  }

  static async start(): Promise<FuzzSystem> {
    const system = new FuzzSystem();
    try {
      await system.#connect();
    } catch (error) {
      await system[Symbol.asyncDispose]();
      throw error;
    }
    return system;
  }

  get journal(): string {
    return this.up.path;
  }

  /** Its own settings, which the fuzzer may damage. */
  get settings(): Record<string, unknown> {
    return settings;
  }

  get clients(): Clients {
    if (!this.#clients) throw new Error("the system is being started again");
    return this.#clients;
  }

  nextId(): string {
    return String(++this.#lastId);
  }

  /** A new file outside of the journal. */
  file(bytes: Uint8Array): string {
    const path = join(this.folder, String(++this.#fileCount));
    writeFileSync(path, bytes);
    return path;
  }

  /** The programs and their processes, as the supervisor knows them. */
  programs(): { name: string; state: string; pid: number; restarts: number }[] {
    const programs = readSupervised(this.journal)?.programs ?? [];
    return programs.map(({ name, state, identity, restarts }) => ({ name, state, pid: identity?.pid ?? 0, restarts }));
  }

  /** Stops everything and starts it again. Resolves when all is there. */
  async restart(meanwhile: () => void): Promise<void> {
    await this.clients[Symbol.asyncDispose]();
    this.#clients = null;
    await this.#top.stop();
    meanwhile();
    this.#top = this.up.start();
    await this.#connect();
  }

  /** Connects anew: settings that were read again may have moved a channel. */
  async reconnect(): Promise<void> {
    await this.clients[Symbol.asyncDispose]();
    this.#clients = null;
    await this.#connect();
  }

  async #connect(): Promise<void> {
    await this.#top.isUp();
    const isThere = async () => {
      const hook = await readProgramRecord(this.journal, "channel-webhook");
      const endpoints = readEndpoints(this.journal);
      return hook?.url === undefined || endpoints?.web_token === undefined ? null : { hook: hook.url, endpoints };
    };
    const { hook, endpoints } = await this.until(isThere, "the channels are there");
    this.#clients = await Clients.open(this.journal, endpoints, hook);
  }

  async until<T>(ask: () => T | Promise<T>, what: string, ms = patienceMs) {
    return askUntil(ask, () => what, ms);
  }

  /** Lists what all programs have logged since, as lines, by program. */
  logLines(name: string): string[] {
    try {
      return readFileSync(join(this.journal, ".run/logs", `${name}.log`), "utf8").split("\n");
    } catch {
      return [];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#clients?.[Symbol.asyncDispose]();
      await this.up[Symbol.asyncDispose]();
    } finally {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}
