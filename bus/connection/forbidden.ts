/** What the server doesn't let a worker of another host do, such as changing streams: that is the business of the host whose bus it is. */
import { errors } from "@nats-io/transport-node";

export function isForbidden(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof errors.PermissionViolationError) return true;
  return false;
}
