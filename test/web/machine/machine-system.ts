/** The API on the machine of a real cortex, for a test. */
import { join } from "node:path";
import { openBus } from "../../../bus/connection/connect.ts";
import { addressAs, readBusAccess } from "../../../journal/access/endpoints.ts";
import { openMachine } from "../../../web/machine/machine.ts";
import { usableSettings } from "../../../journal/config/settings.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { CortexSystem, type SystemOptions } from "../../support/cortex-system.ts";
import { patienceMs } from "../../support/patience.ts";
import { zoneAtNoon } from "../../support/zone-at-noon.ts";
import type { RunList } from "../../../web/machine/records/run-records.ts";
import { ApiSystem, ownerToken } from "../api/api-system.ts";

export type MachineSystem = { system: CortexSystem; api: ApiSystem } & AsyncDisposable;

/** Its time zone, and that of its cortex: a day that ends during a test would begin its sums anew. */
export const timeZone = zoneAtNoon();

/** Resolves when the lists of its runs are whole. */
export async function startMachine(options: SystemOptions): Promise<MachineSystem> {
  const system = await CortexSystem.start({ ...options, env: { CORTEX_TZ: timeZone, ...options.env } });
  const { journal } = system;
  const access = readBusAccess(journal);
  if (!access) throw new Error("there is no bus");
  // With the rights of the web program.
  const bus = await openBus(addressAs(access, "channel-web"), "channel-web", patienceMs);
  const base = {
    journal,
    bus,
    settings: () => usableSettings(journal).settings,
    timeZone,
    store: null,
    log: logOf("test"),
  };
  const machine = openMachine(base);
  const api = await ApiSystem.start({ file: join(journal, "workspace.db") }, { machine });
  const isRead = async () => (await api.owner.get<RunList>("/runs?limit=1")).total !== null;
  await system.until(isRead, "all runs are read");
  return {
    system,
    api,
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      await machine[Symbol.asyncDispose]();
      await bus[Symbol.asyncDispose]();
      await system[Symbol.asyncDispose]();
    },
  };
}

type Heard = { id: string | null; event: string; data: Record<string, unknown> };

/** Server-sent events of a path, until they end or the reader breaks off. */
export async function* heard(api: ApiSystem, path: string, lastEventId?: string): AsyncGenerator<Heard> {
  const stop = new AbortController();
  const response = await fetch(`${api.url}/api/v1${path}`, {
    headers: {
      Authorization: `Bearer ${ownerToken}`,
      ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }),
    },
    signal: stop.signal,
  });
  if (!response.ok || !response.body) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  let text = "";
  try {
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const fields = new Map(
          frame.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
        );
        const event = fields.get("event");
        if (event === undefined) continue;
        yield { id: fields.get("id") ?? null, event, data: JSON.parse(fields.get("data") ?? "null") as Heard["data"] };
      }
    }
  } finally {
    stop.abort();
  }
}
