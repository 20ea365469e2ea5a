/** The API on a copy of the example journal, whose bus is away: what stands in files is told all the same. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSettings } from "../../../journal/config/settings.ts";
import { ApiSystem, type Answered } from "../api/api-system.ts";
import { awayMachine } from "../api/away-machine.ts";

export const exampleJournal = fileURLToPath(new URL("../../../examples/journal", import.meta.url));

export class ExampleApi implements AsyncDisposable {
  readonly journal: string;
  readonly api: ApiSystem;
  readonly #resources: AsyncDisposableStack;

  private constructor(journal: string, api: ApiSystem, resources: AsyncDisposableStack) {
    this.journal = journal;
    this.api = api;
    this.#resources = resources;
  }

  static async start(): Promise<ExampleApi> {
    const resources = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "journal-api-"));
    resources.defer(() => rmSync(folder, { recursive: true, force: true }));
    const away = resources.use(awayMachine());
    const { journal } = away;
    cpSync(exampleJournal, journal, { recursive: true });
    const machine = { ...away, settings: () => readSettings(journal) };
    const api = resources.use(await ApiSystem.start({ file: join(folder, "workspace.db") }, { machine }));
    return new ExampleApi(journal, api, resources);
  }

  read(path: string): string {
    return readFileSync(join(this.journal, path), "utf8");
  }

  get = <T = Record<string, unknown>>(path: string): Promise<T> => this.api.owner.get<T>(path);
  call = (method: string, path: string, body?: unknown): Promise<Answered> => this.api.owner.call(method, path, body);

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
