/** The news for browsers that aren't open, of what happened while the web program wasn't there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openBus } from "../../../../bus/connection/connect.ts";
import { addressAs, readBusAccess } from "../../../../journal/access/endpoints.ts";
import { usableSettings } from "../../../../journal/config/settings.ts";
import { endedFile } from "../../../../journal/runs/run-files.ts";
import { logOf } from "../../../../proc/logging/log.ts";
import { openMachine } from "../../../../web/machine/machine.ts";
import { listenForNews } from "../../../../web/machine/push/push-news.ts";
import { openWorkspaceStore } from "../../../../workspace/database/changes/store.ts";
import { askUntil } from "../../../support/ask-until.ts";
import { CortexSystem } from "../../../support/cortex-system.ts";
import { patienceMs } from "../../../support/patience.ts";

/** A run that began at a moment, in ms. */
function write(journal: string, beganAt: number, events: object[]): string {
  const id = String(beganAt);
  const path = endedFile(journal, id);
  mkdirSync(dirname(path), { recursive: true });
  const lines = events.map((event, at) => `${JSON.stringify({ ts: beganAt, agent_id: id, seq: at + 1, ...event })}\n`);
  writeFileSync(path, lines.join(""));
  return id;
}

test("a run that failed meanwhile is told of, also where reading all runs for the first time takes long", async () => {
  await using system = await CortexSystem.start();
  const { journal } = system;
  // Newer runs are read first: some 100 MB, which takes longer than a list waits for.
  const long = Array.from({ length: 100 }, () => ({ event: "text", text: "x".repeat(1_000_000) }));
  write(journal, Date.now(), [{ event: "request", prompt: "long" }, ...long, { event: "finish", result: "" }]);
  const failed = write(journal, Date.now() - 86_000_000, [
    { event: "request", prompt: "short" },
    { event: "error", error: "no", reason: "provider" },
  ]);
  const access = readBusAccess(journal);
  if (!access) throw new Error("there is no bus");
  await using bus = await openBus(addressAs(access, "channel-web"), "channel-web", patienceMs);
  await using store = await openWorkspaceStore({ file: join(journal, "workspace.db") });
  const settings = () => usableSettings(journal).settings;
  const base = { journal, bus, settings, timeZone: "UTC", log: logOf("test") };
  // Without a store it tells browsers nothing itself.
  await using machine = openMachine({ ...base, store: null });
  const told: string[] = [];
  using _ = listenForNews({ ...machine, store }, ({ name }) => void told.push(name));
  await askUntil(
    () => told.includes(`run:${failed}`),
    () => `told of ${failed}: ${told.join()}`,
    patienceMs,
  );
  expect(new Set(told)).toEqual(new Set([`run:${failed}`]));
});
