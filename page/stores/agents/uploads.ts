/** Files that go with a message: stored first, then named by it. Those of a draft are kept over a reload. */
import { signal, type Signal } from "@preact/signals";
import { ApiError, problemOf } from "../../api/api-error.ts";
import { csrfToken } from "../../api/session.ts";

export type Upload = {
  key: string;
  name: string;
  size: number;
  state: "stored" | "storing" | { problem: unknown };
  id: string;
};

const prefix = "files ";
const places = new Map<string, Signal<Upload[]>>();

/** The files of the draft of a place. */
export function uploadsOf(place: string): Signal<Upload[]> {
  const known = places.get(place);
  if (known) return known;
  const fresh = signal(read(place));
  places.set(place, fresh);
  fresh.subscribe((uploads) => keep(place, uploads));
  return fresh;
}

/** Stores a file for the draft of a place. What goes wrong stands beside it. */
export async function upload(place: string, file: File): Promise<void> {
  const uploads = uploadsOf(place);
  const key = crypto.randomUUID();
  const name = file.name === "" ? "pasted file" : file.name;
  const put = (change: Partial<Upload>) => {
    uploads.value = uploads.value.map((one) => (one.key === key ? { ...one, ...change } : one));
  };
  uploads.value = [...uploads.value, { key, name, size: file.size, state: "storing", id: "" }];
  try {
    put({ state: "stored", id: await store(name, file) });
  } catch (problem) {
    put({ state: { problem } });
  }
}

async function store(name: string, file: File): Promise<string> {
  const response = await fetch(`/v1/attachments?name=${encodeURIComponent(name.slice(0, 255))}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream", "X-CSRF-Token": await csrfToken() },
    body: file,
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, problemOf(body));
  return (body as { id: string }).id;
}

function read(place: string): Upload[] {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + place) ?? "[]") as Upload[];
  } catch {
    return [];
  }
}

/** Only those that are stored: what was on its way ends with the page. */
function keep(place: string, uploads: Upload[]): void {
  const stored = uploads.filter(({ state }) => state === "stored");
  try {
    if (stored.length === 0) sessionStorage.removeItem(prefix + place);
    else sessionStorage.setItem(prefix + place, JSON.stringify(stored));
  } catch {}
}
