import { StepError } from '../flows/step.ts';
import type { Need } from '../runtime.ts';

type Tasks = typeof import('./thread.ts');

/** A kind of work that threads do: a function that `thread.ts` exports. */
export type SandboxTask = keyof Tasks;
export interface Sandboxed<Name extends SandboxTask> {
  input: Parameters<Tasks[Name]>[0]['input'];
  output: Awaited<ReturnType<Tasks[Name]>>;
}

export interface Limits {
  /** What the task itself may take; waiting for its turn does not count. By the clock it may be twice that, and a second. */
  timeoutMs: number;
  /** Ends the task, or the wait for its turn. */
  signal?: AbortSignal | undefined;
  patience?: Patience | undefined;
}

/** What a request may still wait for turns, all its tasks together. Runs wait as long as it takes. */
export interface Patience {
  leftMs: number;
}

/**
 * Does CPU work of a tenant's making (scripts, templates with filters, foreign HTML) in a thread that can be ended, so
 * that it delays nobody else. @throws SandboxError
 */
export type Sandbox = <Name extends SandboxTask>(
  name: Name,
  input: Sandboxed<Name>['input'],
  limits: Limits,
) => Promise<Sandboxed<Name>['output']>;

/** A task that a limit ended: it took too long, too much memory, or broke its thread. */
export class SandboxError extends Error {
  readonly reason: 'time' | 'memory' | 'broken';

  constructor(reason: SandboxError['reason'], options?: ErrorOptions) {
    super(`A sandboxed task was ended: ${reason}`, options);
    this.reason = reason;
  }
}

const limitWords = { time: 'takes too long', memory: 'takes too much memory', broken: 'nests too deeply' };

/** For the `catch` of a task of a step: says which limit kept it from its end. @throws StepError, or what is no limit. */
export const limitAsStepError =
  (what: string, toDo: string) =>
  (cause: unknown): never => {
    if (!(cause instanceof SandboxError)) throw cause;
    throw new StepError(`${what} ${limitWords[cause.reason]} ${toDo}`, { cause });
  };

let pool: Promise<typeof import('./pool.ts')> | undefined;

/** Loaded with the first task. Node takes a while to find even what it has loaded already. */
function loadedPool() {
  pool ??= import('./pool.ts');
  return pool;
}

/** The sandbox of a tenant, whose tasks take turns with those of other tenants. */
export const sandboxOf =
  (tenant: string): Sandbox =>
  (name, input, limits) =>
    loadedPool().then(({ inThread }) => inThread(tenant, name, input, limits));

/** With two tasks that take 11 s each by the clock, a request is still answered before API Gateway's 29 s are over. */
const patienceMs = 6_000;

/** The sandbox of one request. @throws also ApiError 503 when the request would wait too long for its turn. */
export function impatient(sandbox: Sandbox, signal?: AbortSignal): Sandbox {
  const patience: Patience = { leftMs: patienceMs };
  return (name, input, limits) => sandbox(name, input, { signal, ...limits, patience });
}

/** The same, for those who name it under `needs`. */
export const sandbox: Need<Sandbox> = ({ table }) => sandboxOf(table.tenant);
