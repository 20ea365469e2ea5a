/** The address at which a service reaches an adapter. */
import { z } from "zod";

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

/** Over TLS; without only on this machine, for a service that runs here too. */
export const ReachedAt = z.url({ protocol: /^https?$/, error: "expected an https address" }).refine(isSafe, {
  error: "expected an https address, or one of this machine",
});

function isSafe(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol !== "http:" || loopbackNames.includes(url.hostname);
}
