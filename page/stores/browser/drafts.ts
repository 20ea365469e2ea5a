/**
 * The drafts that somebody has typed and not sent, for each place where one types. It is kept until it is sent, over
 * reloads of the page.
 */
import { effect, type Signal, signal } from "@preact/signals";

const prefix = "draft ";

const drafts = new Map<string, Signal<string>>();

/** The draft of a place: empty where nothing was typed. */
export function draftOf(place: string): Signal<string> {
  const known = drafts.get(place);
  if (known) return known;
  const draft = signal(read(place));
  drafts.set(place, draft);
  effect(() => keep(place, draft.value));
  return draft;
}

function read(place: string): string {
  try {
    return sessionStorage.getItem(prefix + place) ?? "";
  } catch {
    return "";
  }
}

/** A browser that keeps nothing, or no more, loses a draft with the page alone. */
function keep(place: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(prefix + place);
    else sessionStorage.setItem(prefix + place, text);
  } catch {}
}
