/** Sends what is due to wake agents, and notes it afterwards: after a crash between the two it is sent again, and known. */
import { publishInbound } from "../../bus/agents/inbound.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { readWakings, writeWakings } from "../../journal/agents/wakings.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { dueWakings } from "./wake.ts";

export type WakerParts = { journal: string; bus: Bus; timeZone: string; settings: () => Settings; log: Logger };

export class Waker {
  readonly #parts: WakerParts;
  #told = "";

  constructor(parts: WakerParts) {
    this.#parts = parts;
  }

  /** Wakes who is due. */
  async tick(): Promise<void> {
    const { journal, bus, timeZone, settings, log } = this.#parts;
    const { agents } = settings();
    if (!agents?.cron && !agents?.heartbeat) return;
    const before = readWakings(journal);
    const { messages, wakings, problems } = dueWakings(agents, before, Date.now(), timeZone);
    const told = problems.join("\n");
    if (told !== this.#told && problems.length > 0) log.warn({ problems }, "agents that can't be woken");
    this.#told = told;
    for (const message of messages) await publishInbound(bus, message);
    if (JSON.stringify(wakings) !== JSON.stringify(before)) await writeWakings(journal, wakings);
  }
}
