/**
 * `cortex-agent`: configurations in on stdin, events out on stdout. `cortex-agent --warm BACKEND` is what cortex starts ahead
 * of a run: warm.ts. With main.ts alone here, they know of the process.
 */
import { guardTerminals } from "../proc/logging/terminal.ts";
import { useOwnGlobals } from "../proc/http/own-globals.ts";
import { exitCodes } from "../protocol/runs/exit-codes.ts";
import { systemClock } from "./provider/clock.ts";
import { inputLines } from "./input-lines.ts";
import { openOutput } from "./output.ts";
import { serve } from "./serve.ts";
import { wholeLines } from "./whole-lines.ts";
import { waitForRun } from "./warm.ts";

const help = `
Usage: cortex-agent

Reads lines of JSON on stdin, each the configuration of a run, and writes the events of each run on stdout, a line each:
  echo '{"prompt":"hi","backend":"offline"}' | cortex-agent
A line {"type":"input","text":"…"} goes to the run that is under way, {"type":"cancel"} ends it. Exits with 0 when every
run has finished, with 1 otherwise. The fields and the events: docs/protocol.md.
`;

useOwnGlobals();
guardTerminals();
const [flag, backend] = process.argv.slice(2);
if (flag === "--help" || flag === "-h") {
  process.stdout.write(help.trimStart());
  process.exit(exitCodes.done);
}
const lines = inputLines(process.stdin);
if (flag === "--warm" && backend !== undefined) await waitForRun(backend, lines);

const stopping = new AbortController();
for (const name of ["SIGTERM", "SIGINT"] as const) {
  // The second one isn't handled any more: it ends the process at once.
  process.once(name, () => stopping.abort());
}
const output = openOutput(wholeLines(process.stdout.fd, process.stdout), systemClock.now, process.env);

const isAllWell = await serve(lines, {
  emit: output.write,
  clock: systemClock,
  environment: process.env,
  warn: (message) =>
    void process.stderr.write(`${JSON.stringify({ level: "warn", name: "cortex-agent", msg: message })}\n`),
  signal: AbortSignal.any([stopping.signal, output.closed]),
});
// Stdin may stay open for ever, and so may a connection to a tool server. Every event has been handed over by now.
process.exit(isAllWell ? exitCodes.done : exitCodes.failed);
