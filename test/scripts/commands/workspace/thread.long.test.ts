/** Threads at the terminal: the real commands on a `cortex up` whose agents think with a played model. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { execa } from "execa";
import { patienceMs } from "../../../support/patience.ts";
import { type PlayedAnthropic, startAnthropic } from "../../../support/providers/anthropic.ts";
import type { Reply } from "../../../support/providers/played.ts";
import { UpJournal } from "../../../supervisor/up-process.ts";
import { describeDatabases } from "../../../workspace/temporary-store.ts";
import { ownBin, type Ran, runCortex } from "../../run-command.ts";

const bin = fileURLToPath(new URL("../../../../bin/cortex.js", import.meta.url));

describeDatabases((newTarget) => {
  let up: UpJournal;
  let model: PlayedAnthropic;
  /** Ends the wait of an answer that was asked for with the word "slowly". */
  let release = Promise.withResolvers<void>();
  beforeAll(async () => {
    const target = await newTarget();
    model = await startAnthropic([], { answer: (body) => answerTo(JSON.stringify(body)) });
    const settings = { default_backend: "anthropic", channels: {}, workspace: { retry_seconds: [0.1] } };
    up = new UpJournal(settings, {
      ANTHROPIC_API_KEY: "sk-ant-of-nobody",
      ANTHROPIC_BASE_URL: model.url,
      CORTEX_WEB_PORT: "0",
      ...("url" in target && { DATABASE_URL: target.url }),
    });
    await up.start().isUp();
  }, 2 * patienceMs);
  afterAll(async () => {
    await up[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  }, 2 * patienceMs);

  async function answerTo(asked: string): Promise<Reply> {
    if (asked.includes("You sum up a discussion"))
      return { turn: { text: "CONCLUSION: the beans go to the south bed." } };
    if (asked.includes("refuse this"))
      return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "no" } } };
    if (asked.includes("slowly")) await release.promise;
    return {
      turn: { text: asked.includes("You are Coder") ? "Coder says: use a for loop." : "Assistant says: sow in May." },
    };
  }

  const thread = (...args: string[]): Promise<Ran> => runCortex(up.path, ["thread", ...args]);
  async function json<T>(...args: string[]): Promise<T> {
    const { stdout, stderr } = await thread(...args, "--json");
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as T;
  }
  const idOf = async (title: string, text = "Hello") => (await thread("post", "--new", title, text)).stdout.trim();

  /** A `cortex thread tail` that goes on until the test ends it. */
  class Tail implements AsyncDisposable {
    output = "";
    readonly #process: ChildProcess;
    constructor(...args: string[]) {
      const env = { PATH: `${ownBin}:${process.env["PATH"]}`, HOME: up.path, JOURNAL_PATH: up.path };
      this.#process = spawn(process.execPath, [bin, "thread", "tail", ...args], {
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      for (const stream of [this.#process.stdout, this.#process.stderr])
        stream?.on("data", (data: Buffer) => (this.output += data.toString()));
    }
    until = (text: string) => up.until(() => this.output.includes(text), `${text} in:\n${this.output}`);
    async [Symbol.asyncDispose](): Promise<void> {
      this.#process.kill("SIGINT");
      const [code] = this.#process.exitCode === null ? await once(this.#process, "exit") : [this.#process.exitCode];
      expect(code).toBe(0);
    }
  }

  const long = { timeout: 4 * patienceMs };

  test("a post that waits prints the answer of the agent that it mentions", long, async () => {
    const { code, stdout, stderr } = await thread(
      "post",
      "--new",
      "Sowing",
      "--wait",
      "@assistant when do I sow beans?",
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Assistant says: sow in May." });
    expect(stderr).toMatch(/^message \w{8} in thread \w{8}: one agent was asked\nAssistant is thinking …$/);
    const { stdout: shown } = await thread("show", "sowing");
    expect(shown).toContain("@assistant when do I sow beans?");
    expect(shown).toMatch(/Assistant \(AI\) · .*\nAssistant says: sow in May\./);
    expect((await thread("list")).stdout).toMatch(/\w{8} +\S+ ago +Sowing/);
  });

  test(
    "the answers of several agents are printed each with its name, and as one document with --json",
    long,
    async () => {
      const id = await idOf("Both");
      const { code, stdout } = await thread("post", id.slice(-8), "--wait", "@assistant and @coder?");
      expect(code).toBe(0);
      expect(stdout).toContain("[Assistant]\nAssistant says: sow in May.");
      expect(stdout).toContain("[Coder]\nCoder says: use a for loop.");
      const document = await json<{
        tasks: { status: string; output: { messageId: string } }[];
        answers: { id: string; text: string }[];
      }>("post", id, "--wait", "@coder again");
      expect(document.tasks.map(({ status }) => status)).toEqual(["completed"]);
      expect(document.answers).toMatchObject([
        { id: document.tasks[0]?.output.messageId, text: "Coder says: use a for loop." },
      ]);
    },
  );

  test("an answer that fails is told with its reason, and exits 1", long, async () => {
    const { code, stderr } = await thread("post", "--new", "Refused", "--wait", "@assistant refuse this");
    expect(code).toBe(1);
    expect(stderr).toContain("Assistant has not answered: ");
  });

  test("a text comes on standard input, and a file goes with it", long, async () => {
    const file = join(up.path, "beds.txt");
    writeFileSync(file, "north: peas\n");
    const id = await idOf("Beds");
    const { exitCode } = await execa(process.execPath, [bin, "thread", "post", id, "--attach", file], {
      env: { PATH: process.env["PATH"], HOME: up.path, JOURNAL_PATH: up.path },
      extendEnv: false,
      input: "See the *plan*.\nThanks\n",
    });
    expect(exitCode).toBe(0);
    const { messages } = await json<{ messages: { text: string; parts: { name: string }[] }[] }>("show", id);
    expect(messages.at(-1)).toMatchObject({ text: "See the *plan*.\nThanks", parts: [{ name: "beds.txt" }] });
    expect((await thread("show", id)).stdout).toContain("[beds.txt, text/plain, 12 bytes]");
  });

  test("a fork is begun, spoken in, drafted, posted, and opened again", long, async () => {
    const id = await idOf("Plan", "Where do the beans go?");
    const fork = await json<{ id: string; message_id: string }>("fork", id, "Which bed?");
    const short = fork.id.slice(-8);
    expect((await thread("post", "--fork", short, "South has more sun.")).code).toBe(0);
    const drafted = await thread("resolve", short);
    expect(drafted.stdout).toContain("CONCLUSION: the beans go to the south bed.\n\npost it: cortex thread resolve");
    expect((await thread("show", id)).stdout).not.toContain("CONCLUSION");
    expect((await thread("resolve", short, "--post")).code).toBe(0);
    const shown = await thread("show", id);
    expect(shown.stdout).toMatch(/ · resolution · .*\nCONCLUSION: the beans go to the south bed\./);
    expect(shown.stdout).toMatch(new RegExp(`fork ${short} · resolved · Which bed\\?`));
    expect((await thread("reopen", short)).stdout).toBe(`fork ${short} is open`);
    const own = await thread("resolve", fork.id, "--text", "North, after all.");
    expect(own.stdout).toContain("North, after all.");
    expect((await thread("reopen", short)).code).toBe(0);
    expect((await thread("abandon", short)).stdout).toBe(`fork ${short} is abandoned`);
    const again = await thread("abandon", short);
    expect(again.code).toBe(3);
  });

  test("tail shows an answer as it comes, and goes on after the web program was killed", long, async () => {
    const id = await idOf("Live", "Before.");
    await using tail = new Tail(id);
    await tail.until("Before.");
    release = Promise.withResolvers();
    await thread("post", id, "@assistant slowly, please");
    await tail.until("Assistant is thinking …");
    const killed = up.pids()["channel-web"];
    up.kill("channel-web");
    const isBack = () => up.isReady("channel-web") && up.pids()["channel-web"] !== killed;
    await up.until(isBack, "the web program is back");
    release.resolve();
    await tail.until("Assistant says: sow in May.");
    await thread("post", id, "After it.");
    await tail.until("After it.");
    const times = (text: string) => tail.output.split(text).length - 1;
    expect([times("Before."), times("slowly, please"), times("Assistant says"), times("After it.")]).toEqual([
      1, 1, 1, 1,
    ]);
  });

  test("an answer under way is cancelled, asked for again, and then given", long, async () => {
    release = Promise.withResolvers();
    const id = await idOf("Stopped", "@assistant slowly, when do I sow?");
    type Tasks = { tasks: { id: string; status: string; run_id: string | null }[] };
    const { tasks } = await json<Tasks>("tasks", id);
    const task = tasks[0]?.id.slice(-8) ?? "";
    await up.until(async () => (await thread("tasks", id)).stdout.includes(" running "), "the answer is under way");
    expect((await thread("cancel", task)).stdout).toBe("the answer of Assistant is cancelled");
    expect((await thread("cancel", task)).code).toBe(0);
    release.resolve();
    expect((await thread("retry", task)).stdout).toMatch(/^Assistant is asked again: task \w{8}$/);
    await up.until(async () => (await thread("show", id)).stdout.includes("Assistant says: sow in May."), "the answer");
    expect((await json<Tasks>("tasks", id)).tasks).toMatchObject([
      { status: "completed", run_id: expect.stringMatching(/^\d{13}$/) },
      { status: "cancelled" },
    ]);
    expect((await thread("retry", task)).code).toBe(0);
  });

  test("tail with --from and --json prints every event once, in order", long, async () => {
    await using tail = new Tail("--from", "0", "--json");
    await idOf("Numbers", "the last of these words");
    await tail.until("the last of these words");
    const lines = tail.output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: number | null; event: string });
    const numbers = lines.flatMap(({ id }) => (id === null ? [] : [id]));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  test("a thread command that can't be understood exits 2 and says what was meant", long, async () => {
    const cases: [string[], string][] = [
      [["pst"], "did you mean: cortex thread post"],
      [["post"], "THREAD is missing"],
      [["post", "nowhere", "hello"], 'no thread "nowhere"'],
      [["list", "--wait"], "--wait is not an option of cortex thread list"],
      [["show"], "THREAD is missing"],
      [["tail", "--from", "x"], '--from "x"'],
      [["resolve", "nothing"], 'no fork "nothing"'],
      [["show", "01a20abc-6149-7097-a14c-45fd1311642d"], "no such"],
    ];
    for (const [args, said] of cases) {
      const { code, stderr } = await thread(...args);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
    }
  });
});
