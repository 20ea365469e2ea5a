/** A connection to the bus as one of its users: opened when it is first needed, and anew where the bus has come back elsewhere. */
import type { Bus, BusAddress } from "../../bus/connection/connect.ts";

/** A server that takes the connection and says nothing is held up; one that isn't there is known at once. In ms. */
const connectMs = 10_000;

export class BusLink implements AsyncDisposable {
  /** Names the connection. */
  readonly #name: string;
  #opened: Opened | null = null;

  constructor(name: string) {
    this.#name = name;
  }

  /** The one that is open, if it is that one. Several who ask at once open one. */
  async at(address: BusAddress): Promise<Bus> {
    const key = addressKey(address);
    const former = this.#opened;
    if (former?.key === key) {
      const bus = await former.bus;
      if (!bus.connection.isClosed()) return bus;
      if (this.#opened !== former) return await this.at(address);
    }
    const opened = { key, bus: close(former).then(() => open(address, this.#name)) };
    this.#opened = opened;
    try {
      return await opened.bus;
    } catch (error) {
      if (this.#opened === opened) this.#opened = null;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await close(this.#opened);
    this.#opened = null;
  }
}

type Opened = { key: string; bus: Promise<Bus> };

async function close(opened: Opened | null): Promise<void> {
  const bus = await opened?.bus.catch(() => null);
  await bus?.[Symbol.asyncDispose]();
}

async function open(address: BusAddress, name: string): Promise<Bus> {
  const { openBus } = await import("../../bus/connection/connect.ts");
  return await openBus(address, name, connectMs);
}

/** Tells addresses apart. */
export const addressKey = (address: BusAddress | null) => JSON.stringify(address);
