/** The agent of the page's picture: it plays the runs of a morning, each by what it is asked. One that works goes on until it is stopped. */
import { createInterface } from "node:readline";
import { mornings } from "./pictured-morning.ts";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { prompt } = JSON.parse((await lines.next()).value ?? "{}") as { prompt: string };
const run = mornings.find((one) => one.prompt === prompt);
for (const event of run?.events ?? []) process.stdout.write(`${JSON.stringify({ ts: Date.now(), ...event })}\n`);
if (run?.part === "Working") for await (const _ of lines);
process.exit(0);
