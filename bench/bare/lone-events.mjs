/** Says one event after the other, with a pause that leaves each alone, and with it when that was. */
const [count, pauseMs] = process.argv.slice(2).map(Number);
process.stdin.resume();
process.stdout.write('{"event":"start"}\n');
for (let said = 0; said < count; said++) {
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  // The clock of the whole machine since it was started: the listener reads the same.
  process.stdout.write(`{"event":"text","text":"${process.hrtime.bigint()}"}\n`);
}
process.stdout.write('{"event":"finish","result":"said"}\n', () => process.exit(0));
