/** The requests to runs: that one begins, hears something, ends, goes on, or is done once more. */
import { setTimeout as delay } from "node:timers/promises";
import { attachmentRules, takeAttachments } from "../../../journal/attachments/take-attachments.ts";
import { emptyRow, shortText } from "../../../journal/run-index/run-row.ts";
import { findEvent, RunReader } from "../../../journal/runs/read-run.ts";
import { runState } from "../../../journal/runs/run-files.ts";
import { nextId, NoCortexError, RejectedError, submit } from "../../../bus/runs/client.ts";
import { publishCancel, publishInput } from "../../../bus/runs/control.ts";
import { isAway } from "../../../bus/runs/ask-again.ts";
import { AttachmentError } from "../../../files/errors/attachment-error.ts";
import { failpoint } from "../../../proc/programs/failpoint.ts";
import { Request } from "../../../protocol/runs/request/request.ts";
import { hidesSomething } from "../../../protocol/runs/request/request-content.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import { busOf, type MachineBase, UnavailableError } from "../base/machine-base.ts";
import type { Again, NewRun } from "../records/run-changes.ts";
import { keepId, keptId } from "./asked-ids.ts";
import type { LiveRuns } from "./live-runs.ts";
import { requireRun } from "./run-lines.ts";

/** @field again_of the run that is done once more */
type AskedRun = NewRun & { again_of?: string };

type Deps = Pick<MachineBase, "journal" | "bus" | "settings"> & { runs: LiveRuns };

/**
 * The run of a request, as soon as cortex has it.
 * @param name of a request that may be sent again: it asks for the same run
 * @throws WorkspaceError, UnavailableError
 */
export async function requestRun(deps: Deps, wanted: AskedRun, name: string | null): Promise<{ id: string }> {
  const bus = busOf(deps);
  const attachments = wanted.attachments && (await taken(deps, wanted.attachments));
  try {
    const request = { ...wanted, ...(attachments && { attachments }), watched: true };
    const id = name === null ? await submit(bus, request) : await submitOnce(deps, request, name);
    failpoint("run-requested");
    return known(deps, id, wanted);
  } catch (error) {
    // It is stored, and begins when a cortex does.
    if (error instanceof NoCortexError) return known(deps, error.agentId, wanted);
    if (error instanceof RejectedError && error.reason === "overloaded") throw new UnavailableError(error.message);
    if (error instanceof RejectedError) throw new WorkspaceError("invalid", error.message);
    if (isAway(error)) throw new UnavailableError("the bus doesn't answer now: cortex status says why");
    throw error;
  }
}

/** By an id that is kept before it is sent. One that another request has taken meanwhile gives way to the next. */
async function submitOnce({ bus, journal }: Deps, request: AskedRun, name: string): Promise<string> {
  for (let ts = keptId(journal, name); ; ts = null) {
    ts ??= nextId();
    keepId(journal, name, ts);
    try {
      return await submit(bus, { ...request, ts });
    } catch (error) {
      if (!(error instanceof RejectedError && error.reason === "duplicate_id")) throw error;
    }
  }
}

/** Notes the run. Whoever has its id may ask for it at once, whenever cortex comes to it. */
function known({ runs }: Deps, id: string, wanted: AskedRun): { id: string } {
  const { prompt, persona, backend, model, facet, continue_from, again_of } = wanted;
  const empty = emptyRow(id);
  runs.asked({
    ...empty,
    prompt: shortText(prompt),
    persona: persona ?? empty.persona,
    backend: backend ?? null,
    model: model ?? null,
    facet: facet ?? null,
    continue_from: continue_from ?? null,
    again_of: again_of ?? null,
  });
  return { id };
}

/** Files are stored before they are named on the bus. */
async function taken({ journal, settings }: Deps, refs: NonNullable<NewRun["attachments"]>) {
  try {
    const parts = await takeAttachments(refs, { journal }, attachmentRules(settings()));
    return parts.map(({ id, name }) => ({ id, ...(name !== undefined && { name }) }));
  } catch (error) {
    if (error instanceof AttachmentError) throw new WorkspaceError("invalid", error.message);
    throw error;
  }
}

