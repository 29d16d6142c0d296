import { vi } from 'vitest';

type Line = Record<string, unknown>;

/** What is logged meanwhile: the lines, and the metrics apart from them. */
export async function logged(work: () => unknown): Promise<{ lines: Line[]; metrics: Line[] }> {
  vi.stubEnv('METRICS_NAMESPACE', 'test');
  vi.stubEnv('LOG_LEVEL', 'info');
  const written: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((line) => written.push(String(line)) > 0);
  try {
    await work();
  } finally {
    spy.mockRestore();
    vi.unstubAllEnvs();
  }
  const all = written.map((line): Line => JSON.parse(line));
  return { lines: all.filter((line) => !('_aws' in line)), metrics: all.filter((line) => '_aws' in line) };
}

/** The metrics of a line, with the dimensions of each. */
export function metricsIn({ _aws, ...members }: Line) {
  const { CloudWatchMetrics } = _aws as {
    CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
  return Object.fromEntries(
    CloudWatchMetrics.flatMap(({ Dimensions, Metrics }) =>
      Metrics.map(({ Name }) => [
        Name,
        { value: members[Name], by: Dimensions.map((names) => names.map((name) => members[name])) },
      ]),
    ),
  );
}
