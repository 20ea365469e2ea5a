/** The signals of `cortex up`: stop, stop at once, reread settings, make way. */
import { isatty } from "node:tty";
import type { ServiceManager } from "../../proc/programs/sd-notify.ts";
import type { System } from "../../supervisor/up.ts";
import { stopWaits, tellWaits } from "./waits.ts";

/** Handles the signals. Resolves when everything was stopped, or handed over. */
export async function untilStopped(system: System, manager: ServiceManager, journal: string): Promise<void> {
  const terminal = [2, 1, 0].find((descriptor) => isatty(descriptor));
  // A terminal that is gone takes no more words; an error that nobody hears would end us before the programs.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  using waits = new DisposableStack();
  await new Promise<void>((resolve, reject) => {
    let isStopping = false;
    const stop = () => {
      if (isStopping) return system.force();
      isStopping = true;
      process.stderr.write("stopping; once more: at once\n");
      waits.use(tellWaits(() => stopWaits(journal, system.programs)));
      void manager.notifyStopping(system.stopsWithinMs);
      system.stop().then(resolve, reject);
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
    // A terminal that is closed says the same as somebody who wants the settings read again.
    // It says so several times: the system, the shell and npm each do.
    process.on("SIGHUP", () => {
      if (terminal === undefined || isatty(terminal)) return system.reread();
      if (!isStopping) stop();
    });
    process.once("SIGUSR2", () => {
      process.stderr.write("replaced: another cortex up takes over; programs and runs go on there\n");
      void system.handOver().then(resolve, reject);
    });
  });
}
