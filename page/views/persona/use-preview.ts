/** The preview of a persona as it stands in the fields, a moment after they were changed. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { answered, client } from "../../api/client.ts";
import type { PersonaEdit } from "../../stores/editing/persona-edit.ts";

export type PersonaPreview = {
  problem: string | null;
  fields: readonly { path: string; message: string }[];
  tools: readonly string[];
  unknown_tools: readonly string[];
};

const typedMs = 200;

export function usePreview(edit: PersonaEdit): Signal<PersonaPreview | null> {
  const preview = useSignal<PersonaPreview | null>(null);
  const { mine, server, name } = edit;
  const isThere = server.value !== null;
  const { instruction, settings } = mine.value;
  useEffect(() => {
    if (!isThere) return;
    const ended = new AbortController();
    const ask = async () => {
      const body = { instruction, settings };
      const asked = client.POST("/api/v1/personas/{id}/preview", {
        params: { path: { id: name } },
        body,
        signal: ended.signal,
      });
      try {
        const found = await answered(asked);
        if (!ended.signal.aborted) preview.value = found;
      } catch {
        // What is wrong with it is said when it is saved, at the latest.
      }
    };
    const timer = setTimeout(() => void ask(), preview.peek() === null ? 0 : typedMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [isThere, instruction, settings, name]);
  return preview;
}
