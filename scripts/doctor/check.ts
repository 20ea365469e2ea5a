/** A check of `cortex doctor`: one question, one finding. */
import type { Environment } from "../../proc/programs/environment.ts";

/** `warn`: cortex works, but perhaps not as wanted. `fail`: it doesn't. `remedy` is what to type; `items` are the things that `detail` counts. */
export type Finding = {
  name: string;
  ok: "ok" | "warn" | "fail";
  detail: string;
  remedy?: string;
  items?: Record<string, unknown>[];
};

export type Check = (environment: Environment) => Promise<Finding> | Finding;
