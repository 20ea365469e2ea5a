/** Erases requests that nobody needs any more from the bus's stream. */
import { hidesSomething } from "../../protocol/runs/request/request-content.ts";
import type { BusRequests } from "../ports/bus-requests.ts";

export class RequestErasure {
  readonly #requests: Pick<BusRequests, "erase" | "isCrowded">;
  #isCrowded = false;

  constructor(requests: Pick<BusRequests, "erase" | "isCrowded">) {
    this.#requests = requests;
  }

  /** Checks how much room there is for new ones. To be called now and then. @throws Error when the bus doesn't answer */
  async checkRoom(): Promise<void> {
    this.#isCrowded = await this.#requests.isCrowded();
  }

  /**
   * Erases one that holds secrets; and any other where room is scarce: what has ended must not keep out what is new. Else it
   * stays for as long as requests do, for the server to know its message id.
   * @param shown as it may be shown
   * @param matches whether what stands in its place is it
   * @throws Error when the bus doesn't answer: then it has to be tried again
   */
  async erase(streamSeq: number, shown: unknown, matches: Parameters<BusRequests["erase"]>[1]): Promise<void> {
    if (this.#isCrowded || hidesSomething(shown)) await this.#requests.erase(streamSeq, matches);
  }
}
