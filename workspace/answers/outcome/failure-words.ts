/** The words for people when an agent can't answer: its name, what happened, and what to do. Pure. */
import type { FailureKind } from "./run-outcome.ts";

const words: Record<FailureKind, (agent: string) => string> = {
  unavailable: (agent) =>
    `${agent} couldn't respond. The AI service is temporarily unavailable. Ask again in a few minutes.`,
  timed_out: (agent) =>
    `${agent}'s response timed out. The question may be too complex for a single response. Ask again, or ask for less at once.`,
  unexpected: (agent) => `${agent} produced an unexpected response. Try rephrasing your question.`,
  too_long: (agent) =>
    `${agent} couldn't respond. The message and what belongs to it are longer than its model takes. Shorten the message, or split it, and ask again.`,
  config: (agent) =>
    `${agent} couldn't respond. The way in which it is set up doesn't work here. An admin can see why in the task; then ask again.`,
  budget: (agent) =>
    `${agent} reached the limit of what an answer may use. Ask for less at once, or have an admin raise its limits and ask again.`,
  loop: (agent) => `${agent} repeated itself and was stopped. Try rephrasing your question.`,
  internal: (agent) => `${agent} couldn't respond. Something went wrong within Cortex. Ask again.`,
};

export const failureWords = (failure: FailureKind, agent: string): string => words[failure](agent);

/** The words for an agent that was to begin on the answer of another one. */
export const nothingToBeginOn = (agent: string, before: string): string =>
  `${agent} didn't begin, since ${before} gave no answer to begin on. Ask ${agent} again.`;

export const notActive = (agent: string): string =>
  `${agent} didn't respond. It is no longer active. Ask another agent, or have an admin set it active and ask again.`;

/** The words for an agent that was removed while a question waited for it. */
export const wasRemoved = (agent: string): string =>
  `${agent} didn't respond. It was removed from the workspace. Ask another agent.`;

/** The words for an agent that would answer by tools that no approval sees. */
export const backendUnseen = (agent: string, backend: string): string =>
  `${agent} couldn't respond. It would answer with the backend "${backend}", whose own tools no approval sees. An admin can give it another backend; then ask again.`;

/** The words for an answer that waits for a person. */
export const waitsForPerson = (agent: string, answers: number): string =>
  `${agent} waits: ${answers} ${answers === 1 ? "answer" : "answers"} of agents in a row are enough without a person. It begins when somebody says something here.`;
