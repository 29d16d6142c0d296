export interface RunsOrder {
  runs: number;
  atOnce: number;
}

export type RunsReport = { cpuMs: number; seconds: number } | { failure: string };

/**
 * Runs what its parent orders, some at once, and reports the CPU time of this process for all of them, and how long they
 * took. Loaded by the program of each peer and by ours, so that all are measured alike.
 */
export function serveRuns(run: () => Promise<unknown>): void {
  process.on('message', async ({ runs, atOnce }: RunsOrder) => {
    let next = 0;
    const slot = async () => {
      while (next++ < runs) await run();
    };
    const [began, before] = [performance.now(), process.cpuUsage()];
    try {
      await Promise.all(Array.from({ length: atOnce }, slot));
      const { user, system } = process.cpuUsage(before);
      report({ cpuMs: (user + system) / 1_000, seconds: (performance.now() - began) / 1_000 });
    } catch (error) {
      report({ failure: error instanceof Error ? String(error.stack) : String(error) });
    }
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

const report = (what: RunsReport) => process.send?.(what);
