/** The answer of the server to a question of a view: read when it is shown, and anew when the view asks. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export type Answer<Data> = {
  /** Null: not there yet. What was read stays while it is read anew. */
  data: Signal<Data | null>;
  problem: Signal<unknown>;
  read: () => Promise<void>;
};

/** @param key what is asked about: another one is another question */
export function useAnswer<Data>(key: string, ask: (signal: AbortSignal) => Promise<Data>): Answer<Data> {
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
  return { data, problem, read };
}
