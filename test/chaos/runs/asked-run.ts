/** A run that chaos asks for, as a client would that insists: what it is, and what is done to it until it has ended. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { publishRequest } from "../../../bus/runs/requests.ts";
import { onceLed } from "../../../bus/connection/leader.ts";
import { contentHash } from "../../../protocol/runs/request/request-content.ts";
import { subjects } from "../../../protocol/runs/subjects.ts";
import type { Step } from "../../fixtures/agents/scripted.ts";
import type { JournalClient } from "../../support/journal-client.ts";
import { allRuns } from "../invariants.ts";
import type { Kind } from "./cases.ts";

export type AskedRun = {
  /** Undefined as long as cortex has given it none. */
  id: () => string | undefined;
  /** Where each process of its agent notes that it was started. */
  births: string;
  /** The secret that stands nowhere when it has ended. */
  secret?: string;
  /** Does what has to be done by now; to be called again and again. */
  nudge: () => void;
  /** Asks for the same once more, as a client does that was cut off. */
  repeat: () => Promise<void>;
};

const say = (text: string) => ({ ev: { event: "text", text } });
const finish = (result = "done") => ({ ev: { event: "finish", result } });

type Wanted = { steps?: Step[]; fields?: Record<string, unknown>; nudge?: () => void };

/** Asks for a run of that kind. Resolves when it is accepted. */
export async function askFor(kind: Kind, client: JournalClient): Promise<AskedRun> {
  const name = client.nextId();
  const births = join(client.journal, `births-${name}`);
  const go = join(client.journal, `go-${name}`);
  const hasBegun = () => client.file(name).some(({ text }) => text === "one");
  const every = seldom(1000);
  const ask = async ({ steps = [], fields = {}, nudge = () => {} }: Wanted): Promise<AskedRun> => {
    const prompt = JSON.stringify([{ touch: births }, say("one"), ...steps]);
    const request = { ts: Number(name), backend: "scripted", prompt, ...fields };
    const repeat = async () => void (await publishRequest(client.bus, request, contentHash(request)));
    await repeat();
    return { id: () => name, births, nudge, repeat };
  };
  switch (kind) {
    case "plain":
      return ask({ steps: [say("two"), finish()] });
    case "without an id":
      return askWithoutId(client, births);
    case "with a secret": {
      const secret = `secret-of-${name}`;
      return { ...(await ask({ steps: [{ env: true }], fields: { env: { CHAOS_SECRET: secret } } })), secret };
    }
    case "handing on": {
      const handoff = { prompt: JSON.stringify([finish("child")]), backend: "scripted" };
      return ask({ steps: [finish()], fields: { save: `chaos-${name}.md`, handoff } });
    }
    case "cancelled":
      return ask({ steps: [{ await: go }], nudge: () => hasBegun() && every(() => client.cancel(name)) });
    case "input":
      return ask({
        steps: [{ hear: true }, finish()],
        nudge: () => hasBegun() && every(() => client.input(name, "on with it")),
      });
    case "tool call":
      return ask({ fields: { backend: "offline", prompt: "What was said about gardens?", tools: "journal" } });
    case "lost attempt":
      return ask({ steps: [{ await: go }, finish()], nudge: loseOnce(client, name, hasBegun, go) });
  }
}

/** As anybody does who publishes by hand. Published again when the bus was silent, it is stored once all the same: the message has an id, the request none. */
async function askWithoutId(client: JournalClient, births: string): Promise<AskedRun> {
  const prompt = JSON.stringify([{ touch: births }, say("one"), finish()]);
  const before = new Set(allRuns(client.journal));
  const request = JSON.stringify({ backend: "scripted", prompt });
  await onceLed(() => client.bus.js.publish(subjects.request, request, { msgID: births }));
  let known: string | undefined;
  const isIt = (id: string) => !before.has(id) && client.file(id)[0]?.["prompt"] === prompt;
  const id = () => (known ??= allRuns(client.journal).find(isIt));
  return { id, births, nudge: () => {}, repeat: async () => {} };
}

/** Kills its first attempt as soon as it has said something, unless it was lost before, and lets the next one finish. */
function loseOnce(client: JournalClient, agentId: string, hasBegun: () => boolean, go: string): () => void {
  let isLost = false;
  return () => {
    const isFurther = client.file(agentId).some(({ attempt }) => Number(attempt) > 1);
    if (!isLost && !isFurther && hasBegun()) {
      client.killAttempt(agentId, 1);
      isLost = true;
    }
    if (isFurther) writeFileSync(go, "");
  };
}

/** Does something at most once in so many ms. */
function seldom(ms: number): (what: () => void) => void {
  let next = 0;
  return (what) => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    what();
  };
}
