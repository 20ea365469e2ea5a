/** The knowledge of the makers of spans, and what they give back. */
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Measure, Span } from "../otlp/telemetry-data.ts";
import type { MapperState } from "./mapper-state.ts";
import type { OpenRun } from "./open-run.ts";

/** @field content whether what people and models say goes into the spans */
export type MapperContext = { state: MapperState; agentId: string; run: OpenRun; event: AgentEvent; content: boolean };

/** The spans that an event has brought to their end, and what is measured of them. */
export type Finished = { spans: Span[]; measures: Measure[] };

export const nothingFinished = (): Finished => ({ spans: [], measures: [] });

export const allFinished = (parts: readonly Finished[]): Finished => ({
  spans: parts.flatMap(({ spans }) => spans),
  measures: parts.flatMap(({ measures }) => measures),
});
