/** `cortex up` on a copy of the example journal, without a key: a system whose page is looked at. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { readSupervised } from "../../journal/programs/supervised.ts";
import { runCortex, runCortexJson } from "../scripts/run-command.ts";
import { askUntil } from "../support/ask-until.ts";
import { leftOf } from "../support/journal-processes.ts";
import { patienceMs } from "../support/patience.ts";
import { linkOf } from "./page-program.ts";

const example = fileURLToPath(new URL("../../examples/journal", import.meta.url));

export class PageSystem implements AsyncDisposable {
  readonly journal: string;
  readonly env: Record<string, string>;

  private constructor(journal: string, env: Record<string, string>) {
    this.journal = journal;
    this.env = { CORTEX_MCP_PORT: "0", CORTEX_WEB_PORT: "0", CORTEX_TZ: "UTC", ...env };
  }

  /** @param settings beside those of the example journal, @param env such as the address of a played provider, and its key */
  static async start(settings: object = {}, env: Record<string, string> = {}): Promise<PageSystem> {
    const journal = mkdtempSync(join(tmpdir(), "cortex-page-"));
    cpSync(example, journal, { recursive: true });
    const file = join(journal, "cortex.json");
    const own = JSON.parse(readFileSync(file, "utf8")) as object;
    writeFileSync(file, JSON.stringify({ ...own, ...settings }));
    const system = new PageSystem(journal, env);
    const { code, stderr } = await runCortex(journal, ["up", "--detach"], system.env);
    if (code === 0) return system;
    await system[Symbol.asyncDispose]();
    throw new Error(`cortex up failed: ${stderr}`);
  }

  /** Where the page is. */
  get url(): Promise<string> {
    return askUntil(
      () => readEndpoints(this.journal)?.web_url,
      () => "the page's address",
      patienceMs,
    );
  }

  /** A link that lets one browser in. */
  async link(): Promise<string> {
    const url = await this.url;
    return linkOf(url, readEndpoints(this.journal)?.web_token ?? "");
  }

  /** Asks as a command does. @returns the run's id */
  async ask(prompt: string, ...args: string[]): Promise<string> {
    await runCortex(this.journal, ["request", prompt, ...args], this.env);
    const { document } = await runCortexJson(this.journal, ["runs", "list", "-n", "1"], this.env);
    return (document["runs"] as { agent_id: string }[])[0]?.agent_id ?? "";
  }

  /** Kills a program with -9; `cortex up` starts it again. */
  kill(name: string): void {
    const pid = readSupervised(this.journal)?.programs.find((program) => program.name === name)?.identity?.pid;
    if (pid === undefined) throw new Error(`${name} has no process`);
    process.kill(pid, "SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await runCortex(this.journal, ["down"], this.env);
    const left = await leftOf(this.journal);
    rmSync(this.journal, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`left behind: ${JSON.stringify(left)}`);
  }
}
