/** The invariants after a conversation of chaos: nothing lost, nothing twice, nothing left. */
import { readState } from "../../../journal/agents/agent-files.ts";
import { readRun } from "../../support/read-run.ts";
import { runState } from "../../../journal/runs/run-files.ts";
import type { HistoryRecord } from "../../../protocol/agents/agent-files.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";
import { allRecordsOf } from "../../agents/all-records.ts";
import type { AgentsSystem } from "../../agents/agents-system.ts";
import type { Talk } from "./agent-talk.ts";

/** @param turns how many the agent has had, and its task */
export function talkProblems(system: AgentsSystem, talk: Talk, turns: number): string[] {
  const { journal, wrong, model } = system;
  const { agent, tasks, word } = talk;
  const [task = ""] = tasks;
  if (tasks.length !== 1) return [`${tasks.length} tasks were sent off`];
  const [own, others] = [allRecordsOf(journal, agent), allRecordsOf(journal, task)];
  const texts = (records: HistoryRecord[]) =>
    records.flatMap((record) => ("text" in record ? String(record.text) : []));
  const heard = (text: string) => talk.channel.replies.filter((reply) => reply.text === text).length;
  const ofTalk = talk.channel.replies.filter(({ text }) => text.endsWith(word));
  return [
    ...talk.said.flatMap((text) => once(`"${text}"`, texts(own), (one) => one.endsWith(`\n${text}`))),
    ...once("the task's notice", texts(own), (one) => one.includes(`[Task ${task} completed]`)),
    ...once("any notice of a task", texts(own), (one) => one.includes("[Task ")),
    ...once("what the task is to do", texts(others), (one) => one.includes(`do ${word}`)),
    ...once("the task's result", texts(others), (one) => one === `result ${word}`),
    ...talk.replies.flatMap((text) => (heard(text) === 1 ? [] : [`"${text}" was replied ${heard(text)} times`])),
    ...(ofTalk.length === talk.replies.length ? [] : [`replied: ${ofTalk.map(({ text }) => text).join(", ")}`]),
    ...twice(
      "replies",
      ofTalk.map(({ id }) => id),
    ),
    ...[agent, task].flatMap((id) => agentProblems(talk, journal, id)),
    ...(readState(journal, task).task?.state === "completed" ? [] : ["the task hasn't completed"]),
    ...runProblems(journal, own, turns),
    ...runProblems(journal, others, 1),
    ...wrong,
    ...model.refusals,
  ];
}

function agentProblems(talk: Talk, journal: string, agent: string): string[] {
  const records = allRecordsOf(journal, agent);
  const { turn } = readState(journal, agent);
  const calls = records.flatMap((record) => (record.type === "tool_call" ? [record.call_id] : []));
  const results = records.flatMap((record) => (record.type === "tool_result" ? [record.call_id] : []));
  const failed = records.filter((record) => record.type === "tool_result" && record["is_error"] === true);
  return [
    ...twice(
      "records",
      records.map(({ id }) => id),
    ),
    ...(calls.toSorted().join() === results.toSorted().join()
      ? []
      : [`calls ${calls.join()} have results ${results.join()}`]),
    ...failed.map((record) => `a call failed: ${JSON.stringify(record)}`),
    ...(turn === null ? [] : [`turn ${turn.run_id} hasn't ended`]),
    ...talk.waiting(agent).map((id) => `${id} still waits`),
  ];
}

/** Each turn's run has ended once, and well. */
function runProblems(journal: string, records: HistoryRecord[], turns: number): string[] {
  const runs = [...new Set(records.flatMap((record) => ("run_id" in record ? [String(record.run_id)] : [])))];
  return [
    ...(runs.length === turns ? [] : [`${runs.length} runs for ${turns} turns: ${runs.join(", ")}`]),
    ...runs.flatMap((id) => {
      const last = (readRun(journal, id)?.events ?? []).filter(isTerminal).map(({ event }) => event);
      const ended = last.join() === "finish" && runState(journal, id) === "ended";
      return ended ? [] : [`run ${id} ended so: ${last.join() || "not"} (${runState(journal, id)})`];
    }),
  ];
}

function once(what: string, texts: string[], is: (text: string) => boolean): string[] {
  const count = texts.filter(is).length;
  return count === 1 ? [] : [`${what} was recorded ${count} times`];
}

function twice(what: string, ids: string[]): string[] {
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))].map((id) => `two ${what} are called ${id}`);
}
