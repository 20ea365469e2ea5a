/** examples/channel.py: a channel of one's own, in Python, beside a whole system. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findProgram } from "../../proc/os/find-program.ts";
import { AgentsSystem } from "../agents/agents-system.ts";

const program = fileURLToPath(new URL("../../examples/channel.py", import.meta.url));
const python = findProgram("python3");
if (python === null) process.stderr.write("SKIPPED: examples/channel.py needs python3, and there is none\n");

class Channel implements AsyncDisposable {
  out = "";
  readonly #child;

  constructor(journal: string) {
    const env = { PATH: process.env["PATH"], JOURNAL_PATH: journal, PYTHONDONTWRITEBYTECODE: "1" };
    this.#child = spawn(python ?? "", [program, "beta"], { env, stdio: ["pipe", "pipe", "inherit"] });
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => (this.out += text));
  }

  say(text: string): void {
    this.#child.stdin.write(`${text}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await closed;
  }
}

describe.skipIf(python === null)("channel.py", () => {
  test("what is said is answered, what was answered meanwhile is shown later, and nothing twice", async () => {
    await using system = await AgentsSystem.start({
      agents: { join_window_ms: 0, owners: ["beta:me"], binding: "shared" },
    });
    const asked = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    system.think("puffin", async ({ results, last }) => {
      if (results.length > 0) return { text: "." };
      if (last.includes("later")) {
        asked.resolve();
        await gone.promise;
      }
      const text = last.includes("later") ? "A late puffin." : "A puffin.";
      return { calls: [{ tool: "reply", args: { text, channelId: "main", channelType: "beta" } }] };
    });
    {
      await using channel = new Channel(system.journal);
      channel.say("puffin");
      await system.until(() => channel.out === "A puffin.\n", "the answer");
      channel.say("puffin, later");
      await asked.promise;
    }
    gone.resolve();
    const agent = await system.agentOf({ type: "beta", channelId: "main", userId: "me" });
    await system.turns(agent, 2);
    await using again = new Channel(system.journal);
    await system.until(() => again.out.includes("A late puffin."), "what was missed");
    again.say("puffin");
    await system.until(() => again.out.includes("A puffin."), "the next answer");
    expect(again.out).toBe("A late puffin.\nA puffin.\n");
  });
});
