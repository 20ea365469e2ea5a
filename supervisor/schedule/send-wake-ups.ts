/** Sends what is due to wake agents, and notes it afterwards: after a crash between the two it is sent again, and known. */
import { publishInbound } from "../../bus/agents/inbound.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { readWakeUps, writeWakeUps } from "../../journal/agents/wake-ups.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { dueWakeUps } from "../../schedule/calendar/due-wake-ups.ts";

export type WakeUpDeps = { journal: string; bus: Bus; timeZone: string; settings: () => Settings; log: Logger };

export class WakeUpSender {
  readonly #parts: WakeUpDeps;
  #told = "";

  constructor(parts: WakeUpDeps) {
    this.#parts = parts;
  }

  /** Wakes who is due. */
  async tick(): Promise<void> {
    const { journal, bus, timeZone, settings, log } = this.#parts;
    const { agents } = settings();
    if (!agents?.cron && !agents?.heartbeat) return;
    const before = readWakeUps(journal);
    const { messages, wakeUps, problems } = dueWakeUps(agents, before, Date.now(), timeZone);
    const told = problems.join("\n");
    if (told !== this.#told && problems.length > 0) log.warn({ problems }, "agents that can't be woken");
    this.#told = told;
    for (const message of messages) await publishInbound(bus, message);
    if (JSON.stringify(wakeUps) !== JSON.stringify(before)) await writeWakeUps(journal, wakeUps);
  }
}
