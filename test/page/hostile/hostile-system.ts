/** A running system in whose files, database, runs and conversations each field holds hostile text, and a browser beside it. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { makeWorktree } from "../../../cortex/worktrees/make-worktree.ts";
import { takeChanges } from "../../../cortex/worktrees/take-changes.ts";
import { readEndpoints } from "../../../journal/access/endpoints.ts";
import { ChatLink } from "../../../scripts/chat/link.ts";
import { AgentsSystem, type Mind } from "../../agents/agents-system.ts";
import { fixtureAgent } from "../../support/cortex-system.ts";
import { makeRepository, putFiles } from "../../support/git-repository.ts";
import { letIn, type LetIn, type Look, startBrowser } from "../browser.ts";
import { linkOf } from "../page-program.ts";
import { asFileName, cutTo, type HostileKind, hostileKinds, sendable } from "./corpus.ts";
import { type HostileRuns, writeHostileFiles } from "./hostile-files.ts";
import { type HostileThread, tellTeam } from "./hostile-team.ts";

/** The things that hold text of one kind: their addresses are made of these. */
export type HostileThings = HostileRuns &
  HostileThread & { kind: HostileKind; number: number; agent: string; working: string; changes: string };

/** So long are messages to and from a model: more of them would be summed up before the next turn. */
const longestMessage = 100_000;

export class HostileSystem implements AsyncDisposable {
  readonly url: string;
  /** In the order of `hostileKinds`. */
  readonly things: HostileThings[] = [];
  readonly #agents: AgentsSystem;
  readonly #browser: Browser;
  readonly #folder: string;
  readonly #runs: readonly HostileRuns[];

  private constructor(agents: AgentsSystem, browser: Browser, folder: string, runs: readonly HostileRuns[]) {
    this.#agents = agents;
    this.#browser = browser;
    this.#folder = folder;
    this.#runs = runs;
    this.url = readEndpoints(agents.journal)?.web_url ?? "";
  }

