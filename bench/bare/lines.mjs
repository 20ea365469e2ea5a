/** Writes as many events of 200 bytes as its argument says, as soon as it hears a second line; then it has finished. */
const count = Number(process.argv[2]);
const lineBytes = 200;
const chunkLines = 320;
let heard = "";
process.stdin.setEncoding("utf8").on("data", (data) => {
  heard += data;
  if (heard.split("\n").length > 2) void write();
});
process.stdout.write('{"event":"start"}\n');

async function write() {
  process.stdin.removeAllListeners("data");
  for (let written = 0; written < count; written += chunkLines) {
    const lines = Array.from({ length: Math.min(chunkLines, count - written) }, (_, at) => line(written + at));
    if (!process.stdout.write(lines.join(""))) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
  process.stdout.write('{"event":"finish","result":"written"}\n', () => process.exit(0));
}

function line(number) {
  const begin = `{"event":"text","number":${number},"text":"`;
  return `${begin}${"x".repeat(lineBytes - begin.length - 3)}"}\n`;
}
