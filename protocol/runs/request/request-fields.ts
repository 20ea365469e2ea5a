/**
 * The request that a program may make, with every name spelt out: a misspelt field, or one of another type, doesn't
 * compile. Types alone.
 */
import type { Handoff, Request } from "./request.ts";

/** The fields that are named in a type; the schemas' own let every other name through. */
type Named<T> = { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] };

/** The next request, once a run has finished. */
export type HandoffFields = Omit<Named<Handoff>, "handoff"> & { handoff?: HandoffFields | undefined };

/** Set by cortex and its services, of no use to anybody else. */
type Internal = "event" | "agent_id" | "agent" | "instruction" | "handoff_from" | "schedule";

/** A request, as `cortexRequest` takes it. What else a backend understands is named by the type parameter there. */
export type RequestFields = Omit<Named<Request>, Internal | "handoff"> & { handoff?: HandoffFields | undefined };
