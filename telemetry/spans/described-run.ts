/** Attributes that the spans of a run share. */
import { attributes as names, providers } from "../conventions/names.ts";
import type { Attributes } from "../otlp/telemetry-data.ts";
import type { OpenRun } from "./open-run.ts";

/** The provider, by the name that the conventions have for it. */
export const providerOf = ({ backend = "unknown" }: OpenRun): string =>
  (Object.hasOwn(providers, backend) ? providers[backend] : undefined) ?? backend;

/** Keeps the attributes that have a value: the others aren't sent. */
export const present = (given: { [name: string]: Attributes[string] | undefined }): Attributes =>
  Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, Attributes[string]] => entry[1] !== undefined),
  );

/** Attributes of every span of a run. */
export const sharedAttributes = (run: OpenRun): Attributes =>
  present({ [names.provider]: providerOf(run), [names.agentName]: run.persona, [names.conversation]: run.agent });

/** Seconds between two times in ms; a clock that was set back makes no negative ones. */
export const secondsBetween = (start: number, end: number): number => Math.max(0, end - start) / 1000;
