/** Operations on runs: which there are, what each says, and what is said to it. */
import { AgentId } from "../../../../protocol/names/names.ts";
import { Again, Continuation, NewRun, Said, StartedRun } from "../../../machine/records/run-changes.ts";
import {
  EventsQuery,
  LineQuery,
  RawLine,
  Run,
  RunEvent,
  RunEvents,
  RunList,
  RunNames,
  RunPrompt,
  RunQuery,
  SharedRun,
} from "../../../machine/records/run-records.ts";
import { promptOf } from "../../../machine/prompts/prompt-of.ts";
import { cancelRun, continueRun, requestRun, runAgain, tellRun } from "../../../machine/runs/ask-runs.ts";
import { getRun } from "../../../machine/runs/get-run.ts";
import { listRuns, runNames } from "../../../machine/runs/list-runs.ts";
import { shareRun } from "../../../machine/share/share-run.ts";
import { eventsOf, liveLines, rawLine, requireRun } from "../../../machine/runs/run-lines.ts";
import { operation } from "../../table/operation.ts";

const ofRun = { subject: null, role: "owner", pathId: AgentId, isOutside: true } as const;

export const runs = [
  operation({
    id: "run.list",
    method: "GET",
    path: "/runs",
    summary: "Runs, newest first",
    subject: null,
    role: "owner",
    query: RunQuery,
    answer: RunList,
    handle: ({ machine }, { query }) => listRuns(machine, query),
  }),
  operation({
    id: "run.names",
    method: "GET",
    path: "/runs/names",
    summary: "Personas, models and backends that runs have had",
    description: "In order, at most 500 of each.",
    subject: null,
    role: "owner",
    answer: RunNames,
    handle: ({ machine }) => runNames(machine),
  }),
  operation({
    ...ofRun,
    id: "run.get",
    method: "GET",
    path: "/runs/{id}",
    summary: "A run",
    answer: Run,
    handle: ({ machine }, { id }) => getRun(machine, id),
  }),
  operation({
    ...ofRun,
    id: "run.events",
    method: "GET",
    path: "/runs/{id}/events",
    summary: "Lines of a run's file, by their numbers",
    query: EventsQuery,
    answer: RunEvents,
    handle: ({ machine }, { id, query }) => eventsOf(machine, id, query),
  }),
  operation({
    ...ofRun,
    id: "run.live",
    method: "GET",
    path: "/runs/{id}/live",
    summary: "Hear a run",
    description:
      "Server-sent events: each line of its file with its number as `id`, from the first or behind `Last-Event-ID`; what is written to no file, such as `text_delta`, without one. Ends with `end`, when nothing is written to the file any more.",
    events: { line: RunEvent, piece: RunEvent, end: StartedRun },
    refusals: [503],
    listen: ({ machine, lastEventId, signal }, { id }) => {
      requireRun(machine, id);
      return liveLines(machine, id, /^\d{1,9}$/.test(lastEventId ?? "") ? Number(lastEventId) : 0, signal);
    },
  }),
  operation({
    ...ofRun,
    id: "run.prompt",
    method: "GET",
    path: "/runs/{id}/prompt",
    summary: "The first messages sent to a run's model",
    answer: RunPrompt,
    handle: ({ machine }, { id }) => promptOf(machine, id),
  }),
  operation({
    ...ofRun,
    id: "run.raw",
    method: "GET",
    path: "/runs/{id}/raw",
    summary: "A line of a run's file, byte for byte",
    query: LineQuery,
    answer: RawLine,
    handle: ({ machine }, { id, query }) => rawLine(machine, id, query.line),
  }),
  operation({
    ...ofRun,
    id: "run.share",
    method: "GET",
    path: "/runs/{id}/share",
    summary: "A run as one page, to be given to others",
    answer: SharedRun,
    refusals: [409],
    handle: ({ machine }, { id }) => shareRun(machine, id),
  }),
  operation({
    id: "run.request",
    method: "POST",
    path: "/runs",
    summary: "Ask for a run",
    subject: null,
    role: "owner",
    isOutside: true,
    body: NewRun,
    status: 202,
    answer: StartedRun,
    handle: ({ machine, request }, { body }) => requestRun(machine, body, request),
  }),
  operation({
    ...ofRun,
    id: "run.cancel",
    method: "POST",
    path: "/runs/{id}/cancel",
    summary: "End a run",
    status: 202,
    answer: StartedRun,
    handle: ({ machine }, { id }) => cancelRun(machine, id),
  }),
  operation({
    ...ofRun,
    id: "run.input",
    method: "POST",
    path: "/runs/{id}/input",
    summary: "Say something to a run in progress",
    body: Said,
    status: 202,
    answer: StartedRun,
    handle: ({ machine }, { id, body }) => tellRun(machine, id, body.text),
  }),
  operation({
    ...ofRun,
    id: "run.continue",
    method: "POST",
    path: "/runs/{id}/continue",
    summary: "Go on from a run that has ended",
    body: Continuation,
    status: 202,
    answer: StartedRun,
    handle: ({ machine, request }, { id, body }) => continueRun(machine, id, body, request),
  }),
  operation({
    ...ofRun,
    id: "run.again",
    method: "POST",
    path: "/runs/{id}/again",
    summary: "Ask for the same once more, of another model or persona where one is named",
    body: Again,
    status: 202,
    answer: StartedRun,
    handle: ({ machine, request }, { id, body }) => runAgain(machine, id, body, request),
  }),
];
