/** A port for the bus of a test's own journal: the system gives it to nobody else, and no other test takes it while the server is being started again. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { runtime } from "../../../journal/config/paths.ts";

/** Between those of `ownPort` and those that the system gives. One that is taken all the same does no harm: another is used then. */
const [lowest, highest] = [30_000, 32_767];

/** Notes a port as the one that the journal's bus had before. Returns it. */
export function giveBusPort(journal: string): number {
  const port = lowest + Math.floor(Math.random() * (highest - lowest));
  const file = runtime(journal, "bus-users.json");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const access = { url: `nats://127.0.0.1:${port}`, server_name: "", passwords: {} };
  writeFileSync(file, JSON.stringify(access), { mode: 0o600 });
  return port;
}
