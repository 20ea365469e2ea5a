/** A machine whose journal is empty and whose bus is away, for tests of the API that aren't about it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bus } from "../../../bus/connection/connect.ts";
import { makePrivateFolders } from "../../../journal/config/paths.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { type Machine, openMachine } from "../../../web/machine/machine.ts";

export function awayMachine(): Machine & AsyncDisposable {
  const journal = mkdtempSync(join(tmpdir(), "api-journal-"));
  makePrivateFolders(journal);
  const connection = { subscribe: () => ({ unsubscribe: () => {} }) };
  const bus = { isConnected: false, onReconnect: () => {}, onDisconnect: () => {}, connection } as unknown as Bus;
  const machine = openMachine({ journal, bus, settings: () => ({}), timeZone: "UTC", store: null, log: logOf("test") });
  return {
    ...machine,
    [Symbol.asyncDispose]: async () => {
      await machine[Symbol.asyncDispose]();
      rmSync(journal, { recursive: true, force: true });
    },
  };
}
