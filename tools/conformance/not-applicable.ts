/** The scenarios that ask for what we don't offer, each with the reason. One that passes after all must leave. */
import type { Role } from "./requirements.ts";

const asksForCalls =
  "The server asks in the middle of a request for nothing: no sampling, and forms alone by the newer protocol (`input_required`), where a run of `cortex_run` waits for a person.";
const subscribes =
  "There are no subscriptions to a resource: they would need a connection that is kept, and a restart would lose them.";
const asksNobody =
  "A run has nobody in front of it who could fill in a form: our client says so, and a server that asks all the same is an error.";
const logsInElsewhere =
  "Our client logs in nowhere: a server at an address gets the headers that the settings give it (`mcp_servers.<name>.headers`).";
const needsFixture = "It needs a tool of a test server's, which answers with forms, sampling or roots.";
const testTasks =
  "It needs tools of a test server's that run as tasks. Ours, `cortex_run`, is tried by tests of its own.";

export const notApplicable: Readonly<Record<Role, Readonly<Record<string, string>>>> = {
  server: {
    "tools-call-sampling": asksForCalls,
    "tools-call-elicitation": asksForCalls,
    "elicitation-sep1034-defaults": asksForCalls,
    "elicitation-sep1330-enums": asksForCalls,
    "resources-subscribe": subscribes,
    "resources-unsubscribe": subscribes,
    "server-sse-polling":
      "An answer is a single response: there is no stream that the server closes half-way to be asked again.",
    "prompts-get-with-image": "Prompts are personas: text, and pages of the journal.",
    "server-stateless":
      "26 of its 28 checks pass. The other two need a test server's tool that refuses clients without sampling.",
    "input-required-result-basic-elicitation": needsFixture,
    "input-required-result-basic-sampling": needsFixture,
    "input-required-result-basic-list-roots": needsFixture,
    "input-required-result-request-state": needsFixture,
    "input-required-result-multiple-input-requests": needsFixture,
    "input-required-result-multi-round": needsFixture,
    "input-required-result-non-tool-request": needsFixture,
    "input-required-result-result-type": needsFixture,
    "input-required-result-tampered-state": needsFixture,
    "input-required-result-capability-check": needsFixture,
    "input-required-result-missing-input-response": needsFixture,
    "input-required-result-validate-input": needsFixture,
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
    "elicitation-sep1034-client-defaults": asksNobody,
    "sep-2322-client-request-state": asksNobody,
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
