import { testLongTalks } from "./five-hundred-turns.ts";

testLongTalks("anthropic", "claude-haiku-4-5");
