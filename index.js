/** The package as a library: the client. */
import { launch } from "./bin/launch.js";

export const { cortexRequest } = await launch("scripts/connection");
