/** One model call with `fetch`, on Anthropic's Messages API. */
const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
  method: "POST",
  headers: {
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
    "x-api-key": process.env.ANTHROPIC_API_KEY,
  },
  body: JSON.stringify({
    model: "claude-bench",
    max_tokens: 1000,
    messages: [{ role: "user", content: "hello" }],
    stream: true,
  }),
});
if (!(await response.text()).includes("message_stop")) process.exit(1);
