/** Starts a program of this package that is not a command: `node start.js cortex/main`. */
import { launch } from "./launch.js";

try {
  await launch(process.argv[2]);
} catch (error) {
  if (error?.name !== "EnvironmentError") throw error;
  // It would find the same environment again: the supervisor is told not to start it again (protocol/runs/exit-codes.ts).
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(125);
}
