/** A small agent that speaks ACP, with the ways in which real ones differ. */
import { smallAgent } from "./coder-system.ts";
import { testCoder } from "./coder-rules.ts";

testCoder({ backend: "small", declared: smallAgent(), keepsSession: true });
