/** Asks the bus until it answers, for as long as cortex can wait for it. */
import type { Logger } from "../../proc/logging/log.ts";
import { type Clock, pause } from "./clock.ts";

/** Milliseconds for which a step that the bus didn't answer waits until it is tried again. */
export const busRetryMs = 500;

export class BusRetry {
  readonly #log: Pick<Logger, "debug">;
  readonly #clock: Clock;
  #isGivingUp = false;

  constructor(log: Pick<Logger, "debug">, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Whether the runs' grace is over: then nothing waits for the bus any longer. */
  get isGivingUp(): boolean {
    return this.#isGivingUp;
  }

  giveUp(): void {
    this.#isGivingUp = true;
  }

  /** @throws Error when cortex stops before the bus answers */
  async untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (this.#isGivingUp) throw error;
        this.#log.debug({ err: error }, "the bus doesn't answer yet");
        await pause(this.#clock, busRetryMs);
      }
    }
  }
}
