/** A worker on another host, joined by a key and over TLS, that is cut off: its agent lives on, and so does its cortex. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newSeed, publicKeyOf } from "../../../bus/connection/credentials.ts";
import { runtime } from "../../../journal/config/paths.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";
import { joinedEnvironment } from "../../../supervisor/join.ts";
import { makeCertificates } from "../../support/network/certificates.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { canMakeHosts, OtherHost } from "../../support/network/network.ts";
import { ownPort } from "../../support/network/own-port.ts";
import { Worker } from "../../support/workers/worker.ts";
import { patienceMs } from "../../support/patience.ts";

const isPossible = canMakeHosts();
if (!isPossible) process.stderr.write("SKIPPED: cut-off.long.test.ts needs root, for `ip netns`\n");

const settings = { ...fixtureAgents("scripted"), lease_seconds: 1, orphan_grace_seconds: 1 };
const finish = { ev: { event: "finish", result: "done" } };
const say = (text: string) => ({ ev: { event: "text", text } });

test.skipIf(!isPossible)(
  "a worker that was cut off and finished meanwhile comes back: what it has is dropped, the run ended once elsewhere",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "cortex-cut-off-"));
    try {
      using host = new OtherHost();
      const nkeyFile = join(folder, "worker.nk");
      writeFileSync(nkeyFile, newSeed(), { mode: 0o600 });
      const { ca, ...pair } = makeCertificates(folder, [`IP:${host.here}`]);
      const port = await ownPort();
      const workers = [{ name: "there", nkey: publicKeyOf(nkeyFile) }];
      const bus = { listen: `0.0.0.0:${port}`, tls: { ca, ...pair }, workers };
      await using system = await CortexSystem.start({ settings: { ...settings, bus } });
      const joining = { urls: [`nats://${host.here}:${port}`], files: { caFile: ca, nkeyFile }, labels: ["there"] };
      const env = joinedEnvironment({}, joining);
      await using worker = await Worker.start(system, settings, { prefix: host.prefix, env });

      const [go, ran] = [join(folder, "go"), join(folder, "ran")];
      const steps = [say("one"), { await: go }, say("two"), { touch: ran }, finish];
      const fields = { labels: ["there"], save: "result.md", handoff: { prompt: JSON.stringify([finish]) } };
      const id = system.steps(steps, fields);
      await system.heard(id, "text");
      host.cutOff();
      writeFileSync(go, "");
      await system.until(() => worker.file(id).some(isTerminal), "it finishes where nobody hears it");
      expect(system.file(id).some(isTerminal)).toBe(false);
      writeFileSync(join(system.journal, "cortex.json"), JSON.stringify({ ...settings, bus, labels: ["there"] }));
      const file = await system.settled(id);
      host.joinAgain();
      await system.until(() => worker.log.includes("quarantined"), "the worker knows");

      expect(file.filter(({ event }) => event === "start").map(({ attempt }) => attempt)).toEqual([1, 2]);
      expect(file.filter(isTerminal)).toMatchObject([{ event: "finish" }]);
      // What it had put on its way before it knew arrives late, and is taken out again.
      await expect.poll(() => system.stored(id), { timeout: patienceMs }).toEqual(file);
      await expect.poll(() => worker.files, { timeout: patienceMs }).toEqual([]);
      expect(readdirSync(runtime(worker.journal, "fenced"))).toHaveLength(1);
      const saved = String(file.find(({ event }) => event === "saved")?.["path"]);
      expect([existsSync(join(system.journal, saved)), existsSync(join(worker.journal, saved))]).toEqual([true, false]);
      const child = String(file.find(({ event }) => event === "handoff")?.["to"]);
      await system.settled(child);
      expect(new Set(system.events.map(({ agent_id }) => agent_id))).toEqual(new Set([id, child]));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  400_000,
);
