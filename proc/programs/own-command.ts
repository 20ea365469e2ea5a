/** How a program of this package that stays is started. */
import { packageFile } from "./package-file.ts";

/** In MiB. Node's 32 are kept once much has come at once, twice; cortex's event pipe is no slower with these (bench event-pipe). */
const youngMiB = 4;

/** @param module without its ending, as in `cortex/main` */
export const ownCommand = (module: string, ...args: string[]): string[] => [
  process.execPath,
  `--max-semi-space-size=${youngMiB}`,
  packageFile("bin/start.js"),
  module,
  ...args,
];
