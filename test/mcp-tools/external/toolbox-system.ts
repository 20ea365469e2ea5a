/** The tool server with external servers and apps, on a journal of its own, and a client of it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { vi } from "vitest";
import { commandsToken } from "../../../journal/access/tokens.ts";
import { readToolCatalog } from "../../../journal/programs/tool-catalog.ts";
import { patienceMs } from "../../support/patience.ts";
import { connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";

export const path = (relative: string) => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
export const everything = path("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
export const fixture = { command: [process.execPath, path("test/fixtures/mcp/server.ts")] };

export class ToolboxSystem implements AsyncDisposable {
  readonly journal: string;
  server!: ToolsServer;
  client!: Client & AsyncDisposable;
  readonly #folder: ReturnType<typeof makeJournal>;

  constructor() {
    this.#folder = makeJournal();
    this.journal = this.#folder.journal;
  }

  configure(servers: Record<string, object>): void {
    writeFileSync(join(this.journal, "cortex.json"), JSON.stringify({ mcp_servers: servers }));
  }

  writeApp(app: string, file: string, text: string): void {
    mkdirSync(join(this.journal, "apps", app, "tools"), { recursive: true });
    writeFileSync(join(this.journal, "apps", app, "tools", file), text);
  }

  /** Starts the tool server, when the apps and the settings are in place. */
  async start(): Promise<void> {
    this.server = await startTools(this.journal);
    this.client = await connect(this.server.url, await commandsToken(this.journal));
  }

  /** Waits until the catalogue says so of a server or app. */
  async until(
    name: string,
    state: string,
    ask: (problems: string[], tools: string[]) => boolean = () => true,
  ): Promise<void> {
    let last: unknown;
    const isSo = async () => {
      const source = (await readToolCatalog(this.journal)).sources.find((one) => one.name === name);
      last = source;
      return state === "gone" ? !source : source?.state === state && ask(source.problems, source.tools);
    };
    await vi.waitUntil(isSo, { timeout: patienceMs, interval: 20 }).catch((error: Error) => {
      error.message += ` for ${name}: ${state}; the catalogue had ${JSON.stringify(last)}; said: ${this.server.stderr().slice(-2000)}`;
      throw error;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.server.stop();
    this.#folder[Symbol.dispose]();
  }
}
