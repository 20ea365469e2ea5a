/** The actions on schedules from anywhere. Each throws what the server said when it refuses. */
import { answered, byId, client } from "../../api/client.ts";

export const runSchedule = (persona: string, body: { facet?: string; day?: string; force?: boolean } = {}) =>
  answered(client.POST("/api/v1/schedules/{id}/runs", { ...byId(persona), body }));

export const setSchedule = (persona: string, body: { on?: boolean; words?: string | null }) =>
  answered(client.PATCH("/api/v1/schedules/{id}", { ...byId(persona), body }));

export const explainSchedule = (words: string, ended: AbortSignal) =>
  answered(client.GET("/api/v1/schedule/explained", { params: { query: { words } }, signal: ended }));
