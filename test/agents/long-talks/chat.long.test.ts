import { testLongTalks } from "./five-hundred-turns.ts";

testLongTalks("chat", null);
