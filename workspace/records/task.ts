/** Records of tasks: an agent's answer that is to be, is being, or was given. */
import { z } from "zod";
import { Id, Time } from "./fields.ts";

export const TaskStatus = z.enum(["queued", "running", "completed", "failed", "cancelled"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

export const TaskType = z.enum(["message_response", "fork_resolution", "summary"]);

export const TaskInput = z.object({
  prompt: z.string(),
  contextMessageIds: z.array(Id).meta({ description: "The messages that the agent was shown." }),
});
export type TaskInput = z.infer<typeof TaskInput>;

export const TokenUsage = z.object({
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  model: z.string().nullable(),
});

export const Task = z
  .object({
    id: Id,
    status: TaskStatus,
    agent_id: Id,
    agent_version: z.int().positive().meta({ description: "The version that it began with, and keeps." }),
    thread_id: Id,
    fork_id: Id.nullable(),
    trigger_message_id: Id,
    task_type: TaskType,
    after_task_id: Id.nullable().meta({ description: "The task on whose answer it begins." }),
    input: TaskInput,
    output: z.object({ messageId: Id }).nullable(),
    run_id: z.string().nullable().meta({ description: "The run of cortex that answers." }),
    token_usage: TokenUsage.nullable(),
    cost_usd: z.number().nullable(),
    error: z.string().nullable(),
    waits_until: Time.nullable().meta({ description: "Until when it waits for a rate limit of its provider." }),
    created_at: Time,
    completed_at: Time.nullable(),
  })
  .meta({ id: "Task" });
export type Task = z.infer<typeof Task>;
