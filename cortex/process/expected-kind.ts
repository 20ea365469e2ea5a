/** The process that the next run most likely wants: one of the default backend, with no wishes of its own. */
import { isBuiltInBackend } from "../../protocol/settings/backends.ts";
import type { Isolation } from "../../proc/runs/isolation.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { backendFor, defaultBackend } from "../plan/backend-choice.ts";
import { loweredLimits, type ResourceDefaults } from "../plan/resource-limits.ts";
import { meteredProviders } from "../plan/metered-providers.ts";
import { isSupervised } from "./gateway-access.ts";
import { expectedKind } from "./run-command.ts";
import type { ProcessKind } from "./warm-pool.ts";

/** The kind of process that a default run takes, as the settings are now. Null: a program that can't wait. */
export function defaultKind(settings: Settings, isolation: Isolation, most: ResourceDefaults): ProcessKind | null {
  const name = defaultBackend(settings, process.env);
  if (!isBuiltInBackend(name) || Object.hasOwn(settings.backends ?? {}, name)) return null;
  // Each of its runs has a token of its own in its environment.
  const isMetered = isSupervised(process.env) && meteredProviders(backendFor(name, {}), process.env).length > 0;
  if (isMetered) return null;
  const resources = { ...most, ...loweredLimits(settings.limits ?? {}, settings.limits, most).limits };
  return expectedKind(name, { settings, isolation, resources });
}