/** @throws WorkspaceError `not_found`, and `conflict` for one that has ended */
export async function cancelRun(deps: Deps, id: string): Promise<{ id: string }> {
  await requireInProgress(deps, id);
  const bus = busOf(deps);
  publishCancel(bus, id);
  await bus.connection.flush();
  return { id };
}

/** @throws WorkspaceError `not_found`, and `conflict` for one that has ended, or is an agent's turn */
export async function tellRun(deps: Deps, id: string, text: string): Promise<{ id: string }> {
  await requireInProgress(deps, id);
  const bus = busOf(deps);
  const agent = (await findEvent(deps.journal, id, ["request"]))?.["agent"];
  if (typeof agent === "string")
    throw new WorkspaceError(
      "conflict",
      `run ${id} is a turn of the agent ${agent}, and hears that agent only`,
      "say it to the agent",
    );
  publishInput(bus, id, text);
  await bus.connection.flush();
  return { id };
}

/** A run that goes on from one that has ended. @throws WorkspaceError `conflict` for one that hasn't */
export async function continueRun(
  deps: Deps,
  id: string,
  { prompt, attachments }: Pick<NewRun, "prompt" | "attachments">,
  name: string | null,
): Promise<{ id: string }> {
  requireRun(deps, id);
  await requireEnded(deps, id);
  return requestRun(deps, { prompt, continue_from: id, ...(attachments && { attachments }) }, name);
}

/** The fields that cortex sets itself, and those of that run alone. */
const ownFields = [
  "event",
  "seq",
  "ts",
  "agent_id",
  "prev",
  "handoff_from",
  "agent",
  "work_of",
  "trust",
  "watched",
  "schedule",
  "again_of",
];

/** The same request once more, with what is named in place of what it had. @throws WorkspaceError `conflict` where it can't be known */
export async function runAgain(deps: Deps, id: string, instead: Again, name: string | null): Promise<{ id: string }> {
  requireRun(deps, id);
  const first = await firstLine(deps.journal, id);
  const fields = Object.fromEntries(Object.entries(first ?? {}).filter(([name]) => !ownFields.includes(name)));
  const request = Request.safeParse({ ...withoutModel(fields, instead), ...instead });
  if (!first || !request.success) throw new WorkspaceError("conflict", `what run ${id} was asked isn't known any more`);
  if (typeof first["agent"] === "string")
    throw new WorkspaceError("conflict", `run ${id} is a turn of an agent`, "say it to the agent again");
  if (hidesSomething(request.data))
    throw new WorkspaceError("conflict", "its request had secrets, which aren't kept", "ask anew, with the secrets");
  return requestRun(deps, { ...(request.data as NewRun), again_of: id }, name);
}

/** The model of another backend means nothing to this one. */
function withoutModel({ model, ...fields }: Record<string, unknown>, { backend, model: named }: Again) {
  return backend !== undefined && named === undefined ? fields : { ...fields, ...(model !== undefined && { model }) };
}

async function firstLine(journal: string, id: string): Promise<Record<string, unknown> | null> {
  for await (const event of new RunReader(journal, id).events()) return event.event === "request" ? event : null;
  return null;
}

async function requireInProgress(deps: Deps, id: string): Promise<void> {
  requireRun(deps, id);
  if ((await deps.runs.get(id))?.ended_at != null || runState(deps.journal, id) === "ended")
    throw new WorkspaceError("conflict", `run ${id} has ended`);
}

/** Between a run's terminal event and the end of its file it is saved and handed on, in ms. */
const [closedWithinMs, lookMs] = [10_000, 20];

async function requireEnded({ journal, runs }: Deps, id: string): Promise<void> {
  const hasEnded = () => runState(journal, id) === "ended";
  if (!hasEnded() && (await runs.get(id))?.ended_at != null)
    for (const end = performance.now() + closedWithinMs; !hasEnded() && performance.now() < end; ) await delay(lookMs);
  if (!hasEnded())
    throw new WorkspaceError("conflict", `run ${id} hasn't ended`, "say it to the run, or wait for its end");
}
