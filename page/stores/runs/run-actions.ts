/** The actions on runs and decisions from anywhere. Each throws what the server said when it refuses. */
import type { paths } from "../../../web/client/api-types.ts";
import { answered, byId, client } from "../../api/client.ts";

type BodyOf<Operation extends { requestBody: { content: { "application/json": unknown } } }> =
  Operation["requestBody"]["content"]["application/json"];

export type NewRun = BodyOf<paths["/api/v1/runs"]["post"]>;

export const requestRun = (body: NewRun) => answered(client.POST("/api/v1/runs", { body }));

export const stopRun = (id: string) => answered(client.POST("/api/v1/runs/{id}/cancel", byId(id)));

export const sayToRun = (id: string, text: string) =>
  answered(client.POST("/api/v1/runs/{id}/input", { ...byId(id), body: { text } }));

export const continueRun = (id: string, prompt: string) =>
  answered(client.POST("/api/v1/runs/{id}/continue", { ...byId(id), body: { prompt } }));

export type Again = { backend?: string; model?: string; persona?: string };

export const runAgain = (id: string, body: Again = {}) =>
  answered(client.POST("/api/v1/runs/{id}/again", { ...byId(id), body }));

export type DecisionMade = BodyOf<paths["/api/v1/decisions/{id}"]["post"]>;

export const decide = (id: string, body: DecisionMade) =>
  answered(client.POST("/api/v1/decisions/{id}", { ...byId(id), body }));
