/** The cookie of a session. Pages of this server alone send it: no script reads it, and no other site's page sends it along. */
import { sessionMs } from "../../../workspace/people/sessions.ts";

const name = "cortex_session";
const rules = "Path=/; HttpOnly; SameSite=Strict";

/** @param origin the server's, as the browser has it: over TLS, a cookie is for TLS alone */
export const sessionCookie = (secret: string, origin: string) =>
  `${name}=${secret}; Max-Age=${sessionMs / 1000}; ${rules}${origin.startsWith("https:") ? "; Secure" : ""}`;
export const endedCookie = `${name}=; Max-Age=0; ${rules}`;

/** The secret in a request's `Cookie` header, or undefined. */
export function secretIn(cookies: string | undefined): string | undefined {
  for (const cookie of (cookies ?? "").split(";")) {
    const [key = "", value = ""] = cookie.trim().split("=", 2);
    if (key === name) return value;
  }
  return undefined;
}
