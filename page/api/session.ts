/** This browser's session: whether it is still let in, and the word that goes with each change. */
import { signal } from "@preact/signals";
import { ApiError, problemOf } from "./api-error.ts";

/** The session has ended or was revoked: only a new link helps. */
export const isSignedOut = signal(false);

let asked: Promise<string> | null = null;

/** Asked for once. @throws ApiError, TypeError when it can't be had: whoever asks next tries again */
export function csrfToken(): Promise<string> {
  asked ??= askForToken();
  asked.catch(() => {
    asked = null;
  });
  return asked;
}

async function askForToken(): Promise<string> {
  const response = await fetch("/api/v1/session");
  if (response.status === 401) isSignedOut.value = true;
  if (!response.ok) throw new ApiError(response.status, problemOf(await response.json().catch(() => null)));
  return ((await response.json()) as { csrf_token: string }).csrf_token;
}
