/** A running system on the example journal, without a key, and a browser: what tests of a view look at. */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { UpJournal } from "../supervisor/up-process.ts";
import { letIn, type LetIn, type Look, startBrowser } from "./browser.ts";
import { linkOf } from "./page-program.ts";

const example = fileURLToPath(new URL("../../examples/journal", import.meta.url));

export class ViewSystem implements AsyncDisposable {
  readonly journal: UpJournal;
  readonly url: string;
  readonly #browser: Browser;
  readonly #token: string;

  private constructor(journal: UpJournal, browser: Browser) {
    this.journal = journal;
    this.#browser = browser;
    this.url = readEndpoints(journal.path)?.web_url ?? "";
    this.#token = readFileSync(join(journal.path, ".run/web-token"), "utf8").trim();
  }

  /** @param prepare writes into the journal before anything runs */
  static async start(settings: object = {}, prepare: (journal: string) => void = () => {}): Promise<ViewSystem> {
    const journal = new UpJournal();
    cpSync(example, journal.path, { recursive: true });
    journal.configure({ default_backend: "offline", channels: { web: { enabled: true } }, ...settings });
    prepare(journal.path);
    const up = journal.start();
    const [browser] = await Promise.all([startBrowser(), up.isUp()]);
    return new ViewSystem(journal, browser);
  }

  /** How a program of the owner's is known. */
  get authorization(): { Authorization: string } {
    return { Authorization: `Bearer ${this.#token}` };
  }

  /** A browser of its own, at a view; the owner's, or a member's by their token. */
  async open(path: string, look?: Look, token = this.#token): Promise<LetIn> {
    const tab = await letIn(this.#browser, await linkOf(this.url, token), look);
    await tab.page.goto(this.url + path);
    return tab;
  }

  /** Asks the API as a program of the owner does. @throws Error unless it was done */
  async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { ...this.authorization, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.journal[Symbol.asyncDispose]();
  }
}

/** The texts that a person, a file or a model may write anywhere. */
export const hostileTexts: readonly string[] = [
  `<script>globalThis.hit=1</script><img src=x onerror="globalThis.hit=1">`,
  "\u202Eback\u0007wards\u001b[31m and signs",
  `javascript:globalThis.hit=1 ${"W".repeat(3000)}`,
];
