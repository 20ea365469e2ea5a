/** The forms and questions with which the suite's tools ask their client. */
import { type InputRequest, inputRequired } from "@modelcontextprotocol/server";

/** A form of required fields. */
export function form(message: string, ...fields: string[]): InputRequest {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" } as const]));
  return inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required: fields } });
}

export const confirmation = inputRequired.elicit({
  message: "Please confirm",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
});

/** A form whose fields all have a default. */
export const defaults = inputRequired.elicit({
  message: "Please review",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
  },
});

const options = ["option1", "option2", "option3"];
const values = ["value1", "value2", "value3"].map((value) => ({ const: value, title: `Choice ${value}` }));

/** A form with a field of each kind of choice. */
export const choices = inputRequired.elicit({
  message: "Please choose",
  requestedSchema: {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: values },
      legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: values } },
    },
  },
});

/** A question for the client's own model. */
export const completion = (text: string, maxTokens: number): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens });

export const roots = inputRequired.listRoots();
