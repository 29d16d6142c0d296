import { AsyncLocalStorage } from 'node:async_hooks';
import { type Dimensions, type InvocationMeasurements, type MetricName, writeMetrics } from './metrics.ts';

interface Invocation {
  fields: Record<string, unknown>;
  dimensions: Dimensions;
  measurements: InvocationMeasurements;
  /** What is to be done before it ends. */
  endings: Set<() => Promise<void>>;
}

const current = new AsyncLocalStorage<Invocation>();

/** Runs one invocation of a Lambda. Writes its metrics when it ends, as one line, after what is to be done before. */
export async function runInvocation<T>(
  fields: Record<string, unknown>,
  run: () => T | Promise<T>,
): Promise<T> {
  const invocation: Invocation = { fields, dimensions: {}, measurements: {}, endings: new Set() };
  try {
    return await current.run(invocation, run);
  } finally {
    await current.run(invocation, () => Promise.all([...invocation.endings].map((end) => end())));
    writeMetrics(invocation.measurements, invocation.dimensions);
  }
}

export function runWithLogFields<T>(fields: Record<string, unknown>, run: () => T): T {
  const outer = current.getStore();
  return current.run(
    {
      dimensions: {},
      measurements: {},
      endings: new Set(),
      ...outer,
      fields: { ...outer?.fields, ...fields },
    },
    run,
  );
}

/** Runs what belongs to the process: its log lines must not name the invocation that happened to begin it. */
export const runOutsideInvocation = <T>(run: () => T): T => current.exit(run);

/** Adds fields to all further log lines of the invocation. */
export function addLogFields(fields: Record<string, unknown>): void {
  const invocation = current.getStore();
  if (invocation) invocation.fields = { ...invocation.fields, ...fields };
}

/** Afterwards the process is frozen. Once for each function. @returns false outside of an invocation */
export function onInvocationEnd(end: () => Promise<void>): boolean {
  const invocation = current.getStore();
  invocation?.endings.add(end);
  return invocation !== undefined;
}

export const getLogFields = (): Readonly<Record<string, unknown>> | undefined => current.getStore()?.fields;

export function setDimensions(dimensions: Dimensions): void {
  Object.assign(current.getStore()?.dimensions ?? {}, dimensions);
}

/** Adds to a metric of the invocation. Outside of an invocation nothing is measured. */
export function measure(name: MetricName, value = 1): void {
  const measurements = current.getStore()?.measurements;
  if (measurements) measurements[name] = (measurements[name] ?? 0) + value;
}