  static async start(): Promise<HostileSystem> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "hostile-")));
    const settings = {
      channels: { web: { enabled: true } },
      backends: { scripted: fixtureAgent("scripted"), ...hostileBackends() },
      permissions: [{ tool: "todo_add", decide: "ask" }],
      max_concurrent: 4 * hostileKinds.length,
    };
    let runs: HostileRuns[] = [];
    const prepare = (journal: string) => void (runs = writeHostileFiles(journal, hostileKinds));
    const [agents, browser] = await Promise.all([AgentsSystem.start(settings, {}, {}, prepare), startBrowser()]);
    const system = new HostileSystem(agents, browser, folder, runs);
    try {
      await system.#fill();
      return system;
    } catch (error) {
      await system[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A browser of its own, at the first view. */
  async open(look: Look): Promise<LetIn> {
    return letIn(this.#browser, await linkOf(this.url, this.#token()), look);
  }

  async #fill(): Promise<void> {
    for (const kind of hostileKinds) this.#agents.think(kind.sign, mindOf(kind));
    const call = this.#call.bind(this);
    const { threads, tasks } = await tellTeam(call, (workspace, name) => this.#store(workspace, name), hostileKinds);
    makeRepository(join(this.#folder, "garden"), { "plan.md": "# Plan\n" });
    for (const [number, kind] of hostileKinds.entries()) {
      const [ran, thread] = [this.#runs[number], threads[number]];
      if (!ran || !thread) throw new Error(`nothing was made of ${kind.sign}`);
      const [agent, working] = [await this.#talk(kind), await this.#work(kind)];
      const changes = await this.#change(kind, ran.ended);
      this.things.push({ ...ran, ...thread, kind, number, agent, working, changes });
    }
    for (const id of tasks)
      await this.#agents.until(
        async () => !["queued", "running"].includes((await call<{ status: string }>("GET", `/tasks/${id}`)).status),
        `task ${id} has ended`,
      );
  }

  /** Speaks to an agent: it answers, sends something off, and asks; then a message waits for it. @returns its id */
  async #talk({ sign, text }: HostileKind): Promise<string> {
    const [owner, channel] = [await this.#agents.as("owner"), await this.#agents.as("channel-cli")];
    using link = await ChatLink.open({ journal: this.#agents.journal, owner, channel, persona: sign });
    await link.sendText(sendable(text, longestMessage));
    await this.#agents.turns(link.agentId, 1);
    await link.sendText(`${sign} asks now`);
    const asks = () => this.#call<{ items: { run: string | null; agent: string | null }[] }>("GET", "/decisions");
    await this.#agents.until(async () => JSON.stringify(await asks()).includes(sign), `${sign} asks`);
    await this.#call("POST", `/companions/${link.agentId}/messages`, {
      text: sendable(`waits ${text}`, longestMessage),
    });
    return link.agentId;
  }

  /** A run that is at work, with a call that goes on. @returns its id */
  async #work({ name, text }: HostileKind): Promise<string> {
    const steps = [
      { ev: { event: "text", text: cutTo(text, 100_000) } },
      { ev: { event: "tool_start", tool: name, args: { [name]: name, path: name }, call_id: "1" } },
      { await: join(this.#folder, "never") },
    ];
    const { id } = await this.#call<{ id: string }>("POST", "/runs", {
      prompt: JSON.stringify(steps),
      backend: "scripted",
    });
    const begins = () => this.#agents.up.file(id).some(({ event }) => event === "tool_start");
    await this.#agents.until(begins, `${id} is at work`);
    return id;
  }

  /** Changes of a run that has ended. @returns their id */
  async #change({ name, text }: HostileKind, run: string): Promise<string> {
    const journal = realpathSync(this.#agents.journal);
    const garden = join(this.#folder, "garden");
    const work = await makeWorktree(journal, { id: run, agentId: run, folder: garden, folders: [this.#folder] });
    putFiles(work, {
      [`${asFileName(name)}.txt`]: `${text}\n`,
      "plan.md": `# Plan\n\n${name}\n${cutTo(text, 100_000)}\n`,
    });
    await takeChanges(journal, run, run);
    return run;
  }

  async #call<Answer>(method: string, path: string, body?: unknown, token = this.#token()): Promise<Answer> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${(await response.text()).slice(0, 500)}`);
    return (await response.json()) as Answer;
  }

  async #store(workspace: string, name: string): Promise<{ id: string }> {
    const address = `${this.url}/api/v1/workspaces/${workspace}/attachments?${new URLSearchParams({ name })}`;
    const headers = { Authorization: `Bearer ${this.#token()}`, "Content-Type": "text/html" };
    const response = await fetch(address, { method: "POST", headers, body: "<script>globalThis.hit=1</script>" });
    if (!response.ok) throw new Error(`attachment: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string };
  }

  #token(): string {
    return readFileSync(join(this.#agents.journal, ".run/web-token"), "utf8").trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    // Nothing has to be stopped by force then.
    for (const { agent, working } of this.things) {
      await this.#call("POST", `/companions/${agent}/stop`);
      // One that has ended by its limit is stopped as well.
      await this.#call("POST", `/runs/${working}/cancel`).catch(() => null);
    }
    await this.#agents[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The answers of the model to what is said of a kind: its own text; a task that is sent off; a call that asks. */
const mindOf =
  ({ name, text }: HostileKind): Mind =>
  ({ last, results }) => {
    if (last.includes("asks now"))
      return {
        text: name,
        calls: [{ tool: "todo_add", args: { facet: "garden", text: `${name} ${cutTo(text, 2000)}` } }],
      };
    if (last.includes("errand") || results.length > 0)
      return { thinking: cutTo(text, 20_000), text: cutTo(text, longestMessage) };
    return { text: name, calls: [{ tool: "spawn_subagent", args: { description: name, input: `errand ${name}` } }] };
  };

/** Programs that nobody runs: their arguments are whatever a person has written into the settings. */
const hostileBackends = () =>
  Object.fromEntries(
    hostileKinds.map(({ sign, name, text }) => [
      sign,
      { command: ["/bin/true", sendable(name, 200), sendable(text, 2000)] },
    ]),
  );
