/** The suite's tools that ask their client for something before they answer (`input_required`), or refuse one that can't be asked. */
import { randomBytes } from "node:crypto";
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { choices, completion, confirmation, defaults, form, roots } from "./asked-forms.ts";

type Asked = ServerContext["mcpReq"];
type Answer = CallToolResult | InputRequiredResult;

const states = createRequestStateCodec<string>({ key: randomBytes(32) });

/** The check of the state that comes back, for the server. */
export const requestState: Pick<typeof states, "verify"> = states;

const name = { user_name: form("What is your name?", "name") };
const capital = { capital_question: completion("What is the capital of France?", 100) };
const everything = { ...name, greeting: completion("Generate a greeting", 50), client_roots: roots };

const said = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });
const ask = async (inputRequests: InputRequests, state?: string) =>
  inputRequired({ inputRequests, ...(state !== undefined && { requestState: await states.mint(state) }) });

/** Asks until all of it has come back, with the state where there is one. */
const asking =
  (requests: InputRequests, state?: string) =>
  async ({ inputResponses = {}, requestState }: Asked): Promise<Answer> => {
    const isThere = Object.keys(requests).every((key) => inputResponses[key] !== undefined);
    if (!isThere || requestState() !== state) return await ask(requests, state);
    return said(`${state ?? "It is known"}: ${JSON.stringify(inputResponses)}`);
  };

export const askingTools: Readonly<Record<string, (asked: Asked) => Promise<Answer>>> = {
  // Of the older protocol.
  test_elicitation: asking({ form: form("Please provide your information", "username", "email") }),
  test_sampling: asking({ answer: completion("Test prompt for sampling", 100) }),
  test_elicitation_sep1034_defaults: asking({ form: defaults }),
  test_elicitation_sep1330_enums: asking({ form: choices }),
  // Of the stateless protocol.
  test_input_required_result_elicitation: async ({ inputResponses }) => {
    const { name: given } = acceptedContent<{ name?: string }>(inputResponses, "user_name") ?? {};
    return given === undefined ? await ask(name) : said(`Hello, ${given}!`);
  },
  test_input_required_result_sampling: asking(capital),
  test_input_required_result_list_roots: asking({ client_roots: roots }),
  test_input_required_result_request_state: asking({ confirm: confirmation }, "state-ok"),
  test_input_required_result_tampered_state: asking({ confirm: confirmation }, "whole"),
  test_input_required_result_multiple_inputs: asking(everything, "all"),
  test_input_required_result_multi_round: async ({ inputResponses = {}, requestState }) => {
    const second = { step2: form("Step 2: What is your favorite color?", "color") };
    if (requestState() === "2" && inputResponses["step2"]) return said("Both are known.");
    if (requestState() === "1" && inputResponses["step1"]) return await ask(second, "2");
    return await ask({ step1: form("Step 1: What is your name?", "name") }, "1");
  },
  test_input_required_result_capabilities: async (asked) => {
    const { elicitation, sampling } = declared(asked);
    return await ask({ ...(elicitation ? name : {}), ...(sampling ? capital : {}) });
  },
  test_streaming_elicitation: asking(name),
  test_missing_capability: async (asked) => {
    if (declared(asked).sampling) return said("It is there.");
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  },
};

const Envelope = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({ elicitation: z.unknown().optional(), sampling: z.unknown().optional() }),
});

const declared = ({ envelope }: Asked) => Envelope.parse(envelope)[CLIENT_CAPABILITIES_META_KEY];
