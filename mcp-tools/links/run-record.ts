/** The state and the answer of a run, by its file and the questions that it has asked: the same after a restart. */
import { statSync } from "node:fs";
import { listQuestions } from "../../journal/permissions/questions.ts";
import { findEvent } from "../../journal/runs/read-run.ts";
import { runFile } from "../../journal/runs/run-files.ts";
import { AgentId } from "../../protocol/names/names.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import { isTerminal } from "../../protocol/runs/event.ts";

export type RunRecord = {
  agentId: string;
  state: "working" | "waiting" | "finished" | "failed" | "cancelled";
  /** Its answer, or its error; empty while there is none. */
  text: string;
  /** The calls that wait for a person. */
  questions: KeptQuestion[];
  created: Date;
  updated: Date;
};

/** @param isKnown whether there is such a run, though it has no file yet  @returns null: there is none */
export async function readRunRecord(journal: string, agentId: string, isKnown: boolean): Promise<RunRecord | null> {
  if (!AgentId.safeParse(agentId).success) return null;
  const file = runFile(journal, agentId);
  const created = new Date(Number(agentId));
  if (file === null)
    return isKnown ? { agentId, state: "working", text: "", questions: [], created, updated: created } : null;
  const updated = statSync(file, { throwIfNoEntry: false })?.mtime ?? created;
  const last = await findEvent(journal, agentId, ["finish", "error"], isTerminal);
  const about = { agentId, questions: [], created, updated };
  if (last?.event === "finish") return { ...about, state: "finished", text: textIn(last["result"]) };
  if (last) {
    const state = last["reason"] === "cancelled" ? "cancelled" : "failed";
    return { ...about, state, text: textIn(last["error"]) };
  }
  const questions = openQuestions(journal, agentId);
  return { ...about, state: questions.length > 0 ? "waiting" : "working", text: "", questions };
}

const textIn = (value: unknown) => (typeof value === "string" ? value : "");

/** The questions of a run that nobody has decided. */
export const openQuestions = (journal: string, agentId: string): KeptQuestion[] =>
  listQuestions(journal).filter(({ run, decision }) => run === agentId && decision === undefined);
