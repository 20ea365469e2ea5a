/** The answer of the server to a question of a view: read when it is shown, and anew when the view asks. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type JournalPart, onJournalChange } from "../../live/journal-changes.ts";

export type Answer<Data> = {
  /** Null: not there yet. What was read stays while it is read anew. */
  data: Signal<Data | null>;
  problem: Signal<unknown>;
  read: () => Promise<void>;
};

const none: readonly JournalPart[] = [];

/**
 * @param key what is asked about: another one is another question
 * @param parts the parts of the journal that the answer is made of: it is read anew when one of them has changed
 */
export function useAnswer<Data>(
  key: string,
  ask: (signal: AbortSignal) => Promise<Data>,
  parts: readonly JournalPart[] = none,
): Answer<Data> {
  const data = useSignal<Data | null>(null);
  const problem = useSignal<unknown>(null);
  const asked = useRef<AbortController>(undefined);
  const read = async () => {
    asked.current?.abort();
    const { signal } = (asked.current = new AbortController());
    try {
      const answer = await ask(signal);
      if (signal.aborted) return;
      data.value = answer;
      problem.value = null;
    } catch (error) {
      if (!signal.aborted) problem.value = error;
    }
  };
  useEffect(() => {
    data.value = null;
    problem.value = null;
    void read();
    return () => asked.current?.abort();
  }, [key]);
  // Of this question as it is by then.
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => (parts.length === 0 ? undefined : onJournalChange(parts, () => latest.current())), [parts.join()]);
  return { data, problem, read };
}
