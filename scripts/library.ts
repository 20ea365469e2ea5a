/** The package as a library: the client, its errors and its types. What `index.js` and `index.d.ts` give on. */
export { type Asked, NoCortexError, RejectedError, TooLargeError } from "../bus/client.ts";
export type { AgentEvent } from "../protocol/event.ts";
export type { HandoffFields, RequestFields } from "../protocol/request-fields.ts";
export { CommandError } from "./command.ts";
export { cortexRequest } from "./connection.ts";
