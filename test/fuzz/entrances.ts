/** All entrances of the fuzzer, as often as each is tried beside the others. */
import type { Entrance } from "./entrance.ts";
import { agentOutput } from "./entrances/agent-output.ts";
import { busInput } from "./entrances/bus-input.ts";
import { busRequest } from "./entrances/bus-request.ts";
import { channelMessage } from "./entrances/channel-message.ts";
import { editedFile, editedRun, editedSettings } from "./entrances/edited-file.ts";
import { mcpBody, webBody, webhookBody } from "./entrances/http-body.ts";

/** Settings are read again by all programs, and a command starts a process: few of these stand for many of the others. */
const weights: [Entrance, number][] = [
  [agentOutput, 40],
  [busRequest, 40],
  [busInput, 20],
  [channelMessage, 24],
  [webhookBody, 20],
  [webBody, 20],
  [mcpBody, 40],
  [editedFile, 30],
  [editedRun, 4],
  [editedSettings, 1],
];

/** Each as often as it weighs. */
export const entrances: readonly Entrance[] = weights.flatMap(([entrance, weight]) =>
  Array.from({ length: weight }, () => entrance),
);
