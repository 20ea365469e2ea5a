/** Asks every source for a text, and keeps what each has answered. */
import type { Answer } from "./find-answers.ts";
import { findSources } from "./find-sources.ts";
import type { FindSource } from "./found.ts";

/** A word is typed as a whole before the server is asked, in ms. */
const pauseMs = 120;
/** A source that takes longer is said to be away until it answers, in ms. */
const patienceMs = 3000;

export const noAnswers = (): Answer[] =>
  findSources.map(({ group }) => ({ group, found: [], text: null, isAway: false }));

/** @returns what stops asking: answers that come later are dropped */
export function askSources(text: string, answers: { value: readonly Answer[] }): () => void {
  const stop = new AbortController();
  const put = (answer: Answer) => {
    if (stop.signal.aborted) return;
    answers.value = answers.value.map((one) => (one.group === answer.group ? answer : one));
  };
  const ask = async ({ group, find }: FindSource) => {
    const late = setTimeout(() => put({ group, found: [], text: null, isAway: true }), patienceMs);
    stop.signal.addEventListener("abort", () => clearTimeout(late));
    try {
      put({ group, found: await find(text, stop.signal), text, isAway: false });
    } catch {
      put({ group, found: [], text, isAway: true });
    } finally {
      clearTimeout(late);
    }
  };
  const isNear = ({ isHere }: FindSource) => isHere === true || text === "";
  for (const source of findSources.filter(isNear)) void ask(source);
  const far = findSources.filter((source) => !isNear(source));
  const timer = setTimeout(() => far.forEach((source) => void ask(source)), pauseMs);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}
