/** Keeps `.run/endpoints.json` right, and the files of outside adapters: where the bus and the servers are, after each of their starts. */
import { SerialQueue } from "../files/locks/serial-queue.ts";
import { type BusUser, channelUser } from "../bus/server/server-config.ts";
import {
  type BusAccess,
  type Endpoints,
  readBusAccess,
  removeEndpoints,
  writeEndpoints,
} from "../journal/access/endpoints.ts";
import { type ExternalChannel, writeExternalChannels } from "../journal/channels/external-channels.ts";
import { readProgramRecord } from "../journal/programs/programs.ts";
import { SettingsError, usableSettings } from "../journal/config/settings.ts";
import { readWebToken } from "../journal/access/token-file.ts";
import { externalChannels } from "../protocol/agents/agents-settings.ts";
import { adapterProgram } from "../protocol/agents/channel-settings.ts";
import { busUrls } from "../bus/connection/bus-url.ts";

export type EndpointsDeps = {
  journal: string;
  /** The user's own bus. */
  natsUrl: string | undefined;
  /** The process of the web channel that lives; undefined: none. */
  webPid: () => number | undefined;
};

/** The endpoints at this moment. */
export async function endpointsNow({ journal, natsUrl, webPid }: EndpointsDeps): Promise<Endpoints> {
  const tools = await readProgramRecord(journal, "mcp-tools");
  const gateway = await readProgramRecord(journal, "gateway");
  const web = await readProgramRecord(journal, adapterProgram("web"));
  const token = await readWebToken(journal);
  return {
    ...(natsUrl === undefined ? busFor(readBusAccess(journal), "client") : foreignBus(natsUrl)),
    ...(tools?.url === undefined ? {} : { mcp_url: tools.url }),
    ...(gateway?.url === undefined ? {} : { gateway_url: gateway.url }),
    // A record stays when its program ends, and the token when there is none any more.
    ...(web?.url === undefined || token === null || web.pid !== webPid() ? {} : { web_url: web.url, web_token: token }),
    pid: process.pid,
  };
}

export class EndpointsFile {
  readonly #deps: EndpointsDeps;
  readonly #writes = new SerialQueue();
  #isRemoved = false;

  constructor(deps: EndpointsDeps) {
    this.#deps = deps;
  }

  /** Writes them as things are. One write after the other. */
  write(): Promise<void> {
    return this.#writes.run(async () => {
      if (this.#isRemoved) return;
      await writeEndpoints(this.#deps.journal, await endpointsNow(this.#deps));
      const external = externalNow(this.#deps);
      if (external) await writeExternalChannels(this.#deps.journal, external);
    });
  }

  async remove(): Promise<void> {
    this.#isRemoved = true;
    await this.#writes.idle();
    removeEndpoints(this.#deps.journal);
    await writeExternalChannels(this.#deps.journal, new Map());
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await this.#writes.idle();
  }
}

type BusEndpoint = Pick<Endpoints, "nats_url" | "nats_user" | "nats_token" | "nats_ca">;

/** The bus access of each adapter of the user's own; null while the settings can't be read. */
function externalNow({ journal, natsUrl }: EndpointsDeps): Map<string, ExternalChannel> | null {
  const access = readBusAccess(journal);
  try {
    const types = externalChannels(usableSettings(journal).settings.channels);
    // On a bus of the user's own, its users are the user's business.
    if (natsUrl !== undefined) return new Map(types.map((type) => [type, foreignBus(natsUrl)]));
    // A channel that was declared after the bus had started isn't known to the bus yet.
    const known = types.filter((type) => access?.passwords[channelUser(type)] !== undefined);
    return new Map(known.map((type) => [type, busFor(access, channelUser(type))]));
  } catch (error) {
    if (error instanceof SettingsError) return null;
    throw error;
  }
}

function busFor(access: BusAccess | null, user: BusUser): BusEndpoint {
  return {
    nats_url: access?.url ?? "",
    nats_user: user,
    nats_token: access?.passwords[user] ?? "",
    ...(access?.ca_file === undefined ? {} : { nats_ca: access.ca_file }),
  };
}

/** The user's own bus, of a cluster its first address, the credentials apart. A name alone is a token. */
function foreignBus(natsUrls: string): BusEndpoint {
  const [url] = busUrls(natsUrls);
  const [name, password] = [decodeURIComponent(url?.username ?? ""), decodeURIComponent(url?.password ?? "")];
  const nats_url = `${url?.protocol}//${url?.host}`;
  return password ? { nats_url, nats_user: name, nats_token: password } : { nats_url, nats_user: "", nats_token: name };
}
