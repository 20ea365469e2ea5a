import { testLongTalks } from "./five-hundred-turns.ts";

testLongTalks("responses", "gpt-4.1-mini");
