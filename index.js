/** The package as a library: the client and its errors. */
import { launch } from "./bin/launch.js";

export const { cortexRequest, CommandError, NoCortexError, RejectedError, TooLargeError } =
  await launch("scripts/library");
