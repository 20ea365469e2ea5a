/** A tool server for the runs of a file's tests, and what those have said. */
import { afterAll, beforeAll } from "vitest";
import { startToolServer, type ToolServer } from "../tool-server.ts";
import type { TestRun } from "./agent-run.ts";

/** Starts the server before a file's tests. Returns how the configuration of a run comes to have its tools. */
export function useToolServer(): (config?: Record<string, unknown>) => Record<string, unknown> {
  let server: ToolServer;
  beforeAll(async () => {
    server = await startToolServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  return (config = {}) => ({ mcp_server_url: server.url, ...config });
}

/** The names of a run's events, in order. */
export const names = (run: TestRun) => run.events.map(({ event }) => event);

export const last = (run: TestRun) => run.events.at(-1);
