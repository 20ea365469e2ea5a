/** The messages that the bus acknowledges are on the disk: by the server, or by its folder, as the settings want it. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasFeature, parseVersion } from "../../../bus/connection/features.ts";
import { readBusStore } from "../../../journal/access/bus-store.ts";
import { storeFolder } from "../../../journal/access/store-holder.ts";
import { findNatsServer } from "../../../proc/os/find-program.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { versionOf } from "../../../proc/os/program-version.ts";
import { isSynchronous } from "../../../proc/os/synchronous-folder.ts";
import type { Settings } from "../../../protocol/settings/settings.ts";
import { syncedBy } from "../../../supervisor/programs/bus-store.ts";
import { natsProgram } from "../../../supervisor/programs/nats-program.ts";
import type { Supervisor } from "../../../supervisor/supervisor.ts";
import { onDisk } from "../../support/files/on-disk.ts";
import { ShellJournal } from "../shell-program.ts";

const log = logOf("test", { write: () => {} }, true);
const binary = findNatsServer() ?? "";
const knowsInterval = hasFeature("sync_interval", parseVersion((await versionOf(binary)) ?? ""));

function supervise(journal: ShellJournal, settings: Settings, server = binary): Supervisor {
  writeFileSync(join(journal.path, "cortex.json"), JSON.stringify(settings));
  return journal.supervise(natsProgram(journal.path, server, log));
}

const config = (journal: ShellJournal) => readFileSync(join(journal.path, ".run/nats.conf"), "utf8");
const attribute = (journal: ShellJournal) => isSynchronous(storeFolder(journal.path));

/** A server as we know it, that says to be of another version. */
function serverOf(journal: ShellJournal, version: string): string {
  const path = join(journal.path, "bin", "nats-server");
  mkdirSync(join(journal.path, "bin"), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n[ "$1" = --version ] && exec echo "nats-server: v${version}"\nexec ${binary} "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

test("the writer through to the disk depends on the version and the settings", () => {
  expect(syncedBy([2, 9, 10], undefined)).toBe("folder");
  expect(syncedBy([2, 10, 0], "safe")).toBe("server");
  expect(syncedBy(null, undefined)).toBe("folder");
  expect([syncedBy([2, 9, 10], "fast"), syncedBy([2, 15, 1], "fast")]).toEqual(["nobody", "nobody"]);
});

test("the store of this server is synchronous, and written down to be", async () => {
  await using journal = new ShellJournal(onDisk);
  await supervise(journal, {}).start();
  expect(journal.program("nats-server")?.state).toBe("ready");
  expect(config(journal).includes("sync_interval: always")).toBe(knowsInterval);
  const problem = readBusStore(journal.path)?.problem;
  expect(await attribute(journal)).toBe(!knowsInterval && problem === null);
  expect(readBusStore(journal.path)).toMatchObject({
    version: /\d+\.\d+\.\d+/.exec((await versionOf(binary)) ?? "")?.[0],
    synced_by: knowsInterval ? "server" : problem === null ? "folder" : "nobody",
  });
});

test("a store synced by its folder is changed under a living server, which isn't started anew for it", async () => {
  await using journal = new ShellJournal(onDisk);
  const server = serverOf(journal, "2.9.10");
  const first = supervise(journal, { durability: "fast" }, server);
  await first.start();
  const { identity } = first.program("nats-server");
  expect(await attribute(journal)).toBe(false);
  writeFileSync(join(journal.path, "cortex.json"), '{"durability": "safe"}');
  first.reread();
  await journal.until(
    () => readBusStore(journal.path)?.synced_by !== "nobody" || readBusStore(journal.path)?.problem,
    "it was reread",
  );
  expect(await attribute(journal)).toBe(readBusStore(journal.path)?.problem === null);
  // Also when it is taken up by another supervisor.
  await first.release();
  const second = supervise(journal, { durability: "fast" }, server);
  await second.start();
  expect([await attribute(journal), second.program("nats-server").identity]).toEqual([false, identity]);
  expect(readBusStore(journal.path)).toMatchObject({ synced_by: "nobody", problem: null });
});

test.runIf(knowsInterval)("a server that is to sync its store is started anew for it, and only for that", async () => {
  await using journal = new ShellJournal(onDisk);
  const supervisor = supervise(journal, {});
  await supervisor.start();
  const { identity } = supervisor.program("nats-server");
  supervisor.reread();
  writeFileSync(join(journal.path, "cortex.json"), '{"durability": "fast", "max_concurrent": 3}');
  supervisor.reread();
  await journal.until(() => {
    const now = supervisor.program("nats-server");
    return now.state === "ready" && now.identity?.pid !== identity?.pid;
  }, "it is another");
  expect(config(journal)).not.toContain("sync_interval");
});

test("the server stays as it is while the settings are broken", async () => {
  await using journal = new ShellJournal(onDisk);
  const supervisor = supervise(journal, { durability: "fast" });
  await supervisor.start();
  const { identity } = supervisor.program("nats-server");
  writeFileSync(join(journal.path, "cortex.json"), "{");
  supervisor.reread();
  writeFileSync(join(journal.path, "cortex.json"), '{"durability": "safe", "bus": {"listen": "0.0.0.0:1"}}');
  supervisor.reread();
  await supervisor.release();
  expect(supervisor.program("nats-server").identity).toEqual(identity);
  expect(readBusStore(journal.path)?.synced_by).toBe("nobody");
  rmSync(join(journal.path, "cortex.json"));
  await supervise(journal, { durability: "fast" }).start();
});

test.runIf(existsSync("/dev/shm"))(
  "a store that neither can sync is told with the reason, and the server runs all the same",
  async () => {
    await using journal = new ShellJournal(onDisk);
    const memory = mkdtempSync("/dev/shm/cortex-store-");
    renameSync(join(journal.path, ".state"), join(journal.path, ".state-before"));
    symlinkSync(memory, join(journal.path, ".state"));
    try {
      const supervisor = supervise(journal, {}, serverOf(journal, "2.9.10"));
      await supervisor.start();
      expect(supervisor.program("nats-server").state).toBe("ready");
      expect(readBusStore(journal.path)).toMatchObject({ synced_by: "nobody", problem: expect.stringMatching(/./) });
      await supervisor.stop();
    } finally {
      rmSync(memory, { recursive: true });
    }
  },
);
