/** Keeps `.run/endpoints.json` right: where the bus and the servers are, after each of their starts. */
import {
  type BusAccess,
  type Endpoints,
  readBusAccess,
  removeEndpoints,
  writeEndpoints,
} from "../journal/endpoints.ts";
import { readProgramRecord } from "../journal/programs.ts";

/** What stands there as things are. @param natsUrl the user's own bus */
export async function endpointsNow(journal: string, natsUrl: string | undefined): Promise<Endpoints> {
  const tools = await readProgramRecord(journal, "mcp-tools");
  return {
    ...(natsUrl === undefined ? privateBus(readBusAccess(journal)) : foreignBus(natsUrl)),
    ...(tools?.url === undefined ? {} : { mcp_url: tools.url }),
    pid: process.pid,
  };
}

export class EndpointsFile {
  readonly #journal: string;
  readonly #natsUrl: string | undefined;
  #written: Promise<void> = Promise.resolve();
  #isRemoved = false;

  constructor(journal: string, natsUrl: string | undefined) {
    this.#journal = journal;
    this.#natsUrl = natsUrl;
  }

  /** Writes it as things are. One write after the other. */
  write(): Promise<void> {
    this.#written = this.#written
      .catch(() => {})
      .then(async () => {
        if (!this.#isRemoved) await writeEndpoints(this.#journal, await endpointsNow(this.#journal, this.#natsUrl));
      });
    return this.#written;
  }

  async remove(): Promise<void> {
    this.#isRemoved = true;
    await this.#written.catch(() => {});
    removeEndpoints(this.#journal);
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await this.#written.catch(() => {});
  }
}

type BusEndpoint = Pick<Endpoints, "nats_url" | "nats_user" | "nats_token" | "nats_ca">;

function privateBus(access: BusAccess | null): BusEndpoint {
  return {
    nats_url: access?.url ?? "",
    nats_user: "client",
    nats_token: access?.passwords["client"] ?? "",
    ...(access?.ca_file === undefined ? {} : { nats_ca: access.ca_file }),
  };
}

/** The user's own bus, of a cluster its first address, the credentials apart. A name alone is a token. */
function foreignBus(natsUrls: string): BusEndpoint {
  const [natsUrl = ""] = natsUrls.split(",");
  const url = new URL(natsUrl.includes("://") ? natsUrl : `nats://${natsUrl}`);
  const [name, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const nats_url = `${url.protocol}//${url.host}`;
  return password ? { nats_url, nats_user: name, nats_token: password } : { nats_url, nats_user: "", nats_token: name };
}
