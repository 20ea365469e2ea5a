/** One model call with `fetch`, on OpenAI's Responses API. */
const response = await fetch(`${process.env.OPENAI_BASE_URL}/responses`, {
  method: "POST",
  headers: { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
  body: JSON.stringify({
    model: "gpt-bench",
    input: [{ type: "message", role: "user", content: "hello" }],
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  }),
});
if (!(await response.text()).includes("response.completed")) process.exit(1);
