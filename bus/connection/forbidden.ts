/**
 * The operations that the server refuses to a worker of another host, such as changing streams: those are for the host
 * whose bus it is.
 */
import { errors } from "@nats-io/transport-node";

export function isForbidden(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof errors.PermissionViolationError) return true;
  return false;
}
