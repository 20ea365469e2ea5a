/** How commands and programs reach the bus of a journal: by `NATS_URL`, else by what `cortex up` wrote into it. */
import { messageOf } from "../../files/errors/error-message.ts";
import { type RequestedRun, ask } from "../../bus/runs/client.ts";
import { type Bus, openBus } from "../../bus/connection/connect.ts";
import { storedEnd } from "../../bus/events/event-tail.ts";
import type { RunFile } from "../../bus/events/run-feed.ts";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { copyNote } from "../../journal/config/folder-mark.ts";
import { RunReader } from "../../journal/runs/read-run.ts";
import { type Environment, readEnvironment } from "../../proc/programs/environment.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { RequestFields } from "../../protocol/runs/request/request-fields.ts";
import { noBusError } from "./command.ts";
import { shownUrl } from "../../protocol/guards/shown-url.ts";

/** @throws CommandError (exit 69) when there is no bus, or it doesn't answer */
export async function connectToJournal(env: Environment): Promise<Bus> {
  const endpoints = readEndpoints(env.journalPath);
  const url = env.natsUrl ?? endpoints?.nats_url;
  if (url === undefined) throw noBusError(`no bus: nothing runs on ${env.journalPath}${copyNote(env.journalPath)}`);
  const credentials =
    env.natsUrl === undefined
      ? { user: endpoints?.nats_user, password: endpoints?.nats_token, caFile: endpoints?.nats_ca }
      : env.natsFiles;
  try {
    return await openBus({ url, ...credentials }, "client");
  } catch (error) {
    const message = messageOf(error);
    throw noBusError(`no bus at ${shownUrl(url)}: ${message}`, error);
  }
}

/** Whether the bus that is asked is that of the journal here: what is stored here can be named there. */
export const isOwnBus = ({ natsUrl, journalPath }: Environment): boolean =>
  natsUrl === undefined || natsUrl === readEndpoints(journalPath)?.nats_url;

/** Asks over a connection, with the journal's files to fall back on, or what the bus of another journal has stored. */
export async function askOver(bus: Bus, env: Environment, request: AskRequest): Promise<RequestedRun> {
  const { attachments } = request;
  const hasData = Array.isArray(attachments) && attachments.some((one) => one?.data !== undefined);
  if (hasData && isOwnBus(env)) {
    const { storeData } = await import("./store-attachments.ts");
    request = { ...request, attachments: await storeData(env.journalPath, attachments) };
  }
  return ask(bus, request, { fileOf: (agentId) => fileOf(bus, env, agentId) });
}

function fileOf(bus: Bus, env: Environment, agentId: string): RunFile {
  const file = new RunReader(env.journalPath, agentId);
  if (isOwnBus(env)) return file;
  const end = storedEnd(bus, agentId);
  return {
    async *events(from) {
      // It is here after all where the bus is this journal's own by another name.
      yield* file.events(from);
      yield* end.events(from);
    },
  };
}

export type AskRequest = Omit<Request, "ts"> & { ts?: number };

/**
 * The package's client: publishes a request, and resolves when cortex has recorded it. The connection closes after the
 * run's terminal event.
 * @typeParam Extra fields that cortex doesn't know and the backend does, such as `cortexRequest<{ voice: string }>({ … })`
 * @throws RejectedError, NoCortexError, or CommandError when there is no bus
 */
export async function cortexRequest<Extra extends object = object>(
  request: RequestFields & NoInfer<Extra>,
): Promise<RequestedRun> {
  const env = readEnvironment();
  const bus = await connectToJournal(env);
  try {
    const asked = await askOver(bus, env, request);
    void asked.result.then(() => bus[Symbol.asyncDispose]());
    return asked;
  } catch (error) {
    await bus[Symbol.asyncDispose]();
    throw error;
  }
}
