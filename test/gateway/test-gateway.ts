/** A gateway in this process, on a journal of a test's own, with a played provider behind it and a cortex that a test plays. */
import { issueGatewayToken, revokeToken } from "../../journal/access/tokens.ts";
import { openGatewayServer } from "../../gateway/http/http-server.ts";
import { Meter, type Patience } from "../../gateway/metering/meter.ts";
import { logOf } from "../../proc/logging/log.ts";
import type { MeteredUsage, MeteringAnswer, MeteringNotice } from "../../protocol/runs/metering.ts";
import { type ModelProviderName, modelProviderNames, modelProviders } from "../../protocol/settings/model-providers.ts";
import { agentId, temporaryJournal } from "../journal/temporary-journal.ts";
import { askUntil } from "../support/ask-until.ts";
import { patienceMs } from "../support/patience.ts";

const log = logOf("test");
log.level = "silent";

/** The key that only the gateway has. */
export const secretKey = "sk-secret-0123456789abcdef";

type Options = {
  provider?: ModelProviderName;
  /** Where the provider is. */
  url: string;
  record?: boolean;
  /** The answer of cortex; default: yes. */
  answer?: (notice: MeteringNotice) => MeteringAnswer | null | Promise<MeteringAnswer | null>;
  patience?: Patience;
  idleMs?: number;
};

export async function openTestGateway({
  provider = "anthropic",
  url,
  record = false,
  answer = () => ({ ok: true }),
  patience = { awayMs: 500, roomMs: 500 },
  idleMs = patienceMs,
}: Options) {
  const journal = temporaryJournal();
  const notices: MeteringNotice[] = [];
  const meter = new Meter({
    tell: async (_, notice) => {
      notices.push(notice);
      return answer(notice);
    },
    isOver: () => Promise.resolve(false),
    log,
    patience,
  });
  const { key, address } = modelProviders[provider];
  const variables = () => ({ [key]: secretKey, [address]: url });
  const server = await openGatewayServer([0], { journal: journal.path, meter, variables, idleMs, log });
  const token = await issueGatewayToken(journal.path, agentId, {
    backend: "mine",
    providers: [...modelProviderNames],
    record,
  });
  return {
    journal: journal.path,
    port: server.port,
    /** The address of the provider, as a run knows it. */
    url: `${server.url}/${provider}`,
    origin: server.url,
    token,
    notices,
    revoke: () => revokeToken(journal.path, token),
    /** The usage of all calls, once so many have ended. */
    ended: (count = 1): Promise<(MeteredUsage | null)[]> =>
      askUntil(
        () => {
          const ends = notices.flatMap((notice) => (notice.event === "end" ? [notice.usage] : []));
          return ends.length >= count && ends;
        },
        () => `${count} calls have ended: ${JSON.stringify(notices)}`,
        patienceMs,
      ),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      journal[Symbol.dispose]();
    },
  };
}

export type TestGateway = Awaited<ReturnType<typeof openTestGateway>>;
