/** The scenarios that ask for what we don't offer, each with the reason. One that passes after all must leave. */
import type { Role } from "./requirements.ts";

const subscribes =
  "There are no subscriptions to a resource: they would need a connection that is kept, and a restart would lose them.";
const logsInElsewhere =
  "Our client logs in nowhere: a server at an address gets the headers that the settings give it (`mcp_servers.<name>.headers`).";
const testTasks =
  "It needs tools of a test server's that run as tasks. Ours, `cortex_run`, is tried by tests of its own.";

export const notApplicable: Readonly<Record<Role, Readonly<Record<string, string>>>> = {
  server: {
    "resources-subscribe": subscribes,
    "resources-unsubscribe": subscribes,
    "server-sse-polling":
      "An answer is a single response: there is no stream that the server closes half-way to be asked again.",
    "prompts-get-with-image": "Prompts are personas: text, and pages of the journal.",
    "input-required-result-non-tool-request":
      "Prompts are personas, which ask for nothing, and those of external servers aren't offered.",
    "tasks-lifecycle": testTasks,
    "tasks-capability-negotiation": testTasks,
    "tasks-wire-fields": testTasks,
    "tasks-request-state-removal": testTasks,
    "tasks-mrtr-input": testTasks,
    "tasks-request-headers": testTasks,
    "tasks-dispatch-and-envelope": testTasks,
    "tasks-status-notifications": testTasks,
    "tasks-required-task-error": testTasks,
    "tasks-mrtr-composition": testTasks,
    "http-custom-header-server-validation": "No tool of ours asks for arguments as headers.",
  },
  client: {
    "elicitation-sep1034-client-defaults":
      "In the older protocol a connection says once what its client can be asked. Ours is shared by all callers, and says nothing. By 2026-07-28 each call says what its caller can be asked.",
    "json-schema-2020-12-preservation":
      "Our client hands schemas to models, as they are, and has no reason to send one back to its server.",
  },
};

/** Whether a scenario isn't even run: all of them for one reason. */
export const isSkipped = (role: Role, scenario: string) => role === "client" && scenario.startsWith("auth/");

/** The reason why a scenario needn't pass; undefined: it must. */
export function reasonFor(role: Role, scenario: string): string | undefined {
  if (isSkipped(role, scenario)) return logsInElsewhere;
  return Object.hasOwn(notApplicable[role], scenario) ? notApplicable[role][scenario] : undefined;
}
