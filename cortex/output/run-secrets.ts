/** The secrets that nobody may read in a run's file, on the bus or in a log, whatever its agent prints. Pure. */
import { type BuiltInBackend, builtInBackends } from "../../protocol/settings/backends.ts";
import { type EventBody, eventShapes } from "../../protocol/runs/event.ts";
import { secretValues } from "../../protocol/runs/request/request-content.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import { isSecretName, type SecretHider } from "../../protocol/guards/secrets.ts";
import type { Plan } from "../plan/merge.ts";

const keyNames = new Set(Object.values(builtInBackends).flatMap((backend: BuiltInBackend) => backend.key ?? []));

/**
 * The secrets that a run is given: its `env`, that of what it hands on to, its backend's keys, and the password of a proxy.
 * @param own what its environment is taken from
 */
export function secretsOf(request: Request, plan: Plan, own: NodeJS.ProcessEnv): string[] {
  const { backend, env } = plan;
  const names = backend.kind === "built-in" ? backend.environment.filter((name) => keyNames.has(name)) : [];
  const declared = backend.kind === "declared" ? Object.entries(backend.declared.env ?? {}) : [];
  return [
    ...secretValues(request),
    ...secretValues({ env, handoff: plan.handoff }),
    ...names.flatMap((name) => own[name] ?? []),
    ...declared.flatMap(([name, value]) => (isSecretName(name) ? [value] : [])),
    ...Object.keys(own).flatMap((name) => (/_proxy$/i.test(name) ? passwordIn(own[name] ?? "") : [])),
  ];
}

/** An event without secrets. What cortex itself says of it isn't one, and its name only where no other event has it. */
export function withoutSecrets(body: EventBody, hider: SecretHider): EventBody {
  const fields = Object.entries(body).map(([name, field]) =>
    isOurs(body, name) ? [name, field] : [hider.hide(name), hider.hideIn(field)],
  );
  const event = body.event in eventShapes || hider.hide(body.event) === body.event ? body.event : "info";
  return { ...Object.fromEntries(fields), event };
}

function isOurs({ event }: EventBody, field: string): boolean {
  if (["event", "ts", "agent_id", "seq"].includes(field)) return true;
  if (field === "to") return event === "handoff" || event === "continue";
  if (field === "env") return event === "request"; // its values are gone by now, and its names are none
  return field === "reason" && event === "error";
}

function passwordIn(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { password } = new URL(url);
  return password === "" ? [] : [password, decodeURIComponent(password)];
}
