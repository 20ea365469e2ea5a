/** The scenarios that ask for what our server doesn't offer, each with the reason. One that passes after all must leave. */
const asksNothing =
  "The server never asks its client for anything: no sampling, no elicitation. A run's client is a program.";
const subscribes =
  "There are no subscriptions: they would need a connection that is kept, and a restart would lose them.";

export const notApplicable: Readonly<Record<string, string>> = {
  "tools-call-sampling": asksNothing,
  "tools-call-elicitation": asksNothing,
  "elicitation-sep1034-defaults": asksNothing,
  "elicitation-sep1330-enums": asksNothing,
  "resources-subscribe": subscribes,
  "resources-unsubscribe": subscribes,
  "server-sse-polling":
    "An answer is a single response: there is no stream that the server closes half-way to be asked again.",
  "prompts-get-with-image": "Prompts are personas: text, and pages of the journal.",
};
