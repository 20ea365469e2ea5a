/** Pings a server at intervals. Any answer is a sign of life, also that it doesn't know what a ping is. */
import type { Client } from "@modelcontextprotocol/client";
import { isAnswer, isTimeout, reasonOf } from "./server-errors.ts";
import type { ServerTimes } from "./server-times.ts";

export class HealthCheck implements Disposable {
  readonly #client: Client;
  readonly #pingMs: number;
  readonly #onDead: (why: string, isHanging: boolean) => void;
  readonly #timer: NodeJS.Timeout;
  #isPinging = false;

  constructor(client: Client, { ping, pingEvery }: ServerTimes, onDead: (why: string, isHanging: boolean) => void) {
    this.#client = client;
    this.#pingMs = ping;
    this.#onDead = onDead;
    this.#timer = setInterval(() => void this.ping(), pingEvery);
  }

  /** Pings now, unless a ping is under way. */
  async ping(): Promise<void> {
    if (this.#isPinging) return;
    this.#isPinging = true;
    try {
      const options = { timeout: this.#pingMs };
      // The stateless protocol has no ping.
      if (this.#client.getProtocolEra() === "modern") await this.#client.discover(options);
      else await this.#client.ping(options);
    } catch (error) {
      if (isTimeout(error)) this.#onDead(`it didn't answer a ping within ${this.#pingMs / 1000} s`, true);
      else if (!isAnswer(error)) this.#onDead(reasonOf(error), false);
    } finally {
      this.#isPinging = false;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
