/** Events about the supervisor's programs, on `supervisor.event.<program>.<event>`. */
import { z } from "zod";

/** Each event with what it means. */
export const supervisorEvents = {
  started: "its process was started",
  adopted: "its process was found alive, left by an earlier supervisor",
  ready: "it answers",
  unresponsive: "it lives and doesn't answer; it is started again",
  stopping: "it is brought to its end",
  exited: "its process has ended",
  stopped: "none of its processes is left, and it isn't wanted",
  backing_off: "it died, and is started again after a pause",
  failed: "it died too often, or said that starting it again is of no use",
} as const;
export type SupervisorEventName = keyof typeof supervisorEvents;

const names = Object.keys(supervisorEvents) as [SupervisorEventName, ...SupervisorEventName[]];

export const SupervisorEvent = z
  .looseObject({
    event: z
      .enum(names)
      .meta({ description: names.map((name) => `\`${name}\`: ${supervisorEvents[name]}`).join("; ") }),
    ts: z.number().int().meta({ description: "When it happened, in ms." }),
    program: z.string().meta({ description: "The program." }),
    pid: z.number().int().nullable().meta({ description: "Its process." }),
    restarts: z.number().int().meta({ description: "How often it was started again." }),
    reason: z.string().nullable().meta({ description: "Why, where there is something to say." }),
  })
  .meta({
    id: "SupervisorEvent",
    title: "Supervisor event",
    description:
      "A change in a program's life, on `supervisor.event.<program>.<event>`. What happens while the bus is away is told when it is back.",
    examples: [
      {
        event: "backing_off",
        ts: 1736380800000,
        program: "mcp-tools",
        pid: null,
        restarts: 2,
        reason: "was ended by SIGKILL",
      },
    ],
  });
export type SupervisorEvent = z.infer<typeof SupervisorEvent>;
