import { expect, test } from "vitest";
import { ApiError } from "../../../../page/api/api-error.ts";
import { draftOf } from "../../../../page/stores/browser/drafts.ts";
import { NoteEdit, type Note } from "../../../../page/stores/editing/note-edit.ts";

let places = 0;

/** A server with one note, whose answers to a save wait until they are let go. */
class HeldServer {
  note: Note = { text: "A", version: "1" };
  readonly place = `note ${places++}`;
  readonly edit: NoteEdit;
  #arrived = Promise.withResolvers<void>();
  #held = Promise.withResolvers<Error | null>();

  constructor() {
    this.edit = new NoteEdit({
      place: this.place,
      read: async () => this.note,
      write: async ({ text, version }) => {
        if (version !== this.note.version) throw new ApiError(409, {});
        this.#arrived.resolve();
        const answer = this.write(text);
        const refused = await this.#held.promise;
        if (refused) throw refused;
        return answer;
      },
    });
  }

  write(text: string): Note {
    return (this.note = { text, version: `${Number(this.note.version) + 1}` });
  }

  /** Begins to save, and returns when the server has what was sent. */
  async begin(): Promise<{ saved: Promise<void> }> {
    this.#arrived = Promise.withResolvers();
    this.#held = Promise.withResolvers();
    const saved = this.edit.save();
    await this.#arrived.promise;
    return { saved };
  }

  answer(refused: Error | null = null): void {
    this.#held.resolve(refused);
  }

  get shown() {
    const { mine, base, isChanged, isOvertaken } = this.edit;
    return [mine.value, base.value, isChanged.value, isOvertaken.value];
  }
}

async function changed(text: string): Promise<HeldServer> {
  const server = new HeldServer();
  await server.edit.read();
  server.edit.change(text);
  return server;
}

test("a text that is saved as it stands is unsaved no more", async () => {
  const server = await changed("AB");
  expect(server.shown).toEqual(["AB", "A", true, false]);
  const { saved } = await server.begin();
  server.answer();
  await saved;
  expect([server.shown, server.note.text, draftOf(server.place).value]).toEqual([["AB", "AB", false, false], "AB", ""]);
});

test.each([
  ["more", "ABC"],
  ["less", "B"],
  ["as it was before", "A"],
  ["nothing at all", ""],
])("what is typed while a save is on its way stays, and is unsaved: %s", async (_, typed) => {
  const server = await changed("AB");
  const { saved } = await server.begin();
  server.edit.change(typed);
  expect(server.edit.mine.value).toBe(typed);
  server.answer();
  await saved;
  expect(server.shown).toEqual([typed, "AB", true, false]);
  const { saved: again } = await server.begin();
  server.answer();
  await again;
  expect([server.shown, server.note.text]).toEqual([[typed, typed, false, false], typed]);
});

test("what is typed and taken back to what was sent is no change", async () => {
  const server = await changed("AB");
  const { saved } = await server.begin();
  server.edit.change("ABC");
  server.edit.change("AB");
  server.answer();
  await saved;
  expect(server.shown).toEqual(["AB", "AB", false, false]);
});

test("changes that are taken back while they are being saved are a change back", async () => {
  const server = await changed("AB");
  const { saved } = await server.begin();
  server.edit.show(null);
  expect(server.edit.mine.value).toBe("A");
  server.answer();
  await saved;
  expect(server.shown).toEqual(["A", "AB", true, false]);
});

test("a save that is heard of before its answer is nobody else's change", async () => {
  const server = await changed("AB");
  const { saved } = await server.begin();
  server.edit.change("ABC");
  const { generation } = server.edit;
  const before = generation.value;
  await server.edit.read();
  expect(server.shown).toEqual(["ABC", "A", true, false]);
  server.answer();
  await saved;
  expect([server.shown, generation.value]).toEqual([["ABC", "AB", true, false], before]);
});

test("a save that fails leaves what was typed, and changes nothing where it was taken back meanwhile", async () => {
  const server = await changed("AB");
  const { saved } = await server.begin();
  server.edit.change("ABC");
  server.note = { text: "A", version: "1" };
  server.answer(new Error("away"));
  await expect(saved).rejects.toThrow("away");
  expect(server.shown).toEqual(["ABC", "A", true, false]);
  const { saved: again } = await server.begin();
  server.edit.change("A");
  server.note = { text: "A", version: "1" };
  server.answer(new Error("away"));
  await expect(again).rejects.toThrow("away");
  expect(server.shown).toEqual(["A", "A", false, false]);
});

test("somebody else's change is told from one's own, also where it comes while one's own is being saved", async () => {
  const server = await changed("AB");
  const { saved } = await server.begin();
  server.edit.change("ABC");
  server.write("theirs");
  server.answer();
  await saved;
  expect(server.shown).toEqual(["ABC", "AB", true, true]);
  server.edit.keepMine();
  expect(server.shown).toEqual(["ABC", "theirs", true, false]);
});

test("whoever is overtaken is shown both sides, loses nothing, and may drop their own", async () => {
  const server = await changed("AB");
  server.write("theirs");
  await server.edit.save();
  expect([server.shown, server.note.text]).toEqual([["AB", "A", true, true], "theirs"]);
  server.edit.show(null);
  expect(server.shown).toEqual(["theirs", "theirs", false, false]);
});

test("a refusal for another reason than the version is told", async () => {
  const server = await changed("AB");
  const { saved } = await server.begin();
  server.note = { text: "A", version: "1" };
  server.answer(new ApiError(409, { message: "the name is taken" }));
  await expect(saved).rejects.toThrow("the name is taken");
  expect(server.shown).toEqual(["AB", "A", true, false]);
});

test("a look that goes on meanwhile knows of a save that another one began", async () => {
  const server = await changed("AB");
  const { saved } = await server.begin();
  const { note } = server;
  const other = new NoteEdit({ place: server.place, read: async () => note, write: async () => note });
  await other.read();
  other.change("A");
  expect([other.mine.value, other.isOvertaken.value]).toEqual(["A", false]);
  server.answer();
  await saved;
  expect([other.mine.value, other.isChanged.value]).toEqual(["A", true]);
});

test("of two reads the later one counts, whichever comes back first", async () => {
  const answers = [Promise.withResolvers<Note>(), Promise.withResolvers<Note>()];
  let asked = 0;
  const read = () => answers[asked++]?.promise ?? Promise.reject(new Error("asked too often"));
  const edit = new NoteEdit({ place: `note ${places++}`, read, write: read });
  const reads = [edit.read(), edit.read()];
  answers[1]?.resolve({ text: "new", version: "2" });
  answers[0]?.resolve({ text: "old", version: "1" });
  await Promise.all(reads);
  expect(edit.mine.value).toBe("new");
});

test.each([
  ["a field", "timeout_seconds", 0],
  ["the whole text", "raw", 1],
])(
  "somebody else's change leaves what can't be read in a field, and stands in the place of a text: %s",
  async (_, path, shown) => {
    const server = new HeldServer();
    await server.edit.read();
    server.edit.noteWrong(path, "This is not a number");
    server.write("theirs");
    await server.edit.read();
    expect(server.shown).toEqual(["theirs", "theirs", false, false]);
    expect([server.edit.generation.value, server.edit.wrong.value]).toEqual([shown, shown === 0 ? [path] : []]);
  },
);
