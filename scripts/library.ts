/** The package as a library: the client, its errors and its types. What `index.js` and `index.d.ts` give on. */
export { type RequestedRun as Asked, NoCortexError, RejectedError, TooLargeError } from "../bus/runs/client.ts";
export type { AgentEvent } from "../protocol/runs/event.ts";
export type { HandoffFields, RequestFields } from "../protocol/runs/request/request-fields.ts";
export { CommandError } from "./command/command.ts";
export { cortexRequest } from "./command/connection.ts";
