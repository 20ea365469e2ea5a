/** The cluster of the examples: a server dies, then a worker, while runs go through it. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openBus } from "../../bus/connection/connect.ts";
import { publishRequest } from "../../bus/runs/requests.ts";
import { isMirrored } from "../../journal/runs/mirrored-run.ts";
import { readRun } from "../support/read-run.ts";
import { activeFile, endedFile, runState } from "../../journal/runs/run-files.ts";
import { isTerminal } from "../../protocol/runs/event.ts";
import { contentHash } from "../../protocol/runs/request/request-content.ts";
import { fixtureAgents } from "../support/cortex-system.ts";
import { processesOf } from "../support/journal-processes.ts";

const script = fileURLToPath(new URL("../../examples/cluster/start.ts", import.meta.url));

/** It takes minutes on a busy machine, for elections take seconds each: `npm run chaos` means it. */
const isMeant = process.env["CHAOS_CLUSTER"] !== undefined;

test.runIf(isMeant)(
  "a server is killed, then a worker, and each accepted request ends once, with a copy that is the same",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "cortex-cluster-test-"));
    const [one, two] = ["one", "two"].map((name) => join(folder, name)) as [string, string];
    const bus = { replicas: 3, mirror: true };
    const settings = {
      ...fixtureAgents("scripted"),
      max_concurrent: 3,
      lease_seconds: 10,
      orphan_grace_seconds: 1,
      bus,
    };
    for (const journal of [one, two]) {
      mkdirSync(journal);
      writeFileSync(join(journal, "cortex.json"), JSON.stringify({ stop_grace_seconds: 1, ...settings }));
    }
    const cluster = spawn(process.execPath, [script, folder], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const said = await untilUp(cluster);
      const pidOf = (name: string) => Number(new RegExp(`${name}  pid (\\d+)`).exec(said)?.[1]);
      await using client = await openBus({ url: /NATS_URL=(\S+)/.exec(said)?.[1] ?? "" }, "client");
      const ids: string[] = [];
      const born = join(folder, "born");
      const ask = async (count: number) => {
        for (let left = count; left > 0; left--) {
          const ts = Date.now() - 100_000 + ids.length;
          const [text, long] = [
            { ev: { event: "text", text: "said" }, times: 20 },
            { long: ids.length % 5 === 0 ? 1_200_000 : 50 },
          ];
          const prompt = JSON.stringify([{ touch: born }, text, long, { ev: { event: "finish", result: "done" } }]);
          const request = { ts, prompt, backend: "scripted" };
          await publishRequest(client, request, contentHash(request)); // resolves when it is accepted
          ids.push(String(ts));
        }
      };
      await ask(12);
      process.kill(pidOf("first"), "SIGKILL");
      await ask(12);
      await until(() => ended(two, ids) >= 4, "the second worker has some");
      process.kill(pidOf("two"), "SIGKILL");
      await ask(12);
      // Of what had ended on the one that was killed, a line may be whole nowhere else: its copy waits for it.
      const waits = (id: string) => isMirrored(one, id) && runState(two, id) === "ended";
      const open = () => ids.filter((id) => ended(one, [id]) === 0 && !waits(id));
      await until(
        () => open().length === 0,
        () => `open: ${JSON.stringify(open())}`,
      );

      const attempts = ids.map((id) => {
        const [here, there] = [textOf(one, id), textOf(two, id)];
        if (waits(id)) {
          expect(there.startsWith(here)).toBe(true);
          return 1;
        }
        const events = readRun(one, id)?.events ?? [];
        expect(events.filter(isTerminal)).toMatchObject([{ event: "finish" }]);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        const attempt = Math.max(...events.map(({ attempt }) => Number(attempt) || 0)); // of some nobody heard the start
        // What it had ended and couldn't tell anybody was done again.
        if (attempt === 1 && runState(two, id) === "ended" && !isMirrored(two, id)) expect(here).toBe(there);
        return attempt;
      });
      const births = readFileSync(born, "utf8").trim().split("\n").length;
      expect(births).toBeLessThanOrEqual(attempts.reduce((sum, count) => sum + count, 0));
      expect(births).toBeGreaterThanOrEqual(ids.length);
    } finally {
      cluster.kill("SIGINT");
      const code = await new Promise((resolve) => cluster.once("exit", resolve));
      for (const { pid } of processesOf(folder)) process.kill(pid, "SIGKILL");
      if (!process.env["KEEP"]) rmSync(folder, { recursive: true, force: true });
      expect(code).toBe(0);
    }
  },
  240_000,
);

/** How many have ended in a journal, and have their whole file there. */
const ended = (journal: string, ids: string[]) =>
  ids.filter(
    (id) => runState(journal, id) === "ended" && !isMirrored(journal, id) && !existsSync(activeFile(journal, id)),
  ).length;

function textOf(journal: string, id: string): string {
  const path = runState(journal, id) === "ended" ? endedFile(journal, id) : activeFile(journal, id);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

async function untilUp(cluster: ChildProcess): Promise<string> {
  let said = "";
  for await (const chunk of cluster.stdout ?? []) {
    said += String(chunk);
    if (/cortex request/.test(said)) return said;
  }
  throw new Error(`the cluster ended: ${said}`);
}

async function until(ask: () => boolean, what: string | (() => string)): Promise<void> {
  for (const end = performance.now() + 150_000; !ask(); await delay(100))
    if (performance.now() > end) throw new Error(`not in time: ${typeof what === "string" ? what : what()}`);
}
