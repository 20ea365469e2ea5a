/** A worker that has joined by a key has the rights that its work needs: it takes, runs, hands on and ends as the host does. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newSeed, publicKeyOf } from "../../../bus/connection/credentials.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";
import { joinedEnvironment } from "../../../supervisor/join.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { ownPort } from "../../support/network/own-port.ts";
import { Worker } from "../../support/workers/worker.ts";

const finish = { ev: { event: "finish", result: "done" } };

test("a joined worker does all of a run's work with its own rights, and is refused nothing that it tries", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cortex-joined-"));
  try {
    const nkeyFile = join(folder, "worker.nk");
    writeFileSync(nkeyFile, newSeed(), { mode: 0o600 });
    const port = await ownPort();
    const workers = [{ name: "there", nkey: publicKeyOf(nkeyFile) }];
    const own = fixtureAgents("scripted");
    await using system = await CortexSystem.start({
      settings: { ...own, bus: { listen: `127.0.0.1:${port}`, workers } },
    });
    const joining = { urls: [`nats://127.0.0.1:${port}`], files: { nkeyFile }, labels: ["there"] };
    await using worker = await Worker.start(system, own, { prefix: [], env: joinedEnvironment({}, joining) });

    const handoff = { prompt: JSON.stringify([finish]), labels: ["there"] };
    const steps = [{ ev: { event: "text", text: "here" } }, { hear: true as const }, finish];
    const id = system.steps(steps, { labels: ["there"], handoff, env: { TOKEN: "s3cr3t-value" } });
    await system.heard(id, "text");
    system.input(id, "go on");
    const file = await system.settled(id);
    expect(file.filter(isTerminal)).toMatchObject([{ event: "finish" }]);
    const child = String(file.find(({ event }) => event === "handoff")?.["to"]);
    expect((await system.settled(child)).filter(isTerminal)).toMatchObject([{ event: "finish" }]);
    const long = system.steps([{ ev: { event: "text", text: "here" } }, { hear: true }], { labels: ["there"] });
    await system.heard(long, "text");
    system.cancel(long);
    expect((await system.settled(long)).find(isTerminal)).toMatchObject({ reason: "cancelled" });
    // It wasn't started a second time: nothing was lost on the way that its rights would have kept.
    expect(file.filter(({ event }) => event === "start")).toHaveLength(1);
    await worker.end("SIGTERM");
    const refused = worker.log.split("\n").filter((line) => /permissions? violation/i.test(line));
    expect(refused.filter((line) => !line.includes("STREAM.PURGE.KV_cortex_claims"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
