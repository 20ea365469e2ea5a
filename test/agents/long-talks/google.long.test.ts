import { testLongTalks } from "./five-hundred-turns.ts";

testLongTalks("google", "gemini-2.5-flash");
