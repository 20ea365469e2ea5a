/** Questions to the agents' service, and its answers: a tool's call, or a command's. */
import { AgentAnswer, AgentCommand, ToolCall, workspaceTools } from "../../protocol/agents/agent-call.ts";
import type { AgentNews } from "../../protocol/agents/agent-event.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { mostMessageBytes } from "../events/message-size.ts";
import { errors } from "@nats-io/transport-node";
import { parseJson } from "../../protocol/json/parse-json.ts";

/** The service does what it is asked within milliseconds, or says that it has begun. */
const answerWithinMs = 20_000;
/** A tool's call is made again then, since it is done once: whom it was made to may have died with it. */
const toolAnswerWithinMs = 5000;

/** Nobody answers: whoever should isn't there. */
export class NoAgentsError extends Error {
  override name = "NoAgentsError";
  constructor(cause: unknown, who = "the agents' service") {
    super(`${who} doesn't answer: see cortex status`, { cause });
  }
}

/** Asks whoever executes the tool: the agents' service, or the web program for a workspace. @throws NoAgentsError */
export const callTool = (bus: Bus, call: ToolCall) =>
  workspaceTools.has(call.tool)
    ? ask(bus, subjects.workspaceTool, call, toolAnswerWithinMs, "the web program")
    : ask(bus, subjects.agentTool, call, toolAnswerWithinMs);

/** @throws NoAgentsError */
export const callCommand = (bus: Bus, call: AgentCommand) => ask(bus, subjects.agentCommand, call, answerWithinMs);

async function ask(bus: Bus, subject: string, value: unknown, timeout: number, who?: string): Promise<AgentAnswer> {
  try {
    const answer = await bus.connection.request(subject, JSON.stringify(value), { timeout });
    return AgentAnswer.parse(parseJson(answer.string()));
  } catch (error) {
    if (error instanceof errors.RequestError || error instanceof errors.TimeoutError)
      throw new NoAgentsError(error, who);
    if (error instanceof errors.NoRespondersError || error instanceof errors.ClosedConnectionError)
      throw new NoAgentsError(error, who);
    throw error;
  }
}

export type AgentCallHandlers = {
  tool: (call: ToolCall) => Promise<AgentAnswer>;
  command: (call: AgentCommand) => Promise<AgentAnswer>;
  /** Reports what a handler has thrown; the one who asked hears that it failed. */
  onProblem: (error: unknown) => void;
};

/** Answers what tools and commands ask. */
export function answerCalls(bus: Bus, { tool, command, onProblem }: AgentCallHandlers): void {
  answer(bus, subjects.agentTool, (value) => ToolCall.parse(value), tool, onProblem);
  answer(bus, subjects.agentCommand, (value) => AgentCommand.parse(value), command, onProblem);
}

/** Answers what tools ask of a workspace. */
export function answerWorkspaceCalls(
  bus: Bus,
  { tool, onProblem }: Pick<AgentCallHandlers, "tool" | "onProblem">,
): Disposable {
  const subscription = answer(bus, subjects.workspaceTool, (value) => ToolCall.parse(value), tool, onProblem);
  return { [Symbol.dispose]: () => subscription.unsubscribe() };
}

function answer<Call>(
  bus: Bus,
  subject: string,
  read: (value: unknown) => Call,
  handle: (call: Call) => Promise<AgentAnswer>,
  onProblem: (error: unknown) => void,
) {
  return bus.connection.subscribe(subject, {
    callback: (_, message) => {
      const handled = async () => handle(read(parseJson(message.string())));
      void handled()
        .catch((error: unknown): AgentAnswer => {
          onProblem(error);
          return { ok: false, error: "this failed within cortex: its log says why" };
        })
        .then((result) => message.respond(answerThatFits(bus, result)))
        .catch(onProblem);
    },
  });
}

/** An answer as it is sent. One that the bus doesn't take is told as such, rather than not at all. */
function answerThatFits(bus: Bus, answer: AgentAnswer): string {
  const text = JSON.stringify(answer);
  const [bytes, most] = [Buffer.byteLength(text), mostMessageBytes(bus)];
  if (bytes <= most) return text;
  const error = `the answer has ${bytes} bytes, and the bus takes ${most} in one message: look into agents/ in the journal`;
  return JSON.stringify({ ok: false, error } satisfies AgentAnswer);
}

/** Tells whoever listens what became of an agent. */
export function publishAgentNews(bus: Bus, news: AgentNews): void {
  if (bus.isConnected) bus.connection.publish(subjects.agentEvent(news.agent_id, news.event), JSON.stringify(news));
}
