/** Starts a program of this package that is no command: `node start.js cortex/main`. */
import { launch } from "./launch.js";

await launch(process.argv[2]);
