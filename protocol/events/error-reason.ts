import { z } from "zod";

/** Why a run ended in an error. */
export const ErrorReason = z.enum([
  "provider",
  "config",
  "crash",
  "timeout",
  "idle",
  "cancelled",
  "budget",
  "interrupted",
  "internal",
  "loop",
]);
export type ErrorReason = z.infer<typeof ErrorReason>;
